import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { processingStepNameSchema, type UserEventJson } from '@mira/shared'
import type { Config } from '../../config.ts'
import type { Ai } from '../../engines/ai.ts'
import { writeText } from '../../engines/chat/write-text.ts'
import { createRemoteFineTuning } from '../../engines/remote/fine-tuning.ts'
import type { Log } from '../../log.ts'
import { trainInThread } from '../../offline/intents/intent-trainer.ts'
import type { Database } from '../../platform/database/client.ts'
import type { LooseFiles } from '../../platform/database/loose-files.ts'
import { sha256Of } from '../../platform/lib/hashing.ts'
import type { SettingsService } from '../../platform/settings/settings.service.ts'
import type { Files } from '../../platform/storage/files.ts'
import type { IntentsService } from '../chat/index.ts'
import type { ProcessingService } from '../library/index.ts'
import type { EmbeddingService, EmbeddingSwitchService, KnownItems } from '../search/index.ts'
import { createEmbeddingsStore, type PartRow } from '../search/index.ts'
import type { Notify } from './notifications/notifications.service.ts'
import { type AutomationService, createAutomationService } from './tasks/automation.service.ts'
import { createClassifierRetrain } from './tasks/kinds/classifier-retrain.ts'
import { createMemoryUpdate } from './tasks/kinds/memory-update.ts'
import { createModelFinetuning, trainingLine } from './tasks/kinds/model-finetuning.ts'
import { createSummaryGeneration } from './tasks/kinds/summary-generation.ts'
import { createRunNotices } from './tasks/run-notices.ts'
import { createRunner } from './tasks/runner.ts'
import { createRunsStore } from './tasks/runs.store.ts'
import { createScheduler, type Scheduler } from './tasks/scheduler.ts'
import { createSummariesService, type SummariesService } from './tasks/summaries.service.ts'
import { createWeekSummariesStore } from './tasks/summaries.store.ts'
import { createSummaryAuthor } from './tasks/summary-author.ts'
import { createTagTrainer } from './tasks/tag-trainer.ts'
import type { Task } from './tasks/task.ts'
import { createTasksStore } from './tasks/tasks.store.ts'
import { createUpkeepStore, type UpkeepStore } from './tasks/upkeep.store.ts'

export interface AutomationTools {
  config: Pick<Config, 'remoteAi'>
  database: Database
  files: Pick<Files, 'open' | 'delete'>
  looseFiles: Pick<LooseFiles, 'deleteDue'>
  ai: Pick<Ai, 'chat'>
  embedding: EmbeddingService
  embeddingSwitch: EmbeddingSwitchService
  readPart(part: PartRow): Promise<Uint8Array>
  knownItems: Pick<KnownItems, 'measure'>
  processing: Pick<ProcessingService, 'reprocess'>
  intents: Pick<IntentsService, 'retrain'>
  settings: Pick<SettingsService, 'current'>
  publish(userId: string, event: UserEventJson): void
  notify: Notify
  log: Log
}

const FOLLOW_EVERY_MS = 10_000

/** Builds what runs by itself. */
export function buildAutomation(tools: AutomationTools): {
  automation: AutomationService
  summaries: SummariesService
  scheduler: Scheduler
} {
  const { database, intents, ai, log, publish, notify } = tools
  const now = () => new Date()
  const runsStore = createRunsStore(database)
  const tasksStore = createTasksStore(database)
  const summariesStore = createWeekSummariesStore(database)
  const upkeep = createUpkeepStore(database)
  const tasks = {
    memory_update: buildMemoryUpdate(tools, upkeep),
    classifier_retrain: createClassifierRetrain({
      async retrainIntents() {
        const { before, after, ...trained } = await intents.retrain()
        return { ...trained, before: before?.accuracy ?? null, after: after.accuracy }
      },
      retrainTags: createTagTrainer({ store: upkeep, train: trainInThread }),
    }),
    summary_generation: createSummaryGeneration({
      store: summariesStore,
      write: createSummaryAuthor({
        async writeText(request, signal) {
          const engine = ai.chat()
          return engine.name === 'built-in' ? null : writeText(engine, request, signal)
        },
        warn: (error) => log.warn({ err: error }, 'the model wrote no summary of a week; a rule did'),
      }),
      tell: (userId) => notify(userId, { kind: 'summary_ready', link: '/dashboard' }),
      language: async () => (await tasksStore.languageOfAdministrators()) ?? 'en',
    }),
    model_finetuning: buildModelFinetuning(tools, upkeep),
  }
  const runner = createRunner({
    store: runsStore,
    tasks,
    serverId: randomUUID(),
    isOnlyServer: database.engine === 'embedded',
    timeZoneOf: async (taskType) =>
      (await tasksStore.all()).find((row) => row.taskType === taskType)?.timeZone ?? 'UTC',
    ...createRunNotices({ administrators: tasksStore.administrators, publish, notify, log }),
    log,
  })
  const scheduler = createScheduler({
    tasks,
    tasksStore,
    runsStore,
    runner,
    now,
    listen: database.listen,
    notify: database.notify,
    log,
  })
  const automation = createAutomationService({
    tasksStore,
    runsStore,
    scheduler,
    now,
    async *dataset(ids) {
      for (const answer of await upkeep.ratedAnswersOf(ids)) yield trainingLine(answer)
    },
  })
  return { automation, summaries: createSummariesService({ store: summariesStore }), scheduler }
}

function buildMemoryUpdate(tools: AutomationTools, upkeep: UpkeepStore): Task {
  const { database, embedding, embeddingSwitch, readPart, processing, files, looseFiles, knownItems } = tools
  const embeddings = createEmbeddingsStore(database)
  return createMemoryUpdate({
    ...upkeep,
    async lackingVectors(kind, limit, without) {
      const profile = await embeddings.activeProfile(kind)
      const isMade = profile !== null && embedding.isChosen(profile)
      return isMade ? embeddings.itemsToFill(profile, limit, without) : null
    },
    makeVectors: (kind, item, signal) =>
      kind === 'text' ? embedding.embedItem(item, signal) : embedding.lookItem(item, readPart, signal),
    switchModel: (kind, signal) => embeddingSwitch.run(kind, signal),
    retrySteps: ({ id, userId, steps }) =>
      processing.reprocess(
        userId,
        id,
        steps.map((step) => processingStepNameSchema.parse(step)),
      ),
    removeLooseFiles: (signal) => looseFiles.deleteDue(files.delete, signal),
    tryKnownItems: knownItems.measure,
    hashOf: async (path, signal) => sha256Of((await files.open(path)).stream, signal),
  })
}

function buildModelFinetuning({ config, settings, ai }: AutomationTools, upkeep: UpkeepStore): Task {
  const { baseUrl, apiKey } = config.remoteAi
  return createModelFinetuning({
    ratedAnswers: upkeep.ratedAnswers,
    fineTuning() {
      const model = ai.chat().model()
      if ((baseUrl === undefined && apiKey === undefined) || model === null) return 'unconnected'
      if (!settings.current().allows_remote_fine_tuning) return 'forbidden'
      return createRemoteFineTuning({ baseUrl, apiKey, model })
    },
    sleep: (signal) => sleep(FOLLOW_EVERY_MS, undefined, { signal }),
  })
}
