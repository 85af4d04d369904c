import { DateTime } from 'luxon'
import type { Ai } from '../../../../engines/ai.ts'
import { writeText } from '../../../../engines/chat/write-text.ts'
import type { Log } from '../../../../log.ts'
import { tryEach } from '../../../../platform/database/try-each.ts'
import { say } from '../../../../sentences.ts'
import type { NotificationsService } from '../../notifications/notifications.service.ts'
import { BY_TEMPLATE, keyInsights, templateText, writeSummary } from '../summaries.service.ts'
import type { StoredFigures, Week, WeekSummariesStore } from '../summaries.store.ts'
import type { Task, TaskRun } from '../task.ts'
import type { TasksStore } from '../tasks.store.ts'

/** Past weeks that are summarised when they were missed. */
const MAX_WEEKS = 4
/** Maximum number of highlights of each kind: conversations, added items and found items. */
const MAX_HIGHLIGHTS = 5
/** Maximum number of texts that a model writes in one run; the rest follow a template. */
const MAX_WRITTEN = 50
const MINUTE_MS = 60_000

/**
 * Weekly summaries of the instance and of each active user. A scheduled run covers finished weeks. A manual run also covers
 * the current week so far; that summary is replaced once the week is over.
 */
export function createSummaryGeneration({
  summaries: store,
  tasksStore,
  ai,
  notifications,
  log,
}: {
  summaries: WeekSummariesStore
  tasksStore: TasksStore
  ai: Ai
  notifications: NotificationsService
  log: Log
}): Task {
  const author = {
    writeText: async (request: Parameters<typeof writeText>[1], signal: AbortSignal) => {
      const engine = ai.chat()
      return engine.name === 'built-in' ? null : writeText(engine, request, signal)
    },
    log,
  }

  const summarise = async (
    week: Week & { weekStart: string; isSoFar: boolean },
    language: string,
    mayWrite: boolean,
    signal: AbortSignal,
  ) => {
    const before = weekBefore(week)
    const figures: StoredFigures = {
      ...(await store.count(week)),
      previous: await store.count({ userId: week.userId, ...before }),
      ...(await store.highlights(week, MAX_HIGHLIGHTS)),
      ...(week.isSoFar && { until: week.end.toISOString() }),
    }
    const isOwn = week.userId !== null
    const { asked_ids: _askedIds, added_ids: _addedIds, found_ids: _foundIds, ...counts } = figures
    const isEmpty = figures.active_users === 0
    const draft =
      mayWrite && !isEmpty
        ? await writeSummary(author, { whose: isOwn ? 'one person' : 'all people', ...counts }, language, signal)
        : null
    signal.throwIfAborted()
    const { text, engine, model } = draft ?? {
      text: templateText(figures, isOwn, language),
      engine: BY_TEMPLATE,
      model: null,
    }
    const insights = keyInsights(figures, language)
    return { added: await store.add(week, { figures, text, insights, engine, model }), isWritten: draft !== null }
  }

  const summariseWeek = async (run: TaskRun, start: DateTime<true>) => {
    const weekStart = start.toISODate()
    const weekEnd = start.plus({ weeks: 1 }).toJSDate()
    const isSoFar = weekEnd > run.scheduledAt
    const span = { start: start.toJSDate(), end: isSoFar ? run.scheduledAt : weekEnd, timeZone: run.timeZone, isSoFar }
    await run.step(`week ${weekStart}`, async (progress) => {
      const [owners, users] = await Promise.all([store.ownersOf(weekStart), store.activeUsers(span.start, span.end)])
      const missing = users.filter(({ id }) => !owners.has(id))
      const isInstanceMissing = !owners.has('instance')
      progress.total(missing.length + (isInstanceMissing ? 1 : 0))
      let writtenCount = 0
      const summariseInstance = async () => {
        const language = (await tasksStore.languageOfAdministrators()) ?? 'en'
        const summary = await summarise({ userId: null, weekStart, ...span }, language, true, run.signal)
        if (summary.isWritten) writtenCount++
        progress.done()
      }
      const summariseFor = async (user: (typeof missing)[number]) => {
        run.signal.throwIfAborted()
        const week = { userId: user.id, weekStart, ...span }
        const summary = await summarise(week, user.language, writtenCount < MAX_WRITTEN, run.signal)
        if (summary.isWritten) writtenCount++
        // Notifies once about the week so far, and once about the whole week.
        if (summary.added === 'new' || (summary.added === 'replaced' && !isSoFar)) {
          await notifications.notify(user.id, { kind: 'summary_ready', link: '/dashboard' })
        }
        progress.done()
      }
      const summaries = [
        ...(isInstanceMissing ? [summariseInstance] : []),
        ...missing.map((user) => () => summariseFor(user)),
      ]
      await tryEach(summaries, (summariseOne) => summariseOne(), run.signal)
      run.note('info', say('week_summed', { week: weekStart, count: users.length }))
      return { weeks: Number(run.results.weeks ?? 0) + 1, by_model: Number(run.results.by_model ?? 0) + writtenCount }
    })
  }

  return {
    schedule: '0 6 * * 1',
    timeLimitMs: 60 * MINUTE_MS,
    async run(run) {
      const thisWeek = DateTime.fromJSDate(run.scheduledAt, { zone: run.timeZone }).startOf('week')
      const starts: DateTime<true>[] = []
      for (let ago = MAX_WEEKS; ago >= 1; ago--) {
        const start = thisWeek.minus({ weeks: ago })
        if (!start.isValid) throw new Error('The week cannot be counted in this time zone.')
        const isLast = ago === 1 && !run.isManual
        const isEmpty = (await store.activeUsers(start.toJSDate(), start.plus({ weeks: 1 }).toJSDate())).length === 0
        // An earlier week without activity needs no summary.
        if (isLast || !isEmpty) starts.push(start)
      }
      if (run.isManual && thisWeek.isValid) starts.push(thisWeek)
      await tryEach(starts, (start) => summariseWeek(run, start), run.signal)
    },
  }
}

/** The same span one week earlier. */
function weekBefore({ start, end, timeZone }: Week): { start: Date; end: Date } {
  const before = (time: Date) => DateTime.fromJSDate(time, { zone: timeZone }).minus({ weeks: 1 }).toJSDate()
  return { start: before(start), end: before(end) }
}
