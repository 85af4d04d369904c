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
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { readTimeCursor, type TimePosition, writeTimeCursor } from '../../../platform/lib/cursor.ts'
import { cutPage, type PageQuery } from '../../../platform/lib/page.ts'
import { beginSeries, nextOccurrence, type Series } from './recurrence.ts'
import type { ReminderChanges, ReminderRow, RemindersStore } from './reminders.store.ts'

interface RemindersDeps {
  store: RemindersStore
  now(): Date
  /** Has every server look when the next one is due. */
  wake(): void
  /** Marks what was told of a reminder as read. */
  readNotificationsOf(userId: string, reminderId: string): Promise<void>
  /** Removes what was told of a reminder. */
  removeNotificationsOf(tx: Prisma.TransactionClient, userId: string, reminderId: string): Promise<void>
  /** Has every page of a person read anew what is behind the bell. */
  tellNotificationsChanged(userId: string): void
}

const MINUTE_MS = 60_000
/** Clocks of browsers differ from that of the server. */
const LATE_MS = MINUTE_MS
const LATEST_YEAR = 2200
const MAX_TRIES = 5

const gone = () => new NotFoundError('This reminder is not there any more.')
const tooMany = () =>
  new ConflictError(`There can be at most ${MAX_ACTIVE_REMINDERS} active reminders. Complete or delete some first.`, {
    code: 'too_many_reminders',
  })

export type RemindersService = ReturnType<typeof createRemindersService>

/** Service for reminders, single or recurring. */
export function createRemindersService(deps: RemindersDeps) {
  const { store, now, wake } = deps

  const requireFuture = (dueAt: Date) => {
    const message =
      dueAt.getTime() < now().getTime() - LATE_MS
        ? 'This time has passed.'
        : dueAt.getUTCFullYear() > LATEST_YEAR
          ? `Choose a time before the year ${LATEST_YEAR + 1}.`
          : null
    if (message !== null) throw new ValidationError(message, { errors: [{ path: 'due_at', message }] })
  }

  const requireZone = (timeZone: string) => {
    if (IANAZone.isValidZone(timeZone) && !/^[+-]/.test(timeZone)) return
    const message = 'This is not the name of a time zone, such as Europe/Madrid.'
    throw new ValidationError(message, { errors: [{ path: 'time_zone', message }] })
  }

  const plan = (dueAt: Date, timeZone: string, recurrence: Recurrence | null) => {
    if (recurrence === null) return { dueAt, timeZone, recurrence: null }
    if (recurrence.weekdays !== undefined && recurrence.unit !== 'week') {
      const message = 'Weekdays belong to a recurrence of weeks.'
      throw new ValidationError(message, { errors: [{ path: 'recurrence.weekdays', message }] })
    }
    if (recurrence.time !== undefined && (recurrence.unit === 'minute' || recurrence.unit === 'hour')) {
      const message = 'A time of day belongs to a recurrence of days or longer.'
      throw new ValidationError(message, { errors: [{ path: 'recurrence.time', message }] })
    }
    const { series, first } = beginSeries(recurrence, timeZone, dueAt)
    return { dueAt: first, timeZone, recurrence: series }
  }

  const requireRoom = async (userId: string) => {
    if ((await store.countActive(userId)) >= MAX_ACTIVE_REMINDERS) throw tooMany()
  }

  /** Changes what a person's reminder is now, again when a server told it in between. */
  const change = async (
    userId: string,
    id: string,
    changesOf: (row: ReminderRow) => ReminderChanges,
  ): Promise<Reminder> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const row = await store.find(userId, id)
      if (row === null) throw gone()
      const changes = changesOf(row)
      if (row.state === 'completed' && changes.state === 'active') await requireRoom(userId)
      const changed = await store.transaction((tx) => store.change(tx, row, changes))
      if (changed === null) continue
      wake()
      return presentReminder(changed)
    }
    throw new ConflictError('This reminder was changed at the same moment. Try it again.')
  }

  return {
    /** @throws ConflictError when there are too many, ValidationError for a time that has passed or a zone of no name. */
    async create(userId: string, given: CreateReminder & { time_zone: string }): Promise<Reminder> {
      requireFuture(given.due_at)
      requireZone(given.time_zone)
      const planned = plan(given.due_at, given.time_zone, given.recurrence ?? null)
      const row = await store.add(userId, { text: given.text, ...planned }, MAX_ACTIVE_REMINDERS)
      if (row === null) throw tooMany()
      wake()
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
    async update(userId: string, id: string, given: UpdateReminder): Promise<Reminder> {
      if (given.due_at !== undefined) requireFuture(given.due_at)
      if (given.time_zone !== undefined) requireZone(given.time_zone)
      return change(userId, id, (row) => {
        const text = given.text === undefined ? {} : { text: given.text }
        const isTimed = given.due_at !== undefined || given.time_zone !== undefined || given.recurrence !== undefined
        if (!isTimed) return text
        const recurrence = given.recurrence === undefined ? recurrenceOf(row.recurrence) : given.recurrence
        // a new time of day wins over that of the recurrence, unless both are given
        const followsDue = given.due_at !== undefined && given.recurrence === undefined
        const { time: _time, ...timeless } = recurrence ?? {}
        const wanted = recurrence && followsDue ? (timeless as Recurrence) : recurrence
        const from = given.due_at ?? (row.dueAt > now() ? row.dueAt : wanted === null ? row.dueAt : now())
        return { ...text, ...plan(from, given.time_zone ?? row.timeZone, wanted), state: 'active' }
      })
    },

    /** Tells it again some minutes from now; one of a series goes on at its times after that. */
    async snooze(userId: string, id: string, minutes: number): Promise<Reminder> {
      const changed = await change(userId, id, () => ({
        dueAt: new Date(now().getTime() + minutes * MINUTE_MS),
        state: 'active',
      }))
      await deps.readNotificationsOf(userId, id)
      return changed
    },

    /** Ends one; of a series, what was told last, or its next time when everything that was told is done. */
    async complete(userId: string, id: string): Promise<Reminder> {
      const changed = await change(userId, id, (row) => {
        const at = now()
        if (row.recurrence === null) return { state: 'completed', completedAt: at }
        const isOpen = row.firedAt !== null && (row.completedAt === null || row.completedAt < row.firedAt)
        const after = isOpen || row.dueAt < at ? at : row.dueAt
        return { completedAt: at, dueAt: nextOccurrence(row.recurrence, row.timeZone, after) }
      })
      await deps.readNotificationsOf(userId, id)
      return changed
    },

    /** Deletes it with what was told of it. @throws NotFoundError. */
    async remove(userId: string, id: string): Promise<void> {
      await store.transaction(async (tx) => {
        if (!(await store.remove(tx, userId, id))) throw gone()
        await deps.removeNotificationsOf(tx, userId, id)
      })
      deps.tellNotificationsChanged(userId)
      wake()
    },
  }
}

/** A reminder as it is answered. */
export function presentReminder(row: ReminderRow): Reminder {
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

/** Sort position of a row among those of its state: active ones by due time, completed ones by completion. */
function positionOf({ id, state, dueAt, completedAt }: ReminderRow): TimePosition {
  return { createdAt: state === 'active' ? dueAt : (completedAt ?? dueAt), id }
}
