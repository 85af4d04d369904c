import type { Analytics, AnalyticsFigure, AnalyticsPeriod } from '@mira/shared'
import { NotFoundError } from '../../errors.ts'
import type { AnalyticsStore } from './analytics.store.ts'
import {
  changeOf,
  featureRows,
  insightsOf,
  patternsOf,
  performanceRows,
  tenths,
  usageRows,
} from './analytics-figures.ts'
import { rangesOf } from './analytics-period.ts'

export interface AnalyticsDeps {
  store: AnalyticsStore
  /** Since when changes of hours that are added up already are missing; null when none are. */
  missingSince(): Promise<Date | null>
}

export interface AnalyticsRequest {
  caller: { id: string; isAdmin: boolean; timeZone: string }
  period: AnalyticsPeriod
  /** One person; everybody (or the caller, who may see no more) when it is left out. */
  userId?: string | undefined
  now?: Date
}

/** The figures of a period: counts of what was done, and null where nothing was measured. */
export function createAnalyticsService({ store, missingSince }: AnalyticsDeps) {
  /** Null is everybody. */
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
    /** @throws NotFoundError when the person is not there, or not the caller's to see. */
    async read(request: AnalyticsRequest): Promise<Analytics> {
      const { caller, period, now = new Date() } = request
      const scope = await scopeOf(request)
      const asOf = await missingSince()
      const ranges = rangesOf(period, caller.timeZone, now)
      const { current, previous } = ranges
      const [{ hours, sums, times, sessions }, earlier, users, active] = await Promise.all([
        store.figures(scope, current),
        store.figures(scope, previous),
        store.users(scope, current, previous),
        store.activeSessions(scope, now),
      ])
      // who came in the middle of the period before has nothing to be compared with
      const isComparable = users.since !== null && users.since <= previous.from
      const before = isComparable ? earlier : null
      const days = Math.max(1, Math.round((current.until.getTime() - current.from.getTime()) / (24 * 60 * 60 * 1000)))

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
        total_sessions: earlier.sessions.count,
        // which of them were active then is not known any more
        active_sessions: null,
        avg_session_time: earlier.sessions.averageSeconds,
        chat_messages: before?.sums.chat ?? 0,
        media_uploads: before?.sums.upload ?? 0,
        agent_calls: before?.sums.agents ?? 0,
        search_queries: before?.sums.search ?? 0,
      }
      const trendOf = (key: AnalyticsFigure) => (before === null ? null : changeOf(figures[key], figuresBefore[key]))
      const keys = Object.keys(figures) as AnalyticsFigure[]

      const patterns = patternsOf(hours, { timeZone: caller.timeZone, days })
      const features = featureRows(sums)
      const performance = performanceRows({ sums, times }, before)
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
          { sums, previous: before?.sums ?? null, activeUsers: users.active },
        ),
      }
    },
  }
}

export type AnalyticsService = ReturnType<typeof createAnalyticsService>
