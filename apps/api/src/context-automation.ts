import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { processingStepNameSchema, say, type UserEventJson } from '@mira/shared'
import type { Ai } from './adapters/ai/ai.ts'
import { asLanguage } from './adapters/ai/language.ts'
import { createRemoteFineTuning } from './adapters/ai/remote-fine-tuning.ts'
import type { Files } from './adapters/files/files.ts'
import type { Config } from './config.ts'
import type { Database } from './db/client.ts'
import type { LooseFiles } from './db/loose-files.ts'
import { trainInThread } from './features/agents/intent-trainer.ts'
import type { IntentsService } from './features/agents/intents.service.ts'
import { type AutomationService, createAutomationService } from './features/automation/automation.service.ts'
import { createRunner } from './features/automation/runner.ts'
import { createRunsStore } from './features/automation/runs.store.ts'
import { createScheduler, type Scheduler } from './features/automation/scheduler.ts'
import { createSummariesService, type SummariesService } from './features/automation/summaries.service.ts'
import { createSummariesStore } from './features/automation/summaries.store.ts'
import { createSummaryAuthor, type WriteText } from './features/automation/summary-author.ts'
import { createTagTrainer } from './features/automation/tag-trainer.ts'
import type { Task } from './features/automation/task.ts'
import { createClassifierRetrain } from './features/automation/tasks/classifier-retrain.ts'
import { createMemoryUpdate } from './features/automation/tasks/memory-update.ts'
import { createModelFinetuning, trainingLine } from './features/automation/tasks/model-finetuning.ts'
import { createSummaryGeneration } from './features/automation/tasks/summary-generation.ts'
import { createTasksStore } from './features/automation/tasks.store.ts'
import { createUpkeepStore } from './features/automation/upkeep.store.ts'
import type { ProcessingService } from './features/media/processing.service.ts'
import type { EmbeddingService } from './features/memory/embedding.service.ts'
import type { EmbeddingSwitchService } from './features/memory/embedding-switch.service.ts'
import { createEmbeddingsStore, type PartRow } from './features/memory/embeddings.store.ts'
import type { Notify } from './features/notifications/notifications.service.ts'
import type { SettingsService } from './features/settings/settings.service.ts'
import type { Log } from './log.ts'

export interface AutomationGround {
  config: Pick<Config, 'remoteAi'>
  database: Database
  files: Pick<Files, 'open' | 'delete'>
  looseFiles: Pick<LooseFiles, 'deleteDue'>
  ai: Pick<Ai, 'chat'>
  embedding: EmbeddingService
  embeddingSwitch: EmbeddingSwitchService
  readPart(part: PartRow): Promise<Uint8Array>
  processing: Pick<ProcessingService, 'reprocess'>
  intents: Pick<IntentsService, 'retrain'>
  settings: Pick<SettingsService, 'current'>
  publish(userId: string, event: UserEventJson): void
  notify: Notify
  log: Log
}

const FOLLOW_EVERY_MS = 10_000
const LINK = '/dashboard?tab=automation'
const FOUND_DAMAGE = say('run_found_damage', {}, 'It found something wrong: see its log.')

/** Builds what runs by itself. */
export function buildAutomation(ground: AutomationGround): {
  automation: AutomationService
  summaries: SummariesService
  scheduler: Scheduler
} {
  const { database, log, publish, notify } = ground
  const now = () => new Date()
  const runsStore = createRunsStore(database)
  const tasksStore = createTasksStore(database)
  const summariesStore = createSummariesStore(database)
  const upkeep = createUpkeepStore(database)
  const tasks = {
    memory_update: buildMemoryUpdate(ground, upkeep),
    classifier_retrain: createClassifierRetrain({
      async retrainIntents() {
        const { before, after, ...trained } = await ground.intents.retrain()
        return { ...trained, before: before?.accuracy ?? null, after: after.accuracy }
      },
      retrainTags: createTagTrainer({ store: upkeep, train: trainInThread }),
    }),
    summary_generation: createSummaryGeneration({
      store: summariesStore,
      write: createSummaryAuthor({
        writeText: createWriteText(ground),
        warn: (error) => log.warn({ err: error }, 'the model wrote no summary of a week; a rule did'),
      }),
      tell: (userId) => notify(userId, { kind: 'summary_ready', link: '/dashboard' }),
      async language() {
        const [first] = await tasksStore.administrators()
        const row =
          first && (await database.prisma.user.findUnique({ where: { id: first }, select: { language: true } }))
        return row ? row.language : 'en'
      },
    }),
    model_finetuning: buildModelFinetuning(ground, upkeep),
  }
  const runner = createRunner({
    ...{ store: runsStore, tasks, serverId: randomUUID(), isOnlyServer: database.engine === 'embedded', log },
    timeZoneOf: async (taskType) =>
      (await tasksStore.all()).find((row) => row.taskType === taskType)?.timeZone ?? 'UTC',
    onChange({ id, taskType, status }) {
      tasksStore
        .administrators()
        .then((ids) => {
          for (const userId of ids) publish(userId, { type: 'automation.run', id, task_type: taskType, status })
        })
        .catch((error: unknown) => log.warn({ err: error }, 'administrators could not be told of a run'))
    },
    async onEnd(run, { status, error }) {
      const isDamage = status === 'completed' && run.results.success === false
      if (status === 'failed' || isDamage) {
        const { text: reason, told } = error ?? FOUND_DAMAGE
        for (const userId of await tasksStore.administrators()) {
          const params = { title: run.taskType, reason }
          await notify(userId, { kind: 'automation_failed', params, told, link: LINK, subjectId: run.id })
        }
      } else if (status === 'completed' && run.requestedBy !== null) {
        const params = { title: run.taskType }
        await notify(run.requestedBy, { kind: 'automation_done', params, link: LINK, subjectId: run.id }).catch(
          // the account may have gone meanwhile
          (failure: unknown) => log.info({ err: failure }, 'whoever asked for a run could not be told'),
        )
      }
    },
  })
  const scheduler = createScheduler({ ...{ tasks, tasksStore, runsStore, runner, now, log }, ...pick(database) })
  const automation = createAutomationService({
    ...{ tasksStore, runsStore, scheduler, now },
    async *dataset(ids) {
      for (const answer of await upkeep.ratedAnswersOf(ids)) yield trainingLine(answer)
    },
  })
  return { automation, summaries: createSummariesService({ store: summariesStore }), scheduler }
}

const pick = ({ listen, notify }: Database) => ({ listen, notify })

function buildMemoryUpdate(ground: AutomationGround, upkeep: ReturnType<typeof createUpkeepStore>): Task {
  const { database, embedding, embeddingSwitch, readPart, processing, files, looseFiles } = ground
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
    async hashOf(path, signal) {
      const { stream } = await files.open(path)
      const hash = createHash('sha256')
      for await (const chunk of stream) {
        signal.throwIfAborted()
        hash.update(chunk as Uint8Array)
      }
      return hash.digest('hex')
    },
  })
}

function buildModelFinetuning(
  { config, settings, ai }: AutomationGround,
  upkeep: ReturnType<typeof createUpkeepStore>,
): Task {
  const { baseUrl, apiKey } = config.remoteAi
  const isConnected = baseUrl !== undefined || apiKey !== undefined
  return createModelFinetuning({
    ratedAnswers: upkeep.ratedAnswers,
    fineTuning() {
      const model = ai.chat().model()
      if (!(isConnected && settings.current().allows_remote_fine_tuning) || model === null) return null
      return createRemoteFineTuning({ baseUrl, apiKey, model })
    },
    offReason: () =>
      isConnected
        ? say(
            'training_forbidden',
            {},
            'The data set is kept for download. The settings do not allow it to be sent to the connected server.',
          )
        : say(
            'training_unconnected',
            {},
            'The data set is kept for download. No model server is connected that could be trained with it.',
          ),
    sleep: (signal) => sleep(FOLLOW_EVERY_MS, undefined, { signal }),
  })
}

/** Asks the connected model for one text; the built-in engine writes none. */
function createWriteText({ ai }: Pick<AutomationGround, 'ai'>): WriteText {
  return async ({ instructions, text, language }, signal) => {
    const engine = ai.chat()
    if (engine.name === 'built-in') return null
    const question = {
      ...{ instructions, turns: [{ role: 'user' as const, content: text }], language: asLanguage(language) ?? 'en' },
      ...{ timeZone: 'UTC', assistantName: 'Mira', recall: async () => [], passages: null, tools: [] },
      toolFor: () => null,
      callTool: async () => ({ isError: true, text: '' }),
    }
    let written = ''
    for await (const event of engine.answer(question, signal)) {
      if (event.type === 'text') written += event.text
      if (event.type === 'end') return { text: written, engine: engine.name, model: event.model }
    }
    return null
  }
}
