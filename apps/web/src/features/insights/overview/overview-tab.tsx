import { type Access, can } from '@mira/shared/access'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { Bot, Brain, Gauge, Images, Lock, type LucideIcon, MessageSquare, MessagesSquare, Upload } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../../lib/api/client.ts'
import { useShortcutsEnabled } from '../../../lib/browser/keyboard.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { type Text, useText } from '../../../lib/i18n/i18n.ts'
import { type ClientEvent, useUserEvents } from '../../../lib/loading/event-stream.ts'
import { useThrottledAction } from '../../../lib/loading/use-throttled-action.ts'
import { pageShortcuts, paths } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { BrandMark } from '../../../ui/brand-mark.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { StatCard, type StatCardProps } from '../../../ui/stat-card.tsx'
import { directionOf, FailedCard, StatCards } from '../dashboard-parts.tsx'
import { FailedItems } from './failed-items.tsx'
import { FirstSteps } from './first-steps.tsx'
import { figuresQuery, refreshOverview } from './overview-queries.ts'
import { RecentActivity } from './recent-activity.tsx'
import { SystemHealth } from './system-health.tsx'

/** The four cards: totals, and the last week compared with the week before. */
function OverviewCards() {
  const text = useText('overview')
  const format = useFormat()
  const query = useQuery(figuresQuery)
  const { data } = query

  if (query.isLoadingError) return <FailedCard query={query} />
  const common = { loading: !data }
  return (
    <StatCards label={text('cards.label')}>
      <StatCard
        {...common}
        label={text('cards.chatSessions')}
        className="min-h-31"
        icon={<MessagesSquare />}
        value={data ? format.number(data.chat_sessions) : null}
        {...countChange(data?.change.chat_sessions, text, format)}
        explanation={text('cards.explain.chatSessions')}
      />
      <StatCard
        {...common}
        label={text('cards.mediaItems')}
        className="min-h-31"
        icon={<Images />}
        value={data ? format.number(data.media_items) : null}
        {...countChange(data?.change.media_items, text, format)}
        explanation={text('cards.explain.mediaItems')}
      />
      <StatCard
        {...common}
        label={text('cards.agentCalls')}
        className="min-h-31"
        icon={<Bot />}
        value={data ? format.number(data.agent_calls) : null}
        {...countChange(data?.change.agent_calls, text, format)}
        explanation={text('cards.explain.agentCalls')}
      />
      <StatCard
        {...common}
        label={text('cards.efficiency')}
        className="min-h-31"
        icon={<Gauge />}
        value={data && data.efficiency !== null ? format.percent(data.efficiency) : null}
        {...(data?.efficiency === null
          ? { note: text('cards.notMeasured') }
          : efficiencyChange(data?.change.efficiency, text, format))}
        explanation={
          data && data.efficiency === null ? text('cards.explain.noEfficiency') : text('cards.explain.efficiency')
        }
      />
    </StatCards>
  )
}

type Comparison = Pick<StatCardProps, 'change' | 'note'>

const signOf = (change: number) => (change > 0 ? '+' : '−')

/** Change of a count, without a colour: neither an increase nor a decrease is good or bad. */
function countChange(change: number | null | undefined, text: Text<'overview'>, format: Format): Comparison {
  if (change === undefined) return {}
  if (change === null) return { note: text('cards.noComparison') }
  const signedChange = `${signOf(change)}${format.number(Math.abs(change))}`
  return {
    change: {
      text: change === 0 ? text('cards.same') : text('cards.change', { change: signedChange }),
      direction: directionOf(change),
      tone: 'neutral',
    },
  }
}

function efficiencyChange(change: number | null | undefined, text: Text<'overview'>, format: Format): Comparison {
  if (change === undefined) return {}
  if (change === null) return { note: text('cards.noComparison') }
  const points = Math.abs(change)
  const signedChange = `${signOf(change)}${format.number(points, Number.isInteger(points) ? 0 : 1)}`
  return {
    change: {
      text: change === 0 ? text('cards.same') : text('cards.changePoints', { points, change: signedChange }),
      direction: directionOf(change),
      tone: change > 0 ? 'good' : change < 0 ? 'bad' : 'neutral',
    },
  }
}

interface Action {
  /** Also the key of its messages: `actions.<name>.title` and `actions.<name>.text`. */
  name: 'chat' | 'upload' | 'search' | 'agents'
  path: string
  access: Access
  Icon: LucideIcon
}

/** Targets of the tiles, with the access that each requires. */
const actions: readonly Action[] = [
  { name: 'chat', path: paths.chat, access: 'chat', Icon: MessageSquare },
  { name: 'upload', path: paths.upload, access: 'upload', Icon: Upload },
  { name: 'search', path: paths.memory, access: 'upload', Icon: Brain },
  { name: 'agents', path: paths.agents, access: 'agents', Icon: Bot },
]

/** Tiles for the most common actions, each with a keyboard shortcut. */
function QuickActions() {
  const text = useText('overview')
  return (
    <section aria-labelledby="quick-actions">
      <h2 id="quick-actions" className="mb-3 text-16 font-semibold tracking-tight">
        {text('actions.title')}
      </h2>
      <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-4 xl:grid-cols-4">
        {actions.map((action) => (
          <li key={action.name} className="grid min-w-0">
            <ActionTile {...action} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ActionTile({ name, path, access, Icon }: Action) {
  const text = useText('overview')
  const isAllowed = can(useUser(), access)
  const [areShortcutsEnabled] = useShortcutsEnabled()
  const title = text(`actions.${name}.title`)
  const letter = areShortcutsEnabled ? pageShortcuts.get(path)?.toUpperCase() : undefined
  if (!isAllowed) {
    return (
      <div
        aria-disabled
        className="flex items-center gap-3.5 rounded-card border border-dashed border-border p-4 text-muted"
      >
        <span aria-hidden className="grid size-10 shrink-0 place-items-center rounded-control bg-surface-sunken">
          <Icon className="size-5 opacity-55" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block text-14 font-medium">{title}</span>
          <span className="block text-13">{text('actions.restricted')}</span>
        </span>
        <Lock aria-hidden className="size-4 shrink-0" />
      </div>
    )
  }
  return (
    <Link
      to={path}
      aria-keyshortcuts={letter}
      className="group flex items-center gap-3.5 rounded-card border border-border bg-surface-raised p-4 shade-on-hover transition-colors hover:border-border-strong"
    >
      <span
        aria-hidden
        className="grid size-10 shrink-0 place-items-center rounded-control bg-accent-soft text-accent-text transition-colors group-hover:bg-accent group-hover:text-on-accent"
      >
        <Icon className="size-5" />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block text-14 font-medium">{title}</span>
        <span className="block text-13 text-pretty text-muted">
          {text(`actions.${name}.text`, { assistant: assistantName() })}
        </span>
      </span>
      {letter && (
        <span aria-hidden className="shrink-0 self-start pointer-coarse:hidden">
          <Kbd>{letter}</Kbd>
        </span>
      )}
    </Link>
  )
}

const figureNames = ['messages', 'uploads', 'searches', 'agent_calls'] as const
const highlightKinds = ['asked', 'added', 'found'] as const

const weekSummaryQuery = (language: string) =>
  queryOptions({
    queryKey: ['overview', 'own-week', language],
    queryFn: ({ signal }) => call('GET /me/summaries', { signal, query: { limit: 1 } }),
    staleTime: 60_000,
  })

/** Summary of the user's last week with links to details; hidden until there is one. */
function WeekSummary() {
  const text = useText('overview')
  const format = useFormat()
  const { language } = useSettings()
  const [summary] = useQuery(weekSummaryQuery(language)).data?.summaries ?? []
  if (summary === undefined) return null
  const { figures, highlights } = summary
  return (
    <Card>
      <CardHeader
        title={text('week.title')}
        description={text(summary.is_so_far ? 'week.weekSoFar' : 'week.week', {
          date: format.date(`${summary.week_start}T12:00:00Z`),
          time: format.dateTime(summary.generated_at),
        })}
      />
      <p className="text-14">{summary.summary_text}</p>
      <dl className="mt-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figureNames.map((name) => {
          const figure = figures.find((one) => one.name === name)
          return (
            figure && (
              <div key={name} className="min-w-0">
                <dt className="text-13 text-muted">{text(`week.figures.${name}`)}</dt>
                <dd className="text-20 font-semibold tabular-nums">
                  <Link to={figure.link} className="hover:underline">
                    {format.number(figure.value)}
                  </Link>
                </dd>
              </div>
            )
          )
        })}
      </dl>
      {highlights.length > 0 && (
        <div className="mt-4 grid gap-4 text-14 sm:grid-cols-3">
          {highlightKinds.map((kind) => {
            const ofKind = highlights.filter((one) => one.kind === kind)
            return (
              ofKind.length > 0 && (
                <div key={kind} className="min-w-0">
                  <h3 className="text-13 text-muted">{text(`week.${kind}`)}</h3>
                  <ul className="mt-1 flex flex-col gap-1">
                    {ofKind.map(({ title, link }) => (
                      <li key={link} className="truncate">
                        <Link to={link} className="hover:underline">
                          {title}
                        </Link>
                      </li>
                    ))}
                  </ul>
                </div>
              )
            )
          })}
        </div>
      )}
    </Card>
  )
}

/** Banner that greets the user and explains the page. */
function WelcomeBanner() {
  const text = useText('overview')
  return (
    <section className="rounded-card border border-accent/20 bg-accent-soft p-4 sm:p-5">
      <div className="flex items-center gap-4 sm:gap-5">
        <BrandMark className="size-12 shrink-0 max-sm:size-10 max-sm:self-start" />
        <div className="min-w-0">
          <h2 className="text-20 font-semibold">{text('banner.title', { assistant: assistantName() })}</h2>
          <p className="mt-1 text-14 text-pretty text-muted">{text('banner.text')}</p>
        </div>
      </div>
      <FirstSteps />
    </section>
  )
}

/** Events that refresh the overview, from this or another device. */
const refreshingEvents: ReadonlySet<ClientEvent['type']> = new Set([
  ...(['chat.updated', 'media.updated', 'media.done', 'media.failed', 'effect.progress'] as const),
  ...(['activity.recorded', 'reminder.due', 'account.updated', 'events.resumed'] as const),
])

/** The Overview tab: figures, shortcuts, recent activity and system health; reminders and new items are passed in. */
export function OverviewTab({ upNext, recentlyAdded }: { upNext?: ReactNode; recentlyAdded?: ReactNode }) {
  const queryClient = useQueryClient()
  const refreshSoon = useThrottledAction(() => void refreshOverview(queryClient))
  useUserEvents((event) => {
    const isDone = event.type !== 'effect.progress' || event.done === event.total
    if (refreshingEvents.has(event.type) && isDone) refreshSoon()
  })

  return (
    <div className="flex flex-col gap-6">
      <WelcomeBanner />
      <OverviewCards />
      <QuickActions />
      {upNext}
      <FailedItems />
      {recentlyAdded}
      <WeekSummary />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <RecentActivity />
        <SystemHealth />
      </div>
    </div>
  )
}
