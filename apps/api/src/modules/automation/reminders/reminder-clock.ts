import type { UserEventJson } from '@mira/shared'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { nextOccurrence } from './recurrence.ts'
import type { ReminderRow, RemindersStore } from './reminders.store.ts'

interface ReminderClockDeps extends Pick<Database, 'listen' | 'notify'> {
  store: RemindersStore
  now(): Date
  publish(userId: string, event: UserEventJson): void
  /** Keeps that it was told, with what shows it when that is committed. */
  notifyIn(
    tx: Prisma.TransactionClient,
    userId: string,
    given: {
      kind: 'reminder_due'
      params: { text: string }
      link: string
      subjectId: string
      joins: { by: 'subject' }
    },
  ): Promise<() => void>
  log: Log
}

/** Wakes every server that shares the database. */
const CHANNEL = 'mira_reminders'
const AT_ONCE = 100
/** A machine that slept, a clock that was set and a message that was missed are noticed after this. */
const LONGEST_SLEEP_MS = 60_000
const RETRY_MS = 2_000
const LINK = '/agents?agent=ReminderAgent'

export type ReminderClock = ReturnType<typeof createReminderClock>

/**
 * Tells what is due when it is due. Every server sleeps until the next one; which of them tells it is decided by the row.
 * What was due while no server ran is told at the start: of a series once, and it goes on in the future.
 */
export function createReminderClock({ store, now, publish, notifyIn, listen, notify, log }: ReminderClockDeps) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isAskedAgain = false
  let isStarted = false
  let stopListening = () => {}

  const nextTimeOf = (reminder: ReminderRow, at: Date): Date | null => {
    if (reminder.recurrence === null) return null
    try {
      return nextOccurrence(reminder.recurrence, reminder.timeZone, at)
    } catch (error) {
      log.error({ err: error, reminder_id: reminder.id }, 'a series of reminders has no next time')
      return null
    }
  }

  const fire = async (reminder: ReminderRow, at: Date): Promise<void> => {
    const show = await store.transaction(async (tx) => {
      if (!(await store.fire(tx, reminder, at, nextTimeOf(reminder, at)))) return null
      return notifyIn(tx, reminder.userId, {
        kind: 'reminder_due',
        params: { text: reminder.text },
        link: LINK,
        subjectId: reminder.id,
        joins: { by: 'subject' },
      })
    })
    if (show === null) return
    const { id, text, dueAt } = reminder
    publish(reminder.userId, { type: 'reminder.due', id, text, due_at: dueAt.toISOString() })
    show()
  }

  /** Tells all that is due; returns how long nothing else is. */
  const round = async (): Promise<number> => {
    for (;;) {
      const at = now()
      const due = await store.due(at, AT_ONCE)
      let failed = 0
      for (const reminder of due) {
        // one that cannot be told does not keep the others back
        await fire(reminder, at).catch((error: unknown) => {
          failed++
          log.warn({ err: error, reminder_id: reminder.id }, 'a reminder could not be told; it is tried again')
        })
      }
      if (failed > 0) return RETRY_MS
      if (due.length < AT_ONCE) break
    }
    const next = await store.nextDue()
    return next === null ? LONGEST_SLEEP_MS : Math.max(0, next.getTime() - now().getTime())
  }

  const run = async (): Promise<void> => {
    do {
      isAskedAgain = false
      let pauseMs = RETRY_MS
      try {
        pauseMs = await round()
      } catch (error) {
        log.warn({ err: error }, 'reminders could not be looked for; it is tried again')
      }
      clearTimeout(timer)
      if (isStarted) timer = setTimeout(look, Math.min(pauseMs, LONGEST_SLEEP_MS))
    } while (isAskedAgain && isStarted)
  }

  function look(): void {
    isAskedAgain = true
    if (!isStarted || running !== undefined) return
    running = run().finally(() => {
      running = undefined
      if (isAskedAgain) look()
    })
  }

  return {
    /** Looks now, here and on other servers, because something changed. */
    wake(): void {
      look()
      notify(CHANNEL, '').catch((error: unknown) => {
        log.warn({ err: error }, 'other servers could not be told that reminders changed')
      })
    },

    start(): void {
      isStarted = true
      stopListening = listen(CHANNEL, look)
      look()
    },

    async close(): Promise<void> {
      isStarted = false
      isAskedAgain = false
      stopListening()
      clearTimeout(timer)
      await running
    },
  }
}
