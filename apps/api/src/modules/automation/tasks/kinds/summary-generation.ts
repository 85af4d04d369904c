import { say } from '@mira/shared'
import { DateTime } from 'luxon'
import { BY_RULE } from '../summaries.service.ts'
import type { KeptFigures, Week, WeekSummariesStore } from '../summaries.store.ts'
import { keyInsights, ruleText } from '../summary-text.ts'
import type { Task, TaskRun } from '../task.ts'

export interface SummaryGenerationDeps {
  store: WeekSummariesStore
  /** Puts figures into words; null when no model is connected, or when it fails. */
  write(figures: Record<string, unknown>, language: string, signal: AbortSignal): Promise<Written | null>
  /** Tells a person that theirs is there. */
  tell(userId: string): Promise<void>
  /** Language of the summary of the instance. */
  language(): Promise<string>
}

export interface Written {
  text: string
  engine: string
  model: string | null
}

/** Weeks that are made up when they were missed. */
const MAX_WEEKS = 4
/** Conversations, things added and things found that are named of a week, of each. */
const MAX_HIGHLIGHTS = 5
/** Texts that a model writes in one run; the rest are made by rule. */
const MAX_WRITTEN = 50
const MINUTE_MS = 60_000

/**
 * Sums up weeks: that of the instance, and that of each person who was active. By schedule the weeks that are over; by hand
 * the week so far, which the next run that finds it over replaces.
 */
export function createSummaryGeneration({ store, write, tell, language }: SummaryGenerationDeps): Task {
  const sumUp = async (
    week: Week & { weekStart: string; isSoFar: boolean },
    languageOf: string,
    mayWrite: boolean,
    signal: AbortSignal,
  ) => {
    const before = weekBefore(week)
    const figures: KeptFigures = {
      ...(await store.count(week)),
      previous: await store.count({ userId: week.userId, ...before }),
      ...(await store.highlights(week, MAX_HIGHLIGHTS)),
      ...(week.isSoFar && { until: week.end.toISOString() }),
    }
    const isOwn = week.userId !== null
    const { asked_ids: _asked, added_ids: _added, found_ids: _found, ...told } = figures
    const isEmpty = figures.active_users === 0
    const written =
      mayWrite && !isEmpty
        ? await write({ whose: isOwn ? 'one person' : 'all people', ...told }, languageOf, signal)
        : null
    signal.throwIfAborted()
    const { text, engine, model } = written ?? {
      text: ruleText(figures, isOwn, languageOf),
      engine: BY_RULE,
      model: null,
    }
    const insights = keyInsights(figures, languageOf)
    return { added: await store.add(week, { figures, text, insights, engine, model }), isWritten: written !== null }
  }

  const sumUpWeek = async (run: TaskRun, start: DateTime<true>) => {
    const weekStart = start.toISODate()
    const whole = start.plus({ weeks: 1 }).toJSDate()
    const isSoFar = whole > run.at
    const span = { start: start.toJSDate(), end: isSoFar ? run.at : whole, timeZone: run.timeZone, isSoFar }
    await run.step(`week ${weekStart}`, async (progress) => {
      const [there, people] = await Promise.all([store.there(weekStart), store.activePeople(span.start, span.end)])
      const missing = people.filter(({ id }) => !there.has(id))
      const isInstanceMissing = !there.has('instance')
      progress.total(missing.length + (isInstanceMissing ? 1 : 0))
      let written = 0
      if (isInstanceMissing) {
        const made = await sumUp({ userId: null, weekStart, ...span }, await language(), true, run.signal)
        if (made.isWritten) written++
        progress.done()
      }
      for (const person of missing) {
        run.signal.throwIfAborted()
        const week = { userId: person.id, weekStart, ...span }
        const made = await sumUp(week, person.language, written < MAX_WRITTEN, run.signal)
        if (made.isWritten) written++
        // once of the week so far, once of the whole
        if (made.added === 'new' || (made.added === 'replaced' && !isSoFar)) await tell(person.id)
        progress.done()
      }
      const text = `Week of ${weekStart}: ${people.length} people were active.`
      run.note('info', say('week_summed', { week: weekStart, count: people.length }, text))
      return { weeks: Number(run.results.weeks ?? 0) + 1, by_model: Number(run.results.by_model ?? 0) + written }
    })
  }

  return {
    schedule: '0 6 * * 1',
    timeLimitMs: 60 * MINUTE_MS,
    async run(run) {
      const thisWeek = DateTime.fromJSDate(run.at, { zone: run.timeZone }).startOf('week')
      for (let ago = MAX_WEEKS; ago >= 1; ago--) {
        const start = thisWeek.minus({ weeks: ago })
        if (!start.isValid) throw new Error('The week cannot be counted in this time zone.')
        const isLast = ago === 1 && !run.isByHand
        const isEmpty = (await store.activePeople(start.toJSDate(), start.plus({ weeks: 1 }).toJSDate())).length === 0
        // a week before there was anything is nothing that was missed
        if (isLast || !isEmpty) await sumUpWeek(run, start)
      }
      if (run.isByHand && thisWeek.isValid) await sumUpWeek(run, thisWeek)
    },
  }
}

/** The week before, or as many days of it. */
function weekBefore({ start, end, timeZone }: Week): { start: Date; end: Date } {
  const before = (moment: Date) => DateTime.fromJSDate(moment, { zone: timeZone }).minus({ weeks: 1 }).toJSDate()
  return { start: before(start), end: before(end) }
}
