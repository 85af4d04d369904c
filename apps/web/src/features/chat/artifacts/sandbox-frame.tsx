import { useEffect, useEffectEvent, useRef } from 'react'
import { useText } from '../../../lib/i18n.ts'
import type { PreviewKind } from './artifact.ts'
import { loadPython } from './python-parts.ts'

/** Message from a sandbox: untrusted, so show all of it as plain text. */
export type SandboxNews =
  /** its time runs from now on; until then what runs it was loaded */
  | { type: 'begun' }
  | { type: 'line'; level: string; text: string }
  | { type: 'end'; text: string | null }
  | { type: 'failed'; text: string }
  /** stopped: its time was over; flooded: it said too much; silent: it does not answer any more; missing: what shows it is not there. */
  | { type: 'stopped' | 'flooded' | 'silent' | 'missing' }

/** Time limit for scripts. */
export const SCRIPT_LIMIT_MS = 5_000
const PING_EVERY_MS = 2_000
/** A sandbox that doesn't respond for this long is in an endless loop. */
const SILENT_MS = 8_000

/** Queries of the sandbox's address: the server sends the policy that each of these needs. */
const queries: Readonly<Record<SandboxKind, string>> = {
  html: '',
  svg: '',
  script: '',
  page: '?run',
  mermaid: '?diagram',
  python: '?python',
}

/**
 * A document of its own that shows or runs what a model wrote: with an origin that is nobody's and without a network. It is
 * handed the text once it is there.
 */
export function SandboxFrame({ kind, source, isDark, onNews }: SandboxFrameProps) {
  const text = useText('chat')
  const frame = useRef<HTMLIFrameElement>(null)
  const tell = useEffectEvent(onNews)
  useEffect(() => {
    const inside = () => frame.current?.contentWindow
    let heardAt = Date.now()
    let isGone = false
    const post = (message: object, handedOver: Transferable[] = []) => inside()?.postMessage(message, '*', handedOver)
    const begin = async () => {
      const library = kind === 'mermaid' ? await loadMermaid() : undefined
      const parts = kind === 'python' ? await loadPython() : undefined
      const handedOver = parts === undefined ? [] : [parts.program, parts.library]
      if (!isGone) post({ kind, source, library, parts, isDark, limitMs: SCRIPT_LIMIT_MS }, handedOver)
    }
    const hear = ({ source: from, data }: MessageEvent<unknown>) => {
      if (from !== inside() || typeof data !== 'object' || data === null) return
      heardAt = Date.now()
      const { type } = data as { type?: unknown }
      if (type === 'ready') {
        begin().catch((error: unknown) => {
          console.error('What the sandbox needs could not be loaded', error)
          if (!isGone) tell({ type: 'missing' })
        })
        return
      }
      const news = newsOf(data)
      if (news !== null) tell(news)
    }
    const timer = setInterval(() => {
      if (Date.now() - heardAt > SILENT_MS) tell({ type: 'silent' })
      else post({ type: 'ping' })
    }, PING_EVERY_MS)
    addEventListener('message', hear)
    return () => {
      isGone = true
      clearInterval(timer)
      removeEventListener('message', hear)
    }
  }, [kind, source, isDark])
  return (
    <iframe
      ref={frame}
      src={`/sandbox.html${queries[kind]}`}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      title={text('artifact.preview')}
      hidden={kind === 'script' || kind === 'python'}
      className="min-h-0 w-full flex-1 bg-paper"
    />
  )
}

/** The library as a text: the sandbox has no network to load it by itself. */
async function loadMermaid(): Promise<string> {
  const { default: address } = await import('@mermaid-js/tiny/dist/mermaid.tiny.js?url')
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  return response.text()
}

function newsOf(data: object): SandboxNews | null {
  const { type, text, level } = data as Record<string, unknown>
  switch (type) {
    case 'line':
      return { type, level: String(level), text: String(text) }
    case 'end':
      return { type, text: typeof text === 'string' ? text : null }
    case 'failed':
      return { type, text: String(text) }
    case 'begun':
    case 'stopped':
    case 'flooded':
      return { type }
    default:
      return null
  }
}

/** `page`: an `html` whose scripts run. */
type SandboxKind = PreviewKind | 'page'

type SandboxFrameProps = {
  kind: SandboxKind
  source: string
  isDark: boolean
  onNews: (news: SandboxNews) => void
}
