import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { NotificationsService } from '../notifications/notifications.service.ts'
import { nextOccurrence } from './recurrence.ts'
import type { ReminderRow, RemindersStore } from './reminders.store.ts'

/** Wakes all servers on the database. */
const CHANNEL = 'mira_reminders'
const BATCH = 100
/** Interval that bounds the effect of a suspended machine, a changed clock or a missed message. */
const MAX_SLEEP_MS = 60_000
const RETRY_MS = 2_000
const LINK = '/agents?agent=ReminderAgent'

export type ReminderClock = ReturnType<typeof createReminderClock>

/**
 * Turns due reminders into notifications. Every server sleeps until the next one; the row decides which server fires it.
 * Reminders that were due while no server ran fire at the start, a series once.
 */
export function createReminderClock({
  store,
  database,
  events,
  notifications,
  now,
  log,
}: {
  store: RemindersStore
  database: Pick<Database, 'listen' | 'notify'>
  events: Pick<Events, 'publish'>
  notifications: NotificationsService
  now(): Date
  log: Log
}) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isRequestedAgain = false
  let isStarted = false
  let stopListening = () => {}

  const nextTimeOf = ({ recurrence, timeZone }: ReminderRow, time: Date): Date | null =>
    recurrence && nextOccurrence(recurrence, timeZone, time)

  const fire = async (reminder: ReminderRow, time: Date): Promise<void> => {
    const show = await store.transaction(async (tx) => {
      if (!(await store.fire(tx, reminder, time, nextTimeOf(reminder, time)))) return null
      return notifications.notifyIn(tx, reminder.userId, {
        kind: 'reminder_due',
        params: { text: reminder.text },
        link: LINK,
        subjectId: reminder.id,
        joins: { by: 'subject' },
      })
    })
    if (show === null) return
    const { id, text, dueAt } = reminder
    events.publish(reminder.userId, { type: 'reminder.due', id, text, due_at: dueAt.toISOString() })
    show()
  }

  /** Fires due reminders. @returns milliseconds until the next one is due. */
  const round = async (): Promise<number> => {
    for (;;) {
      const time = now()
      const due = await store.due(time, BATCH)
      let failed = 0
      for (const reminder of due) {
        // A failure doesn't delay the others.
        await fire(reminder, time).catch((error: unknown) => {
          failed++
          log.warn({ err: error, reminder_id: reminder.id }, 'a reminder could not be fired and will be retried')
        })
      }
      if (failed > 0) return RETRY_MS
      if (due.length < BATCH) break
    }
    const next = await store.nextDue()
    return next === null ? MAX_SLEEP_MS : Math.max(0, next.getTime() - now().getTime())
  }

  const run = async (): Promise<void> => {
    do {
      isRequestedAgain = false
      let pauseMs = RETRY_MS
      try {
        pauseMs = await round()
      } catch (error) {
        log.warn({ err: error }, 'due reminders could not be read and will be retried')
      }
      clearTimeout(timer)
      if (isStarted) timer = setTimeout(check, Math.min(pauseMs, MAX_SLEEP_MS))
    } while (isRequestedAgain && isStarted)
  }

  function check(): void {
    isRequestedAgain = true
    if (!isStarted || running !== undefined) return
    running = run().finally(() => {
      running = undefined
      if (isRequestedAgain) check()
    })
  }

  return {
    /** Makes all servers check now, because reminders changed. */
    wake(): void {
      check()
      database.notify(CHANNEL, '').catch((error: unknown) => {
        log.warn({ err: error }, 'other servers could not be notified of changed reminders')
      })
    },

    start(): void {
      isStarted = true
      stopListening = database.listen(CHANNEL, check, check)
      check()
    },

    async close(): Promise<void> {
      isStarted = false
      isRequestedAgain = false
      stopListening()
      clearTimeout(timer)
      await running
    },
  }
}
