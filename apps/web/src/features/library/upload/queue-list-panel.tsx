import { cutText } from '@mira/shared/constants/cut-text'
import { useQueryClient } from '@tanstack/react-query'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  CircleAlert,
  CircleCheck,
  Clock,
  LoaderCircle,
  Pause,
  RotateCw,
  Sparkles,
  TriangleAlert,
  X,
} from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { paths } from '../../../lib/session/paths.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MediaIcon } from '../../../ui/media-icon.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { ThumbhashImage } from '../../../ui/thumbhash-image.tsx'
import { folderPathOf, PREVIEW_CHARACTERS } from './check-files.ts'
import { type EntryStatus, likelyType, ProcessingFailure, type QueueEntry, type UploadResult } from './queue-entry.ts'
import { currentSteps, partialUploadsKey, stepsPercent, uploads } from './uploads.ts'

/** Beginning of a text on one line, truncated; null for an empty text. */
export function previewOf(text: string | null, maxCharacters: number): string | null {
  const line = text?.replace(/\s+/g, ' ').trim() ?? ''
  if (line === '') return null
  const codePoints = [...line]
  if (codePoints.length <= maxCharacters) return line
  return `${cutText(line, codePoints.slice(0, maxCharacters).join('').length)}…`
}

/** Summary of a processed file: its caption, and the beginnings of its text and transcript. */
function ResultPreview({ result }: { result: UploadResult }) {
  const text = useText('upload')
  const sentenceText = useSentenceText()
  const findings = [
    { name: text('result.caption'), value: result.caption },
    { name: text('result.extractedText'), value: previewOf(result.extractedText, PREVIEW_CHARACTERS) },
    { name: text('result.transcription'), value: previewOf(result.transcription, PREVIEW_CHARACTERS) },
  ].filter(({ value }) => value !== null)
  return (
    <div className="mt-1.5 text-13">
      {findings.length > 0 ? (
        <dl className="flex flex-col gap-1">
          {findings.map(({ name, value }) => (
            <div key={name} className="min-w-0">
              <dt className="inline font-medium">{name}: </dt>
              <dd className="inline text-muted">{value}</dd>
            </div>
          ))}
        </dl>
      ) : (
        result.failedSteps.length === 0 && <NothingRecognised skippedSteps={result.skippedSteps} />
      )}
      {result.failedSteps.map(({ name, error, error_told }) => (
        <p key={name} className="mt-1 flex items-start gap-1.5 text-warning-text">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0">
            {text('result.stepReason', { step: text(`steps.${name}`), reason: sentenceText(error ?? '', error_told) })}
          </span>
        </p>
      ))}
    </div>
  )
}

/** Lists the skipped steps with reasons; says that nothing was found only when no step was skipped. */
function NothingRecognised({ skippedSteps }: Pick<UploadResult, 'skippedSteps'>) {
  const text = useText('upload')
  const sentenceText = useSentenceText()
  if (skippedSteps.length === 0) return <p className="text-muted">{text('result.nothing')}</p>
  return skippedSteps.map(({ name, error, error_told }) => (
    <p key={name} className="text-muted">
      {text('result.stepReason', { step: text(`steps.${name}`), reason: sentenceText(error ?? '', error_told) })}
    </p>
  ))
}

const tones: Record<EntryStatus, BadgeTone> = {
  pending: 'neutral',
  uploading: 'accent',
  processing: 'ai',
  completed: 'success',
  error: 'danger',
}

const icons: Record<EntryStatus, typeof Clock> = {
  pending: Clock,
  uploading: LoaderCircle,
  processing: Sparkles,
  completed: CircleCheck,
  error: CircleAlert,
}

/** A file of the queue with its status, and its results or error. */
export const QueueRow = memo(function QueueRow({ entry }: { entry: QueueEntry }) {
  const text = useText('upload')
  const format = useFormat()
  const { file, status } = entry
  const Icon = icons[status]
  const folder = folderPathOf(file)
  const facts = [folder, format.bytes(file.size), entry.isDuplicate && text('entry.duplicate')].filter(Boolean)
  return (
    <div className="flex gap-3 px-3 py-3 sm:gap-4 sm:px-4">
      <Picture entry={entry} />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1.5">
          <div className="min-w-0 flex-1 basis-40">
            <p title={file.name} className="truncate text-14 font-medium">
              {file.name}
            </p>
            <p className="truncate text-12 text-muted tabular-nums">{facts.join(' · ')}</p>
          </div>
          <div className="flex shrink-0 items-center gap-1.5">
            <Badge
              tone={tones[status]}
              icon={<Icon aria-hidden className={status === 'uploading' ? 'animate-spin' : undefined} />}
              className="[&>span]:first-letter:uppercase"
            >
              {text(`status.${status}`)}
            </Badge>
            <RowAction entry={entry} />
          </div>
        </div>
        <RowState entry={entry} />
      </div>
    </div>
  )
})

function RowAction({ entry }: { entry: QueueEntry }) {
  const text = useText('upload')
  const common = useText('app')
  const queryClient = useQueryClient()
  const { id, file, status, mediaId, partialId } = entry
  if (status === 'uploading' && partialId !== null) {
    return (
      <IconButton
        name={text('entry.pause', { name: file.name })}
        icon={<Pause aria-hidden />}
        size="sm"
        onClick={uploads.stop}
      />
    )
  }
  if (status === 'pending') {
    return (
      <IconButton
        name={text('entry.remove', { name: file.name })}
        icon={<X aria-hidden />}
        size="sm"
        onClick={() => {
          void uploads.remove(id).then(() => queryClient.invalidateQueries({ queryKey: partialUploadsKey }))
          document.getElementById('queue-title')?.focus({ preventScroll: true })
        }}
      />
    )
  }
  if (status === 'error') {
    return (
      <Button
        size="sm"
        icon={<RotateCw aria-hidden />}
        aria-label={text('entry.retry', { name: file.name })}
        onClick={() => void uploads.retry(id)}
      >
        {common('common.retry')}
      </Button>
    )
  }
  if (status !== 'completed' || mediaId === null) return null
  return (
    <Link
      to={`${paths.gallery}/${mediaId}`}
      aria-label={text('entry.openNamed', { name: file.name })}
      className={buttonClass({ size: 'sm' })}
    >
      {text('entry.open')}
    </Link>
  )
}

/** Size from which checking takes long enough to be shown. */
const SLOWLY_CHECKED_BYTES = 16 * 1024 * 1024

function RowState({ entry }: { entry: QueueEntry }) {
  const text = useText('upload')
  const format = useFormat()
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const { file, status, progress, partialId, isWaiting, steps, error, result } = entry
  if (status === 'uploading') {
    return (
      <>
        {isWaiting && (
          <p role="status" className="mt-1.5 text-13 text-muted">
            {text('entry.reconnecting')}
          </p>
        )}
        <Progress className="mt-2" label={text('entry.sending', { name: file.name })} labelHidden value={progress} />
      </>
    )
  }
  if (status === 'pending' && partialId !== null) {
    const percent = format.percent(progress, 0)
    return <p className="mt-1.5 text-13 text-muted">{text('entry.paused', { percent })}</p>
  }
  if (status === 'pending' && entry.isUnchecked && file.size > SLOWLY_CHECKED_BYTES) {
    return <p className="mt-1.5 text-13 text-muted">{text('entry.checking')}</p>
  }
  if (status === 'processing') {
    const current = currentSteps(steps)
    const names = current.map(({ name, progress: part }) =>
      part > 0 && part < 1
        ? text('entry.stepPercent', { step: text(`steps.${name}`), percent: format.percent(part * 100, 0) })
        : text(`steps.${name}`),
    )
    const { queuePosition: position } = entry
    const waiting = position === null ? text('entry.waiting') : text('entry.queued', { position })
    return (
      <div className="mt-1.5">
        <p className="mb-1.5 truncate text-13 text-muted tabular-nums">
          {names.length > 0 ? names.join(' · ') : waiting}
        </p>
        <Progress
          label={text('entry.processingNamed', { name: file.name })}
          labelHidden
          tone="ai"
          value={stepsPercent(steps)}
        />
      </div>
    )
  }
  if (status === 'error') {
    const reason =
      error instanceof ProcessingFailure && error.message !== ''
        ? sentenceText(error.message, error.sentences)
        : errorText(error)
    return <p className="mt-1.5 text-13 text-danger-text">{text('entry.error', { reason })}</p>
  }
  return result && <ResultPreview result={result} />
}

/** The file itself if the browser can display it, or else the server's thumbnail, or else an icon of the file's type. */
function Picture({ entry }: { entry: QueueEntry }) {
  const type = entry.mediaType ?? likelyType(entry.file)
  const localUrl = useLocalPicture(entry.file)
  return (
    <span className="relative grid size-12 shrink-0 place-items-center overflow-hidden rounded-control border border-border bg-surface-sunken text-muted">
      <ThumbhashImage
        src={localUrl ?? entry.thumbnail}
        hash={entry.thumbhash}
        alt=""
        fallback={
          <span className="grid size-full place-items-center">
            <MediaIcon type={type} className="size-5" />
          </span>
        }
      />
    </span>
  )
}

/** Decoding costs memory, so larger files wait for the server's thumbnail. */
const LOCAL_PICTURE_MAX_BYTES = 15 * 1024 * 1024
const shownByBrowsers = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/bmp'])

function useLocalPicture(file: File): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!shownByBrowsers.has(file.type) || file.size > LOCAL_PICTURE_MAX_BYTES) return
    const objectUrl = URL.createObjectURL(file)
    setUrl(objectUrl)
    return () => URL.revokeObjectURL(objectUrl)
  }, [file])
  return url
}

/** Virtualised list of the queue's entries. */
export function QueueListPanel({ entries, rowPx }: QueueListPanelProps) {
  const list = useRef<HTMLUListElement>(null)
  const scrollMargin = useDistanceFromTop(list)
  const virtualizer = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => rowPx,
    getItemKey: (index) => entries[index]?.id ?? index,
    overscan: 8,
    scrollMargin,
  })
  const rows = virtualizer.getVirtualItems()
  return (
    <Card flush className="overflow-hidden">
      <ul ref={list} aria-labelledby="queue-title" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ index, key, start }) => {
          const entry = entries[index]
          return (
            entry && (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                aria-setsize={entries.length}
                aria-posinset={index + 1}
                className={classNames('absolute inset-x-0 top-0', index > 0 && 'border-t border-border')}
                style={{ transform: `translateY(${start - scrollMargin}px)` }}
              >
                <QueueRow entry={entry} />
              </li>
            )
          )
        })}
      </ul>
    </Card>
  )
}

/** Distance in pixels from the top of the document; updates when content above changes. */
function useDistanceFromTop(element: React.RefObject<HTMLElement | null>): number {
  const [distance, setDistance] = useState(0)
  useEffect(() => {
    const measure = () => {
      if (element.current) setDistance(Math.round(element.current.getBoundingClientRect().top + window.scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [element])
  return distance
}

export type QueueListPanelProps = {
  entries: readonly QueueEntry[]
  /** Estimated row height, until it's measured. */
  rowPx: number
}
