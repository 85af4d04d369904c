import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { NotificationsService } from '../notifications/notifications.service.ts'
import { nextOccurrence } from './recurrence.ts'
import type { ReminderRow, RemindersStore } from './reminders.store.ts'

/** Postgres channel that wakes all servers. */
const CHANNEL = 'mira_reminders'
const BATCH = 100
/** Bounds the delay after the machine was suspended, its clock changed, or a message was missed. */
const MAX_SLEEP_MS = 60_000
const RETRY_MS = 2_000
const LINK = '/agents?agent=ReminderAgent'

export type ReminderClock = ReturnType<typeof createReminderClock>

/**
 * Turns due reminders into notifications. Every server sleeps until the next reminder is due; the first to update its row
 * fires it. Reminders that came due while no server ran fire on startup; a recurring reminder fires only once.
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
    // A reminder that can't be fired doesn't delay the others.
    const failedIds: string[] = []
    for (;;) {
      const time = now()
      const due = await store.due(time, failedIds, BATCH)
      for (const reminder of due) {
        await fire(reminder, time).catch((error: unknown) => {
          failedIds.push(reminder.id)
          log.warn({ err: error, reminder_id: reminder.id }, 'a reminder could not be fired and will be retried')
        })
      }
      if (due.length < BATCH) break
    }
    if (failedIds.length > 0) return RETRY_MS
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
