import type { LogSentiment, LogType, MemoryLogEntryJson } from '@mira/shared'
import {
  ArrowRight,
  Bot,
  ChevronDown,
  CircleStop,
  CircleX,
  Frown,
  Images,
  type LucideIcon,
  Meh,
  MessageSquare,
  Search,
  Smile,
} from 'lucide-react'
import { useId, useState } from 'react'
import { Link } from 'react-router-dom'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { type Text, useText } from '../../../lib/i18n/i18n.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'

const typeIcons: Record<LogType, LucideIcon> = { chat: MessageSquare, media: Images, memory_search: Search, agent: Bot }

const sentimentBadges: Record<LogSentiment, { tone: BadgeTone; Icon: LucideIcon }> = {
  positive: { tone: 'success', Icon: Smile },
  neutral: { tone: 'neutral', Icon: Meh },
  negative: { tone: 'danger', Icon: Frown },
}

/** Entry of the timeline, which expands to its metrics and a link to its source. */
export function LogEntry({ entry }: { entry: MemoryLogEntryJson }) {
  const text = useText('memory-logs')
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const detailsId = useId()
  const {
    type,
    outcome,
    content,
    sentiment,
    content_type: contentType,
    agent_used: agent,
    processing_time: seconds,
  } = entry
  const Icon = outcome === 'failed' ? CircleX : outcome === 'interrupted' ? CircleStop : typeIcons[type]
  const Mood = sentiment && sentimentBadges[sentiment]
  const summary = [
    text(`filters.type.${type}`),
    contentType && contentType !== 'search' && contentType !== 'conversation'
      ? text(`filters.content_type.${contentType}`)
      : null,
    outcome === 'completed' ? null : text(`outcomes.${outcome}`),
    agent,
    seconds === null ? null : timeText(seconds, format),
  ]
  return (
    <li className="px-4 sm:px-5">
      <div className="flex items-center gap-x-3 gap-y-1 py-3 max-sm:flex-col max-sm:items-stretch">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={detailsId}
          onClick={() => setOpen(!isOpen)}
          className="-m-1 flex min-h-11 min-w-0 flex-1 items-center gap-3 rounded-control p-1 text-left shade-on-hover"
        >
          <span
            aria-hidden
            className={classNames(
              'grid size-9 shrink-0 place-items-center rounded-full',
              outcome === 'failed' ? 'bg-danger-soft text-danger-text' : 'bg-surface-sunken text-muted',
            )}
          >
            <Icon className="size-4" />
          </span>
          <span className="min-w-0 flex-1">
            <span
              className={classNames(
                'line-clamp-2 text-14 font-medium wrap-anywhere sm:line-clamp-1',
                content === null && 'text-muted',
              )}
            >
              {content || text('gone')}
            </span>
            <span className="mt-0.5 block truncate text-13 text-muted">{summary.filter(Boolean).join(' · ')}</span>
          </span>
          <ChevronDown
            aria-hidden
            className={classNames('size-4 shrink-0 text-muted transition-transform', isOpen && 'rotate-180')}
          />
        </button>
        <span className="flex shrink-0 flex-col items-end gap-1 max-sm:items-start max-sm:pl-12">
          <RelativeTime moment={entry.timestamp} className="text-12 text-muted" />
          {Mood && sentiment !== 'neutral' && (
            <Badge tone={Mood.tone} icon={<Mood.Icon aria-hidden />} className="max-sm:hidden">
              {text(`filters.sentiment.${sentiment}`)}
            </Badge>
          )}
        </span>
      </div>
      <div id={detailsId} hidden={!isOpen} className="pb-4 sm:pl-12">
        {isOpen && <Details entry={entry} />}
      </div>
    </li>
  )
}

function Details({ entry }: { entry: MemoryLogEntryJson }) {
  const text = useText('memory-logs')
  const format = useFormat()
  const passages = [
    ['content', entry.content],
    ['response', entry.response],
    ['captions', entry.captions?.filter((caption) => caption !== entry.response).join('\n') || null],
    ['extractedText', entry.extracted_text],
    ['transcription', entry.transcription],
  ] as const
  const metrics = metricsOf(entry, text, format)
  return (
    <div className="flex flex-col gap-3 rounded-control bg-surface-sunken p-4">
      {passages.map(
        ([name, passage]) =>
          passage && (
            <div key={name} className="min-w-0">
              <p className="text-12 font-medium text-muted">{text(`details.${name}`)}</p>
              <p className="mt-0.5 line-clamp-12 text-14 wrap-break-word whitespace-pre-wrap">{passage}</p>
            </div>
          ),
      )}
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-3">
        {metrics.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-12 text-muted">{text(`details.${name}`)}</dt>
            <dd className="text-13 wrap-break-word tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {entry.link && (
        <Link to={entry.link} className={buttonClass({ size: 'sm', className: 'self-start' })}>
          {text(`open.${linkTextKey(entry)}`)}
          <ArrowRight aria-hidden />
        </Link>
      )}
    </div>
  )
}

type MetricName = Exclude<
  keyof typeof import('../../../messages/en/memory-logs.json')['details'],
  'content' | 'response' | 'captions' | 'extractedText' | 'transcription'
>

/** Labelled values of an entry; missing values are left out. */
function metricsOf(entry: MemoryLogEntryJson, text: Text<'memory-logs'>, format: Format): [MetricName, string][] {
  const count = (value: number | null) => (value === null ? null : format.number(value))
  const metrics: [MetricName, string | null][] = [
    ['time', format.dateTime(entry.timestamp)],
    ['processingTime', entry.processing_time === null ? null : timeText(entry.processing_time, format)],
    ['tokens', count(entry.tokens)],
    ['agent', entry.agent_used],
    ['sentiment', entry.sentiment && text(`filters.sentiment.${entry.sentiment}`)],
    ['attached', entry.media_count === 0 ? null : count(entry.media_count)],
    ['searchTerms', (entry.search_terms?.length ?? 0) > 1 ? format.list(entry.search_terms ?? []) : null],
    ['results', count(entry.results_count)],
    ['duration', entry.duration === null ? null : format.duration(entry.duration)],
    ['keyFrames', count(entry.key_frames)],
  ]
  return metrics.filter((metric): metric is [MetricName, string] => metric[1] !== null)
}

function linkTextKey({ type, link, session_id }: MemoryLogEntryJson) {
  if (session_id !== null) return 'chat'
  return type === 'media' && link?.startsWith('/effects') ? 'effects' : type
}

/** Duration in words, or in ms below a second, which would often be shown as "0.0 s". */
function timeText(seconds: number, format: Format): string {
  return seconds < 1 ? `${format.number(seconds * 1000)} ms` : format.duration(seconds)
}
