import {
  type CreateReminder,
  MAX_ACTIVE_REMINDERS,
  type Recurrence,
  type Reminder,
  type ReminderState,
  type RemindersResponse,
  type UpdateReminder,
} from '@mira/shared'
import { IANAZone } from 'luxon'
import { ConflictError, NotFoundError, ValidationError } from '../../../errors.ts'
import {
  cutPage,
  type PageQuery,
  readTimeCursor,
  type TimePosition,
  writeTimeCursor,
} from '../../../platform/lib/page.ts'
import type { NotificationsService } from '../notifications/notifications.service.ts'
import { beginSeries, moveSeries, nextOccurrence, type Series } from './recurrence.ts'
import type { ReminderClock } from './reminder-clock.ts'
import type { ReminderChanges, ReminderRow, RemindersStore } from './reminders.store.ts'

const MINUTE_MS = 60_000
/** Tolerance for browsers whose clocks are slow. */
const CLOCK_TOLERANCE_MS = MINUTE_MS
const LATEST_YEAR = 2200
const MAX_TRIES = 5

const notFound = () => new NotFoundError('This reminder no longer exists.')
const wrongTime = (message: string) => new ValidationError(message, { errors: [{ path: 'due_at', message }] })
const tooLate = () => wrongTime(`Choose a time before the year ${LATEST_YEAR + 1}.`)
const otherWeekday = () => {
  const message = 'This reminder recurs on other weekdays. Choose one of them.'
  return new ValidationError(message, { code: 'reminder_weekday', errors: [{ path: 'due_at', message }] })
}
const tooMany = () =>
  new ConflictError(`There can be at most ${MAX_ACTIVE_REMINDERS} active reminders. Complete or delete some first.`, {
    code: 'too_many_reminders',
  })

export type RemindersService = ReturnType<typeof createRemindersService>

/** Reminders, single or recurring. */
export function createRemindersService({
  store,
  clock,
  notifications,
  now,
}: {
  store: RemindersStore
  clock: ReminderClock
  notifications: NotificationsService
  now(): Date
}) {
  const requireFuture = (dueAt: Date) => {
    if (dueAt.getTime() < now().getTime() - CLOCK_TOLERANCE_MS) throw wrongTime('This time has passed.')
    if (dueAt.getUTCFullYear() > LATEST_YEAR) throw tooLate()
  }

  const requireZone = (timeZone: string) => {
    if (IANAZone.isValidZone(timeZone) && !/^[+-]/.test(timeZone)) return
    const message = 'This isn’t a time zone. Enter one such as Europe/Madrid.'
    throw new ValidationError(message, { errors: [{ path: 'time_zone', message }] })
  }

  const plan = (dueAt: Date, timeZone: string, recurrence: Recurrence | null) => {
    if (recurrence === null) return { dueAt, timeZone, recurrence: null }
    if (recurrence.weekdays !== undefined && recurrence.unit !== 'week') {
      const message = 'Only a weekly recurrence can have weekdays.'
      throw new ValidationError(message, { errors: [{ path: 'recurrence.weekdays', message }] })
    }
    if (recurrence.time !== undefined && (recurrence.unit === 'minute' || recurrence.unit === 'hour')) {
      const message = 'Only a daily or longer recurrence can have a time of day.'
      throw new ValidationError(message, { errors: [{ path: 'recurrence.time', message }] })
    }
    const start = beginSeries(recurrence, timeZone, dueAt)
    if (start === null) throw tooLate()
    return { dueAt: start.first, timeZone, recurrence: start.series }
  }

  /** Times of a series after only its due time or also its zone has changed. */
  const move = (series: Series, row: ReminderRow, { dueAt, timeZone }: { dueAt: Date; timeZone: string }) => {
    const from = timeZone === row.timeZone ? row.dueAt : null
    const moved = moveSeries(series, timeZone, { from, to: dueAt })
    if (moved === null) throw tooLate()
    if (moved === 'other_weekday') throw otherWeekday()
    return { dueAt: moved.first, timeZone, recurrence: moved.series }
  }

  const requireCapacity = async (userId: string) => {
    if ((await store.countActive(userId)) >= MAX_ACTIVE_REMINDERS) throw tooMany()
  }

  /** Changes a reminder unless there is nothing to change; retries when its row was changed in between, such as when it fired. */
  const change = async (
    userId: string,
    id: string,
    changesOf: (row: ReminderRow) => ReminderChanges | null,
  ): Promise<Reminder> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const row = await store.find(userId, id)
      if (row === null) throw notFound()
      const changes = changesOf(row)
      if (changes === null) return presentReminder(row)
      if (row.state === 'completed' && changes.state === 'active') await requireCapacity(userId)
      // A firing time in the future, from a clock that was ahead, would keep the reminder from firing until then.
      const firedAt = row.firedAt !== null && row.firedAt > now() ? now() : row.firedAt
      const reminder = await store.transaction((tx) => store.change(tx, row, { ...changes, firedAt }))
      if (reminder === null) continue
      clock.wake()
      return presentReminder(reminder)
    }
    throw new ConflictError('This reminder was changed at the same moment. Try again.', { code: 'reminder_changed' })
  }

  return {
    /** @throws ConflictError when there are too many, ValidationError for a past time or an unknown zone. */
    async create(userId: string, values: CreateReminder & { time_zone: string }): Promise<Reminder> {
      requireFuture(values.due_at)
      requireZone(values.time_zone)
      const times = plan(values.due_at, values.time_zone, values.recurrence ?? null)
      const row = await store.add(userId, { text: values.text, ...times }, MAX_ACTIVE_REMINDERS)
      if (row === null) throw tooMany()
      clock.wake()
      return presentReminder(row)
    },

    async list(
      userId: string,
      { state, limit, cursor }: PageQuery & { state: ReminderState },
    ): Promise<RemindersResponse> {
      const after = readTimeCursor(cursor)
      const rows = await store.list(userId, { state, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, (last) => writeTimeCursor(positionOf(last)))
      return { reminders: items.map(presentReminder), next_cursor: nextCursor }
    },

    /** @throws NotFoundError, ConflictError, ValidationError. */
    async update(userId: string, id: string, values: UpdateReminder): Promise<Reminder> {
      if (values.due_at !== undefined) requireFuture(values.due_at)
      if (values.time_zone !== undefined) requireZone(values.time_zone)
      return change(userId, id, (row) => {
        const text = values.text === undefined ? {} : { text: values.text }
        const changesTimes =
          values.due_at !== undefined || values.time_zone !== undefined || values.recurrence !== undefined
        if (!changesTimes) return text
        const { due_at: dueAt, time_zone: timeZone = row.timeZone } = values
        if (dueAt !== undefined && values.recurrence === undefined && row.recurrence !== null)
          return { ...text, ...move(row.recurrence, row, { dueAt, timeZone }), state: 'active' }
        const recurrence = values.recurrence === undefined ? recurrenceOf(row.recurrence) : values.recurrence
        const from = dueAt ?? (row.dueAt > now() || recurrence === null ? row.dueAt : now())
        return { ...text, ...plan(from, timeZone, recurrence), state: 'active' }
      })
    },

    /** Makes a reminder fire again in some minutes; a series then continues at its own times. */
    async snooze(userId: string, id: string, minutes: number): Promise<Reminder> {
      const reminder = await change(userId, id, () => ({
        dueAt: new Date(now().getTime() + minutes * MINUTE_MS),
        state: 'active',
      }))
      await notifications.markReadBySubject(userId, id)
      return reminder
    },

    /**
     * Completes a reminder. In a series, completes the occurrence that fired last, or the next one if that's already completed.
     * @param time the occurrence to complete; nothing changes if the reminder has already moved on to a later one.
     */
    async complete(userId: string, id: string, time?: Date): Promise<Reminder> {
      const reminder = await change(userId, id, (row) => {
        const completedAt = now()
        const isOpen = row.firedAt !== null && (row.completedAt === null || row.completedAt < row.firedAt)
        if (time !== undefined && time.getTime() !== row.dueAt.getTime() && !(isOpen && time <= (row.firedAt ?? 0)))
          return null
        if (row.recurrence === null) return { state: 'completed', completedAt }
        const after = isOpen || row.dueAt < completedAt ? completedAt : row.dueAt
        const dueAt = nextOccurrence(row.recurrence, row.timeZone, after)
        return dueAt === null ? { state: 'completed', completedAt } : { completedAt, dueAt }
      })
      await notifications.markReadBySubject(userId, id)
      return reminder
    },

    /** Deletes a reminder with its notifications. @throws NotFoundError. */
    async remove(userId: string, id: string): Promise<void> {
      await store.transaction(async (tx) => {
        if (!(await store.remove(tx, userId, id))) throw notFound()
        await notifications.removeBySubject(tx, userId, id)
      })
      notifications.announceChange(userId)
      clock.wake()
    },
  }
}

function presentReminder(row: ReminderRow): Reminder {
  return {
    id: row.id,
    text: row.text,
    due_at: row.dueAt,
    time_zone: row.timeZone,
    recurrence: recurrenceOf(row.recurrence),
    state: row.state,
    fired_at: row.firedAt,
    completed_at: row.completedAt,
    created_at: row.createdAt,
  }
}

function recurrenceOf(series: Series | null): Recurrence | null {
  if (series === null) return null
  const { starts_at: _startsAt, ...recurrence } = series
  return recurrence
}

/** Sort position of a row in the list of its state: active reminders by due time, completed ones by completion time. */
function positionOf({ id, state, dueAt, completedAt }: ReminderRow): TimePosition {
  return { createdAt: state === 'active' ? dueAt : (completedAt ?? dueAt), id }
}
