import './print.css'
import type { AnalyticsJson, AnalyticsPeriod } from '@mira/shared'
import { can } from '@mira/shared/access'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Bot, MessageSquare, MessagesSquare, Printer, Users } from 'lucide-react'
import { useState } from 'react'
import { Area, AreaChart, CartesianGrid, Pie, PieChart, Tooltip, XAxis, YAxis } from 'recharts'
import { call, callPage } from '../../../lib/api/client.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { type Text, useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Select } from '../../../ui/select.tsx'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { StatCard, type StatCardProps } from '../../../ui/stat-card.tsx'
import { directionOf, FailedCard, StatCards, TabHeader } from '../dashboard-parts.tsx'
import { ChartCard, useNames } from './chart-card.tsx'
import { Heatmap } from './heatmap.tsx'
import { InsightsPanel, PerformancePanel } from './insights-panel.tsx'
import { axisProps, ChartTooltip, LegendDot, Picture, UsageChart } from './usage-chart.tsx'

/** Total Users, Active Sessions, Chat Messages and Agent Calls, each compared with the previous period. */
function SummaryCards({ data }: { data: AnalyticsJson | undefined }) {
  const text = useText('analytics')
  const format = useFormat()
  const user = useUser()
  const overview = data?.overview
  const figure = (key: CardFigure) => ({
    loading: !overview,
    label: text(`cards.${key}`),
    value: overview ? format.number(overview[key]) : null,
    explanation: text(`cards.explain.${key}`),
    className: 'min-h-31 break-inside-avoid',
  })
  const trend = (key: CardFigure) => data && trendOf(data, key, text, format)
  return (
    <StatCards label={text('cards.label')}>
      <StatCard
        {...figure('total_users')}
        {...(can(user, 'admin') ? trend('total_users') : { explanation: text('cards.explain.total_users_own') })}
        icon={<Users />}
      />
      <StatCard
        {...figure('active_sessions')}
        icon={<MessagesSquare />}
        note={overview && text('cards.ofSessions', { count: overview.total_sessions })}
      />
      <StatCard {...figure('chat_messages')} {...trend('chat_messages')} icon={<MessageSquare />} />
      <StatCard {...figure('agent_calls')} {...trend('agent_calls')} icon={<Bot />} />
    </StatCards>
  )
}

type CardFigure = 'total_users' | 'active_sessions' | 'chat_messages' | 'agent_calls'

/** Arrow with the change in percent, or a note that there's nothing to compare with. */
function trendOf(
  { overview, period }: AnalyticsJson,
  key: CardFigure,
  text: Text<'analytics'>,
  format: Format,
): Pick<StatCardProps, 'change' | 'note'> {
  const change = overview.trends[key]
  if (change === null) return { note: text('cards.noTrend') }
  const signedChange = `${change > 0 ? '+' : ''}${format.percent(change)}`
  return {
    change: {
      direction: directionOf(change),
      tone: change > 0 ? 'good' : 'neutral',
      text: text(`cards.against.${period}`, { change: signedChange }),
    },
  }
}

/** Feature Usage Distribution: share of each of the four features. */
function FeatureChart({ data: { features, period } }: { data: AnalyticsJson }) {
  const text = useText('analytics')
  const format = useFormat()
  const share = (value: number | null) => (value === null ? '—' : format.percent(value))
  const slices = features.map((feature) => ({ ...feature, fill: `var(--${feature.color})` }))
  return (
    <ChartCard
      title={text('features.title')}
      description={text('features.description', { assistant: assistantName() })}
      fileName={`feature_usage_${period}`}
      isEmpty={features.every(({ count }) => count === 0)}
      table={{
        columns: [text('columns.feature'), text('columns.count'), text('columns.percent')],
        rows: features.map(({ name, count, value }) => [text(`featureNames.${name}`), count, value]),
      }}
    >
      <div className="flex flex-1 flex-wrap items-center justify-center gap-x-8 gap-y-4">
        <Picture
          label={text('features.picture', {
            summary: format.list(features.map(({ name, value }) => `${text(`featureNames.${name}`)} ${share(value)}`)),
          })}
        >
          <PieChart responsive accessibilityLayer={false} className="size-48">
            <Pie
              data={slices}
              dataKey="count"
              nameKey="name"
              innerRadius="58%"
              outerRadius="100%"
              stroke="var(--surface-raised)"
              strokeWidth={2}
              startAngle={90}
              endAngle={-270}
              isAnimationActive={false}
            />
          </PieChart>
        </Picture>
        <ul className="flex min-w-56 flex-1 flex-col gap-2 text-13">
          {slices.map(({ name, value, count, fill }) => (
            <li key={name} className="flex items-center gap-2">
              <LegendDot color={fill} />
              <span className="min-w-0 flex-1">{text(`featureNames.${name}`)}</span>
              <span className="text-muted tabular-nums">{format.number(count)}</span>
              <span className="w-16 text-right font-medium tabular-nums">{share(value)}</span>
            </li>
          ))}
        </ul>
      </div>
    </ChartCard>
  )
}

/** Hourly Activity Pattern: use by hour of the day. */
function HourlyChart({ data: { hourly, period, time_zone: timeZone } }: { data: AnalyticsJson }) {
  const text = useText('analytics')
  const format = useFormat()
  const names = useNames()
  const busiest = hourly.reduce((top, row) => (row.count > top.count ? row : top))
  return (
    <ChartCard
      title={text('hourly.title')}
      description={text('hourly.description', { zone: timeZone })}
      fileName={`hourly_activity_${period}`}
      isEmpty={busiest.count === 0}
      table={{
        columns: [text('columns.hour'), text('columns.count'), text('columns.users')],
        rows: hourly.map(({ hour, count, users }) => [names.hour(hour), count, users]),
      }}
    >
      <Picture label={text('hourly.picture', { hour: names.hour(busiest.hour), count: format.number(busiest.count) })}>
        <AreaChart
          responsive
          accessibilityLayer={false}
          data={hourly}
          className="h-56 w-full"
          margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
        >
          <CartesianGrid stroke="var(--border)" vertical={false} />
          <XAxis {...axisProps} dataKey="hour" tickFormatter={names.hour} minTickGap={20} />
          <YAxis
            {...axisProps}
            width="auto"
            allowDecimals={false}
            tickFormatter={(value: number) => format.number(value)}
          />
          <Tooltip
            cursor={{ stroke: 'var(--border-strong)' }}
            content={(props) => <ChartTooltip {...props} nameOf={(label) => names.hour(Number(label))} />}
          />
          <Area
            dataKey="count"
            name={text('columns.count')}
            type="monotone"
            stroke="var(--data-1)"
            strokeWidth={2}
            fill="var(--data-1)"
            fillOpacity={0.16}
            isAnimationActive={false}
          />
        </AreaChart>
      </Picture>
    </ChartCard>
  )
}

/** Periods in the order of the menu. */
const periods = ['day', 'week', 'month', 'quarter'] as const satisfies AnalyticsPeriod[]

/** Time that recalculating changed figures usually takes; also the polling interval until it's done. */
const RECALCULATION_MS = 3000

/** Figures of a period in the user's time zone; the previous ones stay until the new ones are loaded. */
function analyticsQuery(period: AnalyticsPeriod, userId: string | null, timeZone: string) {
  return queryOptions({
    queryKey: ['analytics', period, userId, timeZone],
    queryFn: ({ signal }) => call('GET /analytics', { signal, query: { period, user_id: userId } }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.as_of ? RECALCULATION_MS : false),
  })
}

/** Maximum number of users in the filter; the others are found by searching. */
const MAX_USERS = 100

/** Users whose figures an administrator can choose. */
function usersQuery(query: string) {
  return queryOptions({
    queryKey: ['analytics', 'people', query],
    queryFn: ({ signal }) =>
      callPage('GET /admin/users', { signal, query: { query: query || null, cursor: null, limit: MAX_USERS } }),
    placeholderData: keepPreviousData,
  })
}

const EVERYONE = 'everyone'

/** Filter for everyone or one user, for administrators; with a search box if there are many users. */
function UserFilter({ userId, onChange }: { userId: string | null; onChange: (userId: string | null) => void }) {
  const text = useText('analytics')
  const [search, setSearch] = useState('')
  const { data } = useQuery(usersQuery(search))
  const users = data?.items ?? []
  const hasSearch = search !== '' || (data?.nextCursor ?? null) !== null
  const isListed = userId === null || users.some(({ id }) => id === userId)
  return (
    <div className="flex flex-wrap items-end gap-2">
      {hasSearch && (
        <SearchField
          label={text('people.search')}
          clearLabel={text('people.clear')}
          placeholder={text('people.search')}
          value={search}
          onValueChange={setSearch}
          className="w-44"
        />
      )}
      <Select
        label={text('people.label')}
        labelHidden
        className="w-48"
        value={userId ?? EVERYONE}
        onValueChange={(value) => onChange(value === EVERYONE ? null : value)}
        options={[
          { value: EVERYONE, label: text('people.everyone') },
          ...(isListed ? [] : [{ value: userId, label: text('people.chosen') }]),
          ...users.map(({ id, full_name: name, username }) => ({
            value: id,
            label: name ? `${name} (${username})` : username,
          })),
        ]}
      />
    </div>
  )
}

/** The Analytics tab: use and performance over a period. */
export function AnalyticsTab() {
  const text = useText('analytics')
  const format = useFormat()
  const { role } = useUser()
  const { timezone } = useSettings()
  const [period, setPeriod] = useState<AnalyticsPeriod>('week')
  const [userId, setUserId] = useState<string | null>(null)
  const query = useQuery(analyticsQuery(period, userId, timezone))
  const { data } = query
  const isAdmin = role === 'admin'
  return (
    <div data-prints="" className="flex flex-col gap-5">
      <TabHeader
        title={text('title')}
        subtitle={
          <>
            <p className="mt-1 text-14 text-muted">
              {text(isAdmin ? (userId === null ? 'subtitle.everyone' : 'subtitle.one') : 'subtitle.own', {
                assistant: assistantName(),
              })}
            </p>
            <p className="hidden text-13 text-muted print:block">{text(`periods.${period}`)}</p>
          </>
        }
      >
        <div className="flex flex-wrap items-end gap-2 print:hidden">
          {isAdmin && <UserFilter userId={userId} onChange={setUserId} />}
          <Select
            label={text('periods.label')}
            labelHidden
            className="w-40"
            value={period}
            onValueChange={setPeriod}
            options={periods.map((value) => ({ value, label: text(`periods.${value}`) }))}
          />
          <IconButton
            name={text('print')}
            icon={<Printer />}
            variant="secondary"
            size="lg"
            disabled={!data}
            onClick={() => window.print()}
          />
        </div>
      </TabHeader>
      {query.isLoadingError && <FailedCard query={query} />}
      {!query.isLoadingError && (
        <div
          aria-busy={query.isPlaceholderData}
          className={classNames('flex flex-col gap-5 transition-opacity', query.isPlaceholderData && 'opacity-60')}
        >
          {data?.as_of && (
            <p role="status" className="text-13 text-muted">
              {text('as_of', { time: format.time(data.as_of) })}
            </p>
          )}
          <SummaryCards data={data} />
          {data ? (
            <>
              <PerformancePanel data={data} />
              <div className="grid grid-cols-1 gap-5 lg:grid-cols-5 print:grid-cols-1">
                <div className="min-w-0 *:h-full lg:col-span-3">
                  <UsageChart data={data} />
                </div>
                <div className="min-w-0 *:h-full lg:col-span-2">
                  <FeatureChart data={data} />
                </div>
              </div>
              <HourlyChart data={data} />
              <Heatmap key={`${period} ${userId}`} data={data} />
              <InsightsPanel data={data} />
            </>
          ) : (
            <LoadingRegion label={text('loading')} className="flex flex-col gap-5">
              <Skeleton className="h-32 rounded-card" />
              <Skeleton className="h-80 rounded-card" />
              <Skeleton className="h-64 rounded-card" />
            </LoadingRegion>
          )}
        </div>
      )}
    </div>
  )
}
