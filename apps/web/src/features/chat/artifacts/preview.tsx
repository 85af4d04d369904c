import { Play, Square } from 'lucide-react'
import { useState } from 'react'
import { useText } from '../../../lib/i18n.ts'
import { useTheme } from '../../../lib/theme.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { isRun, type PreviewKind } from './artifact.ts'
import { SandboxFrame, type SandboxNews, SCRIPT_LIMIT_MS } from './sandbox-frame.tsx'

/** More lines than these are not shown. */
const MOST_LINES = 500

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
          onNews={(one) => setNews((before) => [...before, one].slice(-MOST_LINES))}
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
