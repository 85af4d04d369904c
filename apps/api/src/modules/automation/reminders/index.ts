import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { createNotificationsService, type NotificationsService } from '../notifications/notifications.service.ts'
import { createNotificationsStore } from '../notifications/notifications.store.ts'
import { createReminderClock, type ReminderClock } from './reminder-clock.ts'
import { createRemindersService, type RemindersService } from './reminders.service.ts'
import { createRemindersStore } from './reminders.store.ts'

export interface Reminding {
  notifications: NotificationsService
  reminders: RemindersService
  reminderClock: ReminderClock
}

/** Builds what tells people of things: what is behind their bells, and what they asked to be reminded of. */
export function buildReminders(tools: {
  log: Log
  database: Database
  events: Events
  /** Tests set the time. */
  now?: () => Date
}): Reminding {
  const { log, database, events, now = () => new Date() } = tools
  const notificationsStore = createNotificationsStore(database)
  const notifications = createNotificationsService({ store: notificationsStore, publish: events.publish })
  const store = createRemindersStore(database)
  const reminderClock = createReminderClock({
    store,
    now,
    log,
    listen: database.listen,
    notify: database.notify,
    publish: events.publish,
    notifyIn: notifications.notifyIn,
  })
  const reminders = createRemindersService({
    store,
    now,
    wake: reminderClock.wake,
    readNotificationsOf: notifications.readOf,
    removeNotificationsOf: notificationsStore.removeOf,
    tellNotificationsChanged: notifications.tellChanged,
  })
  return { notifications, reminders, reminderClock }
}
