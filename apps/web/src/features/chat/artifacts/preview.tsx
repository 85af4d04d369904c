import mermaidUrl from '@mermaid-js/tiny/dist/mermaid.tiny.js?url'
import { Play, Square } from 'lucide-react'
import pyodideModuleUrl from 'pyodide/pyodide.asm.mjs?url'
import pyodideProgramUrl from 'pyodide/pyodide.asm.wasm?url'
import pyodideUrl from 'pyodide/pyodide.mjs?url'
import { info } from 'pyodide/pyodide-lock.json'
import pythonLibraryUrl from 'pyodide/python_stdlib.zip?url'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTheme } from '../../../lib/browser/theme.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { isRunnable, type PreviewKind } from '../messages/artifact.ts'

/** Files of the Python runtime, passed to a sandbox because it has no network access. */
interface PythonParts {
  /** Version details from Pyodide's lock file; Pyodide rejects a lock file of another version. */
  info: typeof info
  loader: string
  module: string
  program: ArrayBuffer
  library: ArrayBuffer
}

/**
 * Fetches Python and its standard library from this server; browsers cache them, since their names contain a hash. The URLs are
 * imported statically: Chromium never retries a failed dynamic import, so "try again" would fail until a reload.
 */
async function loadPython(): Promise<PythonParts> {
  const [loader, module, program, library] = await Promise.all([
    fetchFile(pyodideUrl).then((response) => response.text()),
    fetchFile(pyodideModuleUrl).then((response) => response.text()),
    fetchFile(pyodideProgramUrl).then((response) => response.arrayBuffer()),
    fetchFile(pythonLibraryUrl).then((response) => response.arrayBuffer()),
  ])
  return { info, loader, module, program, library }
}

async function fetchFile(url: string): Promise<Response> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`)
  return response
}

/** Message from a sandbox; it's untrusted, so all its texts are shown as plain text. */
type SandboxMessage =
  /** The runtime has been loaded, so the time limit starts now. */
  | { type: 'begun' }
  | { type: 'line'; level: string; text: string }
  | { type: 'end'; text: string | null }
  | { type: 'failed'; text: string }
  /** `stopped`: time limit reached; `flooded`: too much output; `silent`: no reply to pings; `missing`: runtime not loaded. */
  | { type: 'stopped' | 'flooded' | 'silent' | 'missing' }

/** Time limit for scripts. */
const SCRIPT_LIMIT_MS = 5_000
const PING_INTERVAL_MS = 2_000
/**
 * A sandbox that leaves this many pings in a row unanswered is in an endless loop. Elapsed time alone doesn't show that,
 * because it also passes while the device sleeps or the tab is throttled in the background, when no pings are sent.
 */
const MAX_UNANSWERED_PINGS = 4

/** Query string of the sandbox's URL by kind; it tells the server which content security policy to send. */
const sandboxQueries: Readonly<Record<SandboxKind, string>> = {
  html: '',
  svg: '',
  script: '',
  page: '?run',
  mermaid: '?diagram',
  python: '?python',
}

/**
 * Frame that shows or runs a source written by a model, with an opaque origin and no network access. The source is posted to
 * the frame once it has loaded.
 */
function SandboxFrame({ kind, source, isDark, onMessage }: SandboxFrameProps) {
  const text = useText('chat')
  const frame = useRef<HTMLIFrameElement>(null)
  const emit = useEffectEvent(onMessage)
  useEffect(() => {
    const sandbox = () => frame.current?.contentWindow
    let unanswered = 0
    let isGone = false
    const post = (message: object, transferred: Transferable[] = []) =>
      sandbox()?.postMessage(message, '*', transferred)
    const sendSource = async () => {
      const library = kind === 'mermaid' ? await loadMermaid() : undefined
      const parts = kind === 'python' ? await loadPython() : undefined
      const transferred = parts === undefined ? [] : [parts.program, parts.library]
      if (!isGone) post({ kind, source, library, parts, isDark, limitMs: SCRIPT_LIMIT_MS }, transferred)
    }
    const handleMessage = ({ source: from, data }: MessageEvent<unknown>) => {
      if (from !== sandbox() || typeof data !== 'object' || data === null) return
      unanswered = 0
      const { type } = data as { type?: unknown }
      if (type === 'ready') {
        sendSource().catch((error: unknown) => {
          console.error('The runtime for the sandbox could not be loaded', error)
          if (!isGone) emit({ type: 'missing' })
        })
        return
      }
      const message = parseMessage(data)
      if (message !== null) emit(message)
    }
    const timer = setInterval(() => {
      if (unanswered >= MAX_UNANSWERED_PINGS) {
        emit({ type: 'silent' })
        return
      }
      unanswered += 1
      post({ type: 'ping' })
    }, PING_INTERVAL_MS)
    addEventListener('message', handleMessage)
    return () => {
      isGone = true
      clearInterval(timer)
      removeEventListener('message', handleMessage)
    }
  }, [kind, source, isDark])
  return (
    <iframe
      ref={frame}
      src={`/sandbox.html${sandboxQueries[kind]}`}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      title={text('artifact.preview')}
      hidden={kind === 'script' || kind === 'python'}
      className="min-h-0 w-full flex-1 bg-paper"
    />
  )
}

/** Source code of Mermaid, which the sandbox can't load because it has no network access. */
function loadMermaid(): Promise<string> {
  return fetchFile(mermaidUrl).then((response) => response.text())
}

function parseMessage(data: object): SandboxMessage | null {
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

/** `page` is `html` with scripts enabled. */
type SandboxKind = PreviewKind | 'page'

type SandboxFrameProps = {
  kind: SandboxKind
  source: string
  isDark: boolean
  onMessage: (message: SandboxMessage) => void
}

/** Maximum number of output lines shown; older ones are dropped. */
const MAX_LINES = 500

/** Shows a page, drawing or diagram without running scripts; programs and a page's scripts run when the user clicks Run. */
export function ArtifactPreview({ kind, source }: { kind: PreviewKind; source: string }) {
  return isRunnable(kind) ? <Program kind={kind} source={source} /> : <PagePreview kind={kind} source={source} />
}

function PagePreview({ kind, source }: { kind: PreviewKind; source: string }) {
  const text = useText('chat')
  const { theme } = useTheme()
  const [lastMessage, setLastMessage] = useState<SandboxMessage | null>(null)
  const [isRunning, setIsRunning] = useState(false)
  if (
    lastMessage === null ||
    lastMessage.type === 'line' ||
    lastMessage.type === 'begun' ||
    lastMessage.type === 'end'
  ) {
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
            onMessage={setLastMessage}
          />
        </div>
      </div>
    )
  }
  return (
    <Banner tone="error">
      {lastMessage.type === 'failed'
        ? text('artifact.notShown', { reason: lastMessage.text }).trim()
        : text(`artifact.${lastMessage.type}`, { seconds: SCRIPT_LIMIT_MS / 1000 })}
    </Banner>
  )
}

/** A program and its output; it runs when the user clicks Run, for a few seconds at most. */
function Program({ kind, source }: { kind: 'script' | 'python'; source: string }) {
  const text = useText('chat')
  const [runCount, setRunCount] = useState(0)
  const [messages, setMessages] = useState<SandboxMessage[]>([])
  const last = messages.at(-1)
  const isOver = last !== undefined && last.type !== 'line' && last.type !== 'begun'
  const isRunning = runCount > 0 && !isOver
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          variant="primary"
          icon={<Play aria-hidden />}
          loading={isRunning}
          onClick={() => {
            setMessages([])
            setRunCount(runCount + 1)
          }}
        >
          {text(runCount === 0 ? 'artifact.runNow' : 'artifact.runAgain')}
        </Button>
        <p className="min-w-0 flex-1 basis-48 text-13 text-muted">
          {text('artifact.runHint', { seconds: SCRIPT_LIMIT_MS / 1000 })}
          {kind === 'python' && ` ${text('artifact.pythonHint')}`}
        </p>
      </div>
      {isRunning && (
        <SandboxFrame
          key={runCount}
          kind={kind}
          source={source}
          isDark={false}
          onMessage={(message) => setMessages((before) => [...before, message].slice(-MAX_LINES))}
        />
      )}
      {runCount > 0 && (
        <div
          role="log"
          aria-label={text('artifact.output')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="min-h-24 flex-1 overflow-auto rounded-control border border-border bg-surface-sunken p-3 font-mono text-13"
        >
          {messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added
            <ConsoleLine key={index} message={message} />
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

function ConsoleLine({ message }: { message: SandboxMessage }) {
  const text = useText('chat')
  switch (message.type) {
    case 'line':
      return (
        <p className={message.level === 'error' ? 'whitespace-pre-wrap text-danger-text' : 'whitespace-pre-wrap'}>
          {message.text}
        </p>
      )
    case 'end':
      return (
        <p className="whitespace-pre-wrap text-muted">
          {message.text === null ? text('artifact.ended') : `→ ${message.text}`}
        </p>
      )
    case 'failed':
      return <p className="whitespace-pre-wrap text-danger-text">{message.text}</p>
    case 'begun':
      return null
    default:
      return (
        <p className="font-sans font-medium text-warning-text">
          {text(`artifact.${message.type}`, { seconds: SCRIPT_LIMIT_MS / 1000 })}
        </p>
      )
  }
}
