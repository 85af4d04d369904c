import { randomUUID } from 'node:crypto'
import type { Common } from '../../common.ts'
import { createSeal } from '../../platform/lib/sealing.ts'
import type { IntentsService } from '../chat/index.ts'
import type { ProcessingService } from '../library/index.ts'
import type { EmbeddingService, EmbeddingSwitchService, EmbeddingsStore, KnownItems, PartRow } from '../search/index.ts'
import { createNotificationsService, type NotificationsService } from './notifications/notifications.service.ts'
import { createNotificationsStore } from './notifications/notifications.store.ts'
import { createPushService } from './push/push.service.ts'
import { createPushStore } from './push/push.store.ts'
import { createReminderClock } from './reminders/reminder-clock.ts'
import { createRemindersService } from './reminders/reminders.service.ts'
import { createRemindersStore } from './reminders/reminders.store.ts'
import { createAutomationService } from './tasks/automation.service.ts'
import { createClassifierRetrain } from './tasks/kinds/classifier-retrain.ts'
import { createMemoryUpdate } from './tasks/kinds/memory-update.ts'
import { createModelFinetuning } from './tasks/kinds/model-finetuning.ts'
import { createSummaryGeneration } from './tasks/kinds/summary-generation.ts'
import { createRunNotices, createRunner } from './tasks/runner.ts'
import { createScheduler } from './tasks/scheduler.ts'
import { createSummariesService } from './tasks/summaries.service.ts'
import { createWeekSummariesStore } from './tasks/summaries.store.ts'
import { createRunsStore, createTasksStore } from './tasks/tasks.store.ts'
import { createUpkeepStore } from './tasks/upkeep.store.ts'
import { createWebhookDeliveries, createWebhookOutbox, type DeliveryLimits } from './webhooks/webhook-deliveries.ts'
import { createWebhooksService } from './webhooks/webhooks.service.ts'
import { createWebhooksStore } from './webhooks/webhooks.store.ts'

/** Notifications in the web app, and reminders, which create notifications. */
export function buildReminders(
  deps: Pick<Common, 'log' | 'database' | 'events'> & {
    /** Tests set the time. */
    now?: () => Date
  },
) {
  const { database, now = () => new Date() } = deps
  const notifications = createNotificationsService({ ...deps, store: createNotificationsStore(database) })
  const common = { ...deps, now, store: createRemindersStore(database), notifications }
  const reminderClock = createReminderClock(common)
  return { notifications, reminders: createRemindersService({ ...common, clock: reminderClock }), reminderClock }
}

/** Push messages to devices without an open page. */
export function buildPush(
  deps: Pick<Common, 'log' | 'config' | 'database' | 'fetcher' | 'queue' | 'jwtSecret' | 'settings'>,
) {
  return createPushService({
    ...deps,
    store: createPushStore(deps.database),
    seal: createSeal({ secret: deps.jwtSecret, purpose: 'web push' }),
  })
}

/** Webhooks: signed messages about a user's data to other programs. */
export function buildWebhooks(
  deps: Pick<Common, 'log' | 'database' | 'fetcher' | 'queue' | 'jwtSecret'> & {
    limits: Partial<DeliveryLimits> | undefined
  },
) {
  const store = createWebhooksStore(deps.database)
  const seal = createSeal({ secret: deps.jwtSecret, purpose: 'secrets of hooks' })
  const webhookDeliveries = createWebhookDeliveries({ ...deps, store, seal })
  return {
    hooks: createWebhooksService({ ...deps, store, seal, deliveries: webhookDeliveries }),
    webhookNotices: createWebhookOutbox({ ...deps, store }),
    webhookDeliveries,
  }
}

/** Tasks that run on a schedule, and the weekly summaries that one of these tasks writes. */
export function buildAutomation(
  deps: Common & {
    embedding: EmbeddingService
    embeddings: EmbeddingsStore
    embeddingSwitch: EmbeddingSwitchService
    readPart(part: PartRow): Promise<Uint8Array>
    knownItems: KnownItems
    processing: ProcessingService
    intents: IntentsService
    notifications: NotificationsService
  },
) {
  const { database } = deps
  const summaries = createWeekSummariesStore(database)
  const common = {
    ...deps,
    runsStore: createRunsStore(database),
    tasksStore: createTasksStore(database),
    upkeep: createUpkeepStore(database),
    summaries,
    now: () => new Date(),
  }
  const tasks = {
    memory_update: createMemoryUpdate(common),
    classifier_retrain: createClassifierRetrain(common),
    summary_generation: createSummaryGeneration(common),
    model_finetuning: createModelFinetuning(common),
  }
  const notices = createRunNotices(common)
  const runner = createRunner({
    ...common,
    tasks,
    serverId: randomUUID(),
    isOnlyServer: database.engine === 'embedded',
    notices,
  })
  const scheduler = createScheduler({ ...common, tasks, runner })
  return {
    automation: createAutomationService({ ...common, scheduler, notices }),
    summaries: createSummariesService({ store: summaries }),
    scheduler,
  }
}

export type { NewNotification, NotificationsService } from './notifications/notifications.service.ts'
export type { RemindersService } from './reminders/reminders.service.ts'
export { latestSlot, nextSlots } from './tasks/scheduler.ts'
