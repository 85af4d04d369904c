import type { AgentData, CalculationData, FilesData, NewsData, RemindersData } from '@mira/shared'
import { AlarmClock, CircleCheck, ExternalLink, Repeat } from 'lucide-react'
import { Link } from 'react-router-dom'
import { DueTime } from '../../../../lib/components/due-time.tsx'
import { RelativeTime } from '../../../../lib/components/relative-time.tsx'
import { clock, type Format, useFormat } from '../../../../lib/format/format.ts'
import { pageTextValues, type Text, useText } from '../../../../lib/i18n/i18n.ts'
import { useSettings } from '../../../../lib/session/settings.ts'
import { Badge } from '../../../../ui/badge.tsx'
import { Banner } from '../../../../ui/banner.tsx'
import { MediaIcon } from '../../../../ui/media-icon.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, Table } from '../../../../ui/table.tsx'
import { ThumbhashImage } from '../../../../ui/thumbhash-image.tsx'
import { SourceAge, WeatherCard } from './weather-card.tsx'

type FileItem = FilesData['items'][number]

/** Items from the user's memory, each with a link. */
function FileList({ data: { items, totals, action }, output }: { data: FilesData; output: string }) {
  const text = useText('agents')
  const format = useFormat()
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {totals !== undefined && totals.length > 0 && <Totals totals={totals} />}
      {items.length === 0 && totals === undefined && (
        <p className="text-14 text-muted">{action === 'counted' ? output : text('files.none')}</p>
      )}
      {items.length > 0 && (
        <ul className="grid gap-2 sm:grid-cols-2">
          {items.map((item) => (
            <li
              key={`${item.id} ${item.page ?? ''} ${item.timestamp_seconds ?? ''} ${item.snippet ?? ''}`}
              className="relative flex min-w-0 gap-3 rounded-card border border-border bg-surface-raised p-2.5 transition-colors hover:border-border-strong has-[a:focus-visible]:outline-2 has-[a:focus-visible]:outline-focus"
            >
              <div className="relative size-16 shrink-0 overflow-hidden rounded-control border border-border bg-surface-sunken">
                <ThumbhashImage
                  src={item.thumbnail}
                  hash={null}
                  alt=""
                  fit="cover"
                  // The top of a page is the most recognisable part.
                  className={item.media_type === 'document' ? '[&_img]:object-top' : undefined}
                  fallback={
                    <span className="grid size-full place-items-center text-muted">
                      <MediaIcon type={item.media_type} className="size-6" />
                    </span>
                  }
                />
              </div>
              <div className="min-w-0 flex-1">
                <h3 className="truncate text-14 font-medium">
                  <Link to={item.url} title={item.title} className="outline-none after:absolute after:inset-0">
                    {item.title}
                  </Link>
                </h3>
                {item.snippet !== null && <p className="line-clamp-2 text-13 break-words text-muted">{item.snippet}</p>}
                <p className="mt-0.5 flex flex-wrap gap-x-2 text-12 text-muted">
                  {detailsOf(item, text, format).map((detail) => (
                    <span key={detail}>{detail}</span>
                  ))}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function detailsOf(item: FileItem, text: Text<'agents'>, format: Format): string[] {
  return [
    text(`mediaTypes.${item.media_type}`),
    item.page === undefined ? null : text('files.page', pageTextValues(item.page, item.page_kind, item.page_title)),
    item.timestamp_seconds === undefined ? null : clock(item.timestamp_seconds),
    item.size_bytes === null ? null : format.bytes(item.size_bytes),
    format.takenDay({ ...item, timestamp: item.created_at }),
  ].filter((detail) => detail !== null)
}

function Totals({ totals }: { totals: NonNullable<FilesData['totals']> }) {
  const text = useText('agents')
  const format = useFormat()
  return (
    <div className="overflow-hidden rounded-card border border-border bg-surface-raised">
      <Table label={text('files.totals')}>
        <thead>
          <tr>
            <HeaderCell>{text('files.type')}</HeaderCell>
            <HeaderCell align="right">{text('files.count')}</HeaderCell>
            <HeaderCell align="right">{text('files.size')}</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {totals.map(({ media_type: type, count, size_bytes: size }) => (
            <Row key={type ?? 'all'}>
              <RowHeaderCell>{type === null ? text('files.all') : text(`mediaTypes.${type}`)}</RowHeaderCell>
              <Cell align="right">{format.number(count)}</Cell>
              <Cell align="right">{format.bytes(size)}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </div>
  )
}

/** News with their sources; all texts are untrusted and shown as plain text. */
function NewsList({ news }: { news: NewsData }) {
  const text = useText('agents')
  const format = useFormat()
  const { items, failed_feeds: failed, topic } = news
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {items.length === 0 ? (
        <p className="text-14 text-muted">{topic === null ? text('news.none') : text('news.noneAbout', { topic })}</p>
      ) : (
        <ol className="divide-y divide-border rounded-card border border-border bg-surface-raised">
          {items.map((item) => (
            <li key={`${item.url ?? ''} ${item.title}`} className="flex min-w-0 flex-col gap-1 px-4 py-3">
              <h3 className="text-14 font-medium break-words">
                {item.url === null ? (
                  item.title
                ) : (
                  <a
                    href={item.url}
                    target="_blank"
                    rel="noopener noreferrer"
                    className="rounded-control hover:text-accent-text hover:underline"
                  >
                    {item.title}
                    <ExternalLink aria-hidden className="ml-1.5 inline size-3.5 align-[-0.1em] text-muted" />
                    <span className="sr-only"> ({text('news.newTab')})</span>
                  </a>
                )}
              </h3>
              {item.summary !== null && <p className="line-clamp-3 text-13 break-words text-muted">{item.summary}</p>}
              <p className="flex flex-wrap gap-x-2 text-12 text-muted">
                <span>{item.source}</span>
                {item.published_at !== null && <RelativeTime moment={item.published_at} />}
              </p>
            </li>
          ))}
        </ol>
      )}
      {failed.length > 0 && (
        <Banner
          tone="warning"
          title={text('news.failed', { sources: format.list(failed.map(({ source }) => source)) })}
        >
          {failed[0]?.reason}
        </Banner>
      )}
      <SourceAge fetchedAt={news.fetched_at} isStale={news.is_stale} />
    </div>
  )
}

const statistics = ['count', 'sum', 'mean', 'median', 'minimum', 'maximum', 'standardDeviation'] as const

/** True for a statistic of a list of numbers; all other figures are unknowns of equations. */
function isStatistic(name: string): name is (typeof statistics)[number] {
  return statistics.some((one) => one === name)
}

/** Result of a calculation and the steps that led to it. */
function CalculationResult({ calculation }: { calculation: CalculationData }) {
  const text = useText('agents')
  const { question, result, is_exact: isExact, steps, figures } = calculation
  return (
    <div className="flex min-w-0 flex-col gap-3 rounded-card border border-border bg-surface-raised p-4">
      <p className="text-20 font-semibold break-words tabular-nums">
        {question !== '' && <span className="font-normal text-muted">{question} </span>}
        {question !== '' && <span className="font-normal text-muted">{isExact ? '= ' : '≈ '}</span>}
        {result}
      </p>
      {figures.length > 0 && (
        <dl className="grid gap-x-6 gap-y-1 text-14 sm:grid-cols-2">
          {figures.map(({ name, value }) => (
            <div key={`${name} ${value}`} className="flex justify-between gap-3 border-b border-border py-1">
              <dt className="text-muted">{isStatistic(name) ? text(`calculation.figures.${name}`) : name}</dt>
              <dd className="font-medium break-all tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {steps.length > 1 && (
        <section aria-label={text('calculation.steps')}>
          <h3 className="text-13 font-medium text-muted">{text('calculation.steps')}</h3>
          <ol className="mt-1 list-decimal pl-5 font-mono text-13">
            {steps.map((step, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps never move, and may be equal
              <li key={index} className="break-words">
                {step}
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  )
}

/** The reminders that a call was about. */
function RemindersResult({ data: { action, reminders } }: { data: RemindersData }) {
  const text = useText('agents')
  const { timezone } = useSettings()
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <p className="text-14 font-medium">
        {reminders.length === 0 ? text('reminders.none') : text(`reminders.${action}`, { count: reminders.length })}
      </p>
      {reminders.length > 0 && (
        <ul className="divide-y divide-border rounded-card border border-border bg-surface-raised">
          {reminders.map(({ id, text: reminderText, due_at, time_zone, recurrence, state }) => (
            <li key={id} className="flex min-w-0 items-center gap-3 px-4 py-2.5">
              {state === 'active' ? (
                <AlarmClock aria-hidden className="size-4 shrink-0 text-accent-text" />
              ) : (
                <CircleCheck aria-hidden className="size-4 shrink-0 text-success-text" />
              )}
              <span className="min-w-0 flex-1">
                <span className="block text-14 break-words">{reminderText}</span>
                <DueTime moment={due_at} zone={time_zone ?? timezone} className="text-12 text-muted" />
              </span>
              {recurrence !== null && <Badge icon={<Repeat aria-hidden />}>{recurrence}</Badge>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Result of an agent, rendered by kind; plain text when there's no structured data. */
export function AgentResult({ data, output }: { data: AgentData | null; output: string }) {
  switch (data?.kind) {
    case 'weather':
      return <WeatherCard weather={data} />
    case 'news':
      return <NewsList news={data} />
    case 'reminders':
      return <RemindersResult data={data} />
    case 'files':
      return <FileList data={data} output={output} />
    case 'calculation':
      return <CalculationResult calculation={data} />
    default:
      return <p className="text-14 break-words whitespace-pre-wrap">{output}</p>
  }
}
