import { CircleStop, Upload } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { type Text, useText } from '../../../lib/i18n/i18n.ts'
import { useStore } from '../../../lib/loading/store.ts'
import { Button } from '../../../ui/button.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx'
import type { EntryStatus, QueueEntry } from './queue-entry.ts'
import type { UploadRun } from './upload-queue.ts'
import { type RunProgress, runProgress, uploads } from './uploads.ts'

/** Header of the queue with its counts, actions and progress. */
export function QueueHeader({ entries }: { entries: readonly QueueEntry[] }) {
  const text = useText('upload')
  const format = useFormat()
  const run = useStore(uploads.run)
  const count = (status: EntryStatus) => entries.filter((entry) => entry.status === status).length
  const pending = count('pending')
  const completed = count('completed')
  const failed = count('error')
  const summary = [
    text('queue.count', { count: entries.length }),
    count('processing') > 0 && text('queue.processing', { count: count('processing') }),
    completed > 0 && text('queue.completed', { count: completed }),
    failed > 0 && text('queue.failed', { count: failed }),
  ].filter((part) => part !== false)

  return (
    <div className="mb-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <h2 id="queue-title" tabIndex={-1} className="text-16 font-semibold tracking-tight outline-none">
            {text('queue.title')}
          </h2>
          <p className="mt-0.5 text-13 text-muted tabular-nums">{summary.join(' · ')}</p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {failed > 0 && run === null && (
            <Button variant="ghost" onClick={() => uploads.clear('error')}>
              {text('queue.clearFailed')}
            </Button>
          )}
          {completed > 0 && (
            <Button variant="ghost" onClick={() => uploads.clear('completed')}>
              {text('queue.clearCompleted')}
            </Button>
          )}
          {run !== null && (
            <Button icon={<CircleStop aria-hidden />} onClick={uploads.stop}>
              {text('queue.stop')}
            </Button>
          )}
          {pending > 0 && (
            <Button
              variant="primary"
              icon={<Upload aria-hidden />}
              disabled={run !== null}
              onClick={() => void uploads.uploadAll()}
            >
              {text('queue.uploadAll')}
            </Button>
          )}
        </div>
      </div>
      {run !== null && <RunStatus run={run} entries={entries} />}
      <Announcement run={run} entries={entries} text={text} format={format} />
    </div>
  )
}

function RunStatus({ run, entries }: RunProps) {
  const text = useText('upload')
  const format = useFormat()
  const progress = runProgress(run, entries, useNow())
  return (
    <Progress
      className="mt-3"
      label={text('run.label', { number: progress.fileNumber, count: progress.fileCount })}
      value={progress.percent}
      detail={detailOf(progress, text, format)}
    />
  )
}

function detailOf({ doneBytes, totalBytes, secondsLeft }: RunProgress, text: Text<'upload'>, format: Format): string {
  const bytes = text('run.bytes', { done: format.bytes(doneBytes), total: format.bytes(totalBytes) })
  if (secondsLeft === null) return bytes
  const seconds = Math.max(1, Math.ceil(secondsLeft))
  // Rounded to avoid flicker: to seconds, then tens of seconds, then minutes.
  const rounded = seconds < 20 ? seconds : seconds < 120 ? Math.ceil(seconds / 10) * 10 : Math.ceil(seconds / 60) * 60
  const timeLeft =
    rounded < 60 ? text('run.seconds', { count: rounded }) : text('run.minutes', { count: Math.ceil(rounded / 60) })
  return `${bytes} · ${timeLeft}`
}

/** Announces each quarter of the progress, and the end, to screen readers. */
function Announcement({ run, entries, text, format }: AnnouncementProps) {
  const quarter = run === null ? null : Math.floor(runProgress(run, entries, 0).percent / 25) * 25
  const isDone = run === null && entries.every(({ status }) => status === 'completed' || status === 'error')
  const completed = entries.filter(({ status }) => status === 'completed').length
  return (
    <VisuallyHidden>
      <span role="status">
        {quarter !== null && quarter > 0 && text('run.quarter', { percent: format.percent(quarter, 0) })}
        {isDone && text('queue.done', { count: completed })}
      </span>
    </VisuallyHidden>
  )
}

/** Current time, updated every second for estimates. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

type RunProps = { run: UploadRun; entries: readonly QueueEntry[] }
type AnnouncementProps = {
  run: UploadRun | null
  entries: readonly QueueEntry[]
  text: Text<'upload'>
  format: Format
}
