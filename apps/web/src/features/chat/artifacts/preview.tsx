import { Play, Square } from 'lucide-react'
import { info } from 'pyodide/pyodide-lock.json'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTheme } from '../../../lib/browser/theme.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { isRun, type PreviewKind } from '../messages/artifact.ts'

/** Files of the Python runtime, passed to a sandbox because it has no network access. */
interface PythonParts {
  /** Pyodide's lock file with its version; Pyodide rejects other versions. */
  info: typeof info
  loader: string
  module: string
  program: ArrayBuffer
  library: ArrayBuffer
}

/** Fetches Python and its standard library from this server; a browser keeps them, since their names have a hash. */
async function loadPython(): Promise<PythonParts> {
  const [loader, module, program, library] = await Promise.all([
    import('pyodide/pyodide.mjs?url').then(fetchFile).then((response) => response.text()),
    import('pyodide/pyodide.asm.mjs?url').then(fetchFile).then((response) => response.text()),
    import('pyodide/pyodide.asm.wasm?url').then(fetchFile).then((response) => response.arrayBuffer()),
    import('pyodide/python_stdlib.zip?url').then(fetchFile).then((response) => response.arrayBuffer()),
  ])
  return { info, loader, module, program, library }
}

async function fetchFile({ default: address }: { default: string }): Promise<Response> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  return response
}

/** Message from a sandbox: untrusted, so show all of it as plain text. */
type SandboxNews =
  /** its time runs from now on; until then what runs it was loaded */
  | { type: 'begun' }
  | { type: 'line'; level: string; text: string }
  | { type: 'end'; text: string | null }
  | { type: 'failed'; text: string }
  /** stopped: its time was over; flooded: it said too much; silent: it does not answer any more; missing: what shows it is not there. */
  | { type: 'stopped' | 'flooded' | 'silent' | 'missing' }

/** Time limit for scripts. */
const SCRIPT_LIMIT_MS = 5_000
const PING_EVERY_MS = 2_000
/**
 * A sandbox that leaves this many in a row unanswered is in an endless loop. They are counted because time also passes
 * while the device sleeps and between the rare turns of a tab in the background, where nothing is asked.
 */
const SILENT_PINGS = 4

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
function SandboxFrame({ kind, source, isDark, onNews }: SandboxFrameProps) {
  const text = useText('chat')
  const frame = useRef<HTMLIFrameElement>(null)
  const tell = useEffectEvent(onNews)
  useEffect(() => {
    const inside = () => frame.current?.contentWindow
    let unanswered = 0
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
      unanswered = 0
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
      if (unanswered >= SILENT_PINGS) {
        tell({ type: 'silent' })
        return
      }
      unanswered += 1
      post({ type: 'ping' })
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

/** More lines than these are not shown. */
const MAX_LINES = 500

/** Shows a page, a drawing or a diagram without scripts; scripts of a page and programs run on a click. */
export function Preview({ kind, source }: { kind: PreviewKind; source: string }) {
  return isRun(kind) ? <Program kind={kind} source={source} /> : <Shown kind={kind} source={source} />
}

function Shown({ kind, source }: { kind: PreviewKind; source: string }) {
  const text = useText('chat')
  const { theme } = useTheme()
  const [trouble, setTrouble] = useState<SandboxNews | null>(null)
  const [isRunning, setIsRunning] = useState(false)
  if (trouble === null || trouble.type === 'line' || trouble.type === 'begun' || trouble.type === 'end') {
    return (
      <div className="flex min-h-0 flex-1 flex-col gap-3">
        {kind === 'html' && (
          <div className="flex flex-wrap items-center gap-3">
            <Button
              icon={isRunning ? <Square aria-hidden /> : <Play aria-hidden />}
              onClick={() => setIsRunning(!isRunning)}
            >
              {text(isRunning ? 'artifact.stopPage' : 'artifact.runNow')}
            </Button>
            <p className="min-w-0 flex-1 basis-48 text-13 text-muted">
              {text(isRunning ? 'artifact.pageRuns' : 'artifact.pageStill')}
            </p>
          </div>
        )}
        <div className="flex min-h-0 flex-1 flex-col overflow-hidden rounded-control border border-border">
          <SandboxFrame
            key={String(isRunning)}
            kind={isRunning ? 'page' : kind}
            source={source}
            isDark={theme === 'dark'}
            onNews={setTrouble}
          />
        </div>
      </div>
    )
  }
  return (
    <Banner tone="error">
      {trouble.type === 'failed'
        ? text('artifact.notShown', { reason: trouble.text })
        : text(`artifact.${trouble.type}`, { seconds: SCRIPT_LIMIT_MS / 1000 })}
    </Banner>
  )
}

/** A program with what it says; it runs on a click, for a few seconds at most. */
function Program({ kind, source }: { kind: 'script' | 'python'; source: string }) {
  const text = useText('chat')
  const [run, setRun] = useState(0)
  const [news, setNews] = useState<SandboxNews[]>([])
  const last = news.at(-1)
  const isOver = last !== undefined && last.type !== 'line' && last.type !== 'begun'
  const isRunning = run > 0 && !isOver
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          variant="primary"
          icon={<Play aria-hidden />}
          loading={isRunning}
          onClick={() => {
            setNews([])
            setRun(run + 1)
          }}
        >
          {text(run === 0 ? 'artifact.runNow' : 'artifact.runAgain')}
        </Button>
        <p className="min-w-0 flex-1 basis-48 text-13 text-muted">
          {text('artifact.runHint', { seconds: SCRIPT_LIMIT_MS / 1000 })}
          {kind === 'python' && ` ${text('artifact.pythonHint')}`}
        </p>
      </div>
      {isRunning && (
        <SandboxFrame
          key={run}
          kind={kind}
          source={source}
          isDark={false}
          onNews={(one) => setNews((before) => [...before, one].slice(-MAX_LINES))}
        />
      )}
      {run > 0 && (
        <div
          role="log"
          aria-label={text('artifact.output')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="min-h-24 flex-1 overflow-auto rounded-control border border-border bg-surface-sunken p-3 font-mono text-13"
        >
          {news.map((one, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added
            <Line key={at} news={one} />
          ))}
          {isRunning && (
            <p className="flex items-center gap-2 font-sans text-muted">
              <Spinner size="sm" />
              {kind === 'python' && last === undefined && text('artifact.fetchingPython')}
            </p>
          )}
        </div>
      )}
    </div>
  )
}

function Line({ news }: { news: SandboxNews }) {
  const text = useText('chat')
  switch (news.type) {
    case 'line':
      return (
        <p className={news.level === 'error' ? 'whitespace-pre-wrap text-danger-text' : 'whitespace-pre-wrap'}>
          {news.text}
        </p>
      )
    case 'end':
      return (
        <p className="whitespace-pre-wrap text-muted">
          {news.text === null ? text('artifact.ended') : `→ ${news.text}`}
        </p>
      )
    case 'failed':
      return <p className="whitespace-pre-wrap text-danger-text">{news.text}</p>
    case 'begun':
      return null
    default:
      return (
        <p className="font-sans font-medium text-warning-text">
          {text(`artifact.${news.type}`, { seconds: SCRIPT_LIMIT_MS / 1000 })}
        </p>
      )
  }
}
