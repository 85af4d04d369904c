import type { Analytics, AnalyticsFeature, AnalyticsFigure, AnalyticsInsight, AnalyticsPeriod } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { HourFigures, PeriodTimes, Sums, Uses } from './activity-sums.ts'
import type { AnalyticsStore } from './analytics.store.ts'
import { createZoneClock, hourKeyOf, type PeriodRanges, rangesOf } from './analytics-period.ts'
import { type ClassCounts, percentileMs } from './hour-rows.ts'
import type { RollupsService } from './rollups.service.ts'

/** Number of all uses. */
const usesOf = ({ chat, upload, agents, search, effects }: Uses): number => chat + upload + agents + search + effects

/** Change in percent, with one decimal; null when a figure is unknown or the previous one is 0. */
function changeOf(current: number | null, previous: number | null): number | null {
  return current === null || previous === null || previous === 0
    ? null
    : tenths((100 * (current - previous)) / previous)
}

const tenths = (figure: number): number => Math.round(figure * 10) / 10
const hundredths = (figure: number): number => Math.round(figure * 100) / 100

/** A row for every point of the chart, including ones without activity. */
function usageRows(hours: readonly HourFigures[], { points, pointOf }: PeriodRanges): Analytics['usage'] {
  const isByHour = points.length === 24 && points[1]?.diff(points[0]!).as('hours') === 1
  const rows = new Map(
    points.map((point) => {
      const date = isByHour ? hourKeyOf(point) : (point.toISODate() ?? '')
      return [date, { date, chat: 0, upload: 0, agents: 0, search: 0 }]
    }),
  )
  for (const figures of hours) {
    const row = rows.get(pointOf(figures.hour))
    if (row !== undefined) for (const key of ['chat', 'upload', 'agents', 'search'] as const) row[key] += figures[key]
  }
  return [...rows.values()]
}

/** Usage by hour of the day and by weekday. When clocks change, a repeated hour counts twice and a skipped one not at all. */
function patternsOf(
  hours: readonly HourFigures[],
  { timeZone, days }: { timeZone: string; days: number },
): Pick<Analytics, 'hourly' | 'heatmap'> {
  const hourly = Array.from({ length: 24 }, (_, hour) => ({ hour, users: 0, count: 0, intensity: 0 }))
  const heatmap = Array.from({ length: 7 * 24 }, (_, cell) => ({
    day: Math.floor(cell / 24),
    hour: cell % 24,
    value: 0,
    intensity: 0,
  }))
  const clock = createZoneClock(timeZone)
  for (const figures of hours) {
    const { hour, weekday } = clock(figures.hour)
    const hourRow = hourly[hour]!
    hourRow.count += usesOf(figures)
    hourRow.users += figures.users
    heatmap[weekday * 24 + hour]!.value += usesOf(figures)
  }
  const maxOfDay = Math.max(...hourly.map(({ count }) => count), 1)
  const maxOfWeek = Math.max(...heatmap.map(({ value }) => value), 1)
  return {
    hourly: hourly.map((row) => ({
      ...row,
      users: hundredths(row.users / days),
      intensity: hundredths(row.count / maxOfDay),
    })),
    heatmap: heatmap.map((cell) => ({ ...cell, intensity: hundredths(cell.value / maxOfWeek) })),
  }
}

function featureRows({ chat, upload, agents, search }: Sums): Analytics['features'] {
  const total = chat + upload + agents + search
  const row = (name: AnalyticsFeature, count: number, color: Analytics['features'][number]['color']) => ({
    name,
    count,
    color,
    value: total === 0 ? null : tenths((100 * count) / total),
  })
  return [
    row('Chat', chat, 'data-1'),
    row('Media Upload', upload, 'data-2'),
    row('Agents', agents, 'data-3'),
    row('Memory Search', search, 'data-4'),
  ]
}

const seconds = (counts: ClassCounts, share: number): number | null => {
  const milliseconds = percentileMs(counts, share)
  return milliseconds === null ? null : Number((milliseconds / 1000).toPrecision(3))
}

/** Failed requests, in percent of completed and failed ones. */
const errorRate = ({ completed, failed }: Sums): number | null =>
  completed + failed === 0 ? null : hundredths((100 * failed) / (completed + failed))

/** Changes below this percentage count as stable. */
const STABLE_PERCENT = 2

/** Performance in a period, with the change since the previous period. `previous` is null when that period isn't fully known. */
function performanceRows(
  current: { sums: Sums; times: PeriodTimes },
  previous: { sums: Sums; times: PeriodTimes } | null,
): Analytics['performance'] {
  type Row = Analytics['performance'][number]
  const row = (metric: Row['metric'], value: number | null, change: number | null, unit: Row['unit']): Row => ({
    metric,
    value,
    unit,
    change,
    trend: change === null ? null : Math.abs(change) < STABLE_PERCENT ? 'stable' : change > 0 ? 'up' : 'down',
  })
  const time = (metric: Row['metric'], times: keyof PeriodTimes, share: number) => {
    const value = seconds(current.times[times], share)
    return row(metric, value, changeOf(value, previous && seconds(previous.times[times], share)), 'seconds')
  }
  const rate = errorRate(current.sums)
  const rateBefore = previous && errorRate(previous.sums)
  const points = rate === null || rateBefore === null ? null : hundredths(rate - rateBefore)
  return [
    time('response_time_p50', 'response', 0.5),
    time('response_time_p95', 'response', 0.95),
    time('time_to_first_token', 'first_token', 0.5),
    {
      ...row('error_rate', rate, points, 'percent'),
      // An error rate of a few percent changes only by fractions of a percentage point.
      trend: points === null ? null : Math.abs(points) < 0.1 ? 'stable' : points > 0 ? 'up' : 'down',
    },
    time('ingestion_time', 'ingestion', 0.5),
  ]
}

/** Insights from the figures; `previous` is null when the previous period isn't fully known. */
function insightsOf(
  figures: Pick<Analytics, 'hourly' | 'heatmap' | 'features' | 'performance'>,
  { sums, previous, activeUsers }: { sums: Sums; previous: Sums | null; activeUsers: number },
): AnalyticsInsight[] {
  const uses = usesOf(sums)
  const busiestHour = figures.hourly.reduce((max, row) => (row.count > max.count ? row : max))
  const days = Array.from({ length: 7 }, (_, day) => ({
    day,
    count: figures.heatmap.filter((cell) => cell.day === day).reduce((sum, { value }) => sum + value, 0),
  }))
  const busiestDay = days.reduce((max, row) => (row.count > max.count ? row : max))
  const usesBefore = previous === null ? null : usesOf(previous)
  const growth = changeOf(uses, usesBefore)
  const measure = (metric: Analytics['performance'][number]['metric']) =>
    figures.performance.find((row) => row.metric === metric)
  const p50 = measure('response_time_p50')?.value ?? null
  const p95 = measure('response_time_p95')?.value ?? null
  const topFeature = figures.features.reduce((max, row) => (row.count > max.count ? row : max))
  return [
    {
      kind: 'peak_usage',
      numbers:
        uses === 0
          ? null
          : {
              hour: busiestHour.hour,
              count: busiestHour.count,
              share: tenths((100 * busiestHour.count) / uses),
              day: busiestDay.day,
              day_count: busiestDay.count,
            },
    },
    {
      kind: 'growth',
      numbers: growth === null ? null : { current: uses, previous: usesBefore ?? 0, change: growth },
    },
    {
      kind: 'performance',
      numbers:
        p50 === null || p95 === null
          ? null
          : {
              p50,
              p95,
              error_rate: measure('error_rate')?.value ?? null,
              change: measure('response_time_p50')?.change ?? null,
            },
    },
    {
      kind: 'user_behavior',
      numbers:
        topFeature.count === 0 || activeUsers === 0
          ? null
          : {
              feature: topFeature.name,
              share: tenths((100 * topFeature.count) / uses),
              active_users: activeUsers,
              uses_per_user: tenths(uses / activeUsers),
            },
    },
  ]
}

interface AnalyticsRequest {
  caller: { id: string; isAdmin: boolean; timeZone: string }
  period: AnalyticsPeriod
  /** User whose figures to read. When undefined, an administrator reads everybody's figures, and any other caller their own. */
  userId?: string | undefined
  now?: Date
}

/** Figures of a period; null where nothing was measured. */
export function createAnalyticsService({ store, rollups }: { store: AnalyticsStore; rollups: RollupsService }) {
  /** Id of the user whose figures to read; null for everybody's. @throws NotFoundError */
  const scopeOf = async ({ caller, userId }: AnalyticsRequest): Promise<string | null> => {
    if (!caller.isAdmin) {
      if (userId !== undefined && userId !== caller.id) throw new NotFoundError('There is no such user.')
      return caller.id
    }
    if (userId === undefined) return null
    if (!(await store.hasUser(userId))) throw new NotFoundError('There is no such user.')
    return userId
  }

  return {
    /** Reads the analytics of a period. @throws NotFoundError for a user that doesn't exist or that the caller may not see. */
    async read(request: AnalyticsRequest): Promise<Analytics> {
      const { caller, period, now = new Date() } = request
      const scope = await scopeOf(request)
      const asOf = await rollups.missingSince()
      const ranges = rangesOf(period, caller.timeZone, now)
      const { current, previous } = ranges
      const [{ hours, sums, times, sessions }, previousFigures, users, active] = await Promise.all([
        store.figures(scope, current),
        store.figures(scope, previous),
        store.users(scope, current, previous),
        store.activeSessions(scope, now),
      ])
      // A user who joined during the previous period has nothing to compare with.
      const isComparable = users.since !== null && users.since <= previous.from
      const comparable = isComparable ? previousFigures : null
      const days = Math.max(1, (current.until.getTime() - current.from.getTime()) / (24 * 60 * 60 * 1000))

      const figures = {
        total_users: users.total,
        active_users: users.active,
        total_sessions: sessions.count,
        active_sessions: active.filter(sessions.has).length,
        avg_session_time: sessions.averageSeconds === null ? null : tenths(sessions.averageSeconds),
        chat_messages: sums.chat,
        media_uploads: sums.upload,
        agent_calls: sums.agents,
        search_queries: sums.search,
      } satisfies Record<AnalyticsFigure, number | null>
      const figuresBefore: Record<AnalyticsFigure, number | null> = {
        total_users: users.totalBefore,
        active_users: users.activeBefore,
        total_sessions: previousFigures.sessions.count,
        // Nothing records which conversations were open at an earlier time.
        active_sessions: null,
        avg_session_time: previousFigures.sessions.averageSeconds,
        chat_messages: comparable?.sums.chat ?? 0,
        media_uploads: comparable?.sums.upload ?? 0,
        agent_calls: comparable?.sums.agents ?? 0,
        search_queries: comparable?.sums.search ?? 0,
      }
      const trendOf = (key: AnalyticsFigure) =>
        comparable === null ? null : changeOf(figures[key], figuresBefore[key])
      const keys = Object.keys(figures) as AnalyticsFigure[]

      const patterns = patternsOf(hours, { timeZone: caller.timeZone, days })
      const features = featureRows(sums)
      const performance = performanceRows({ sums, times }, comparable)
      return {
        period,
        user_id: scope,
        time_zone: caller.timeZone,
        ...current,
        as_of: asOf,
        overview: {
          ...figures,
          trends: Object.fromEntries(keys.map((key) => [key, trendOf(key)])) as Record<AnalyticsFigure, number | null>,
        },
        usage: usageRows(hours, ranges),
        ...patterns,
        features,
        performance,
        insights: insightsOf(
          { ...patterns, features, performance },
          { sums, previous: comparable?.sums ?? null, activeUsers: users.active },
        ),
      }
    },
  }
}

export type AnalyticsService = ReturnType<typeof createAnalyticsService>
