import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Ai, createAi } from './adapters/ai/ai.ts'
import type { RemoteOptions } from './adapters/ai/remote.ts'
import { createDiskFiles } from './adapters/files/disk.ts'
import type { EntranceLimits } from './adapters/files/entrance.ts'
import type { Files } from './adapters/files/files.ts'
import { createRequireRoom } from './adapters/files/room.ts'
import { createImages } from './adapters/media/image.ts'
import { createTesseractOcr } from './adapters/media/ocr-tesseract.ts'
import { createPictureFiles } from './adapters/media/picture-files.ts'
import { loadJwtSecret } from './adapters/secrets.ts'
import type { Config } from './config.ts'
import { buildAccount } from './context-account.ts'
import { buildAgents } from './context-agents.ts'
import { buildAutomation } from './context-automation.ts'
import { buildBackups } from './context-backups.ts'
import { buildChat } from './context-chat.ts'
import { buildEffects } from './context-effects.ts'
import { buildEmbeddingSwitch, createWantFilling } from './context-embeddings.ts'
import { buildInsights } from './context-insights.ts'
import { buildJobs } from './context-jobs.ts'
import { buildLibrary } from './context-library.ts'
import { buildProcessing } from './context-media.ts'
import { buildMemory, type MemoryGround } from './context-memory.ts'
import { buildModels, type LocalLimits, openLocalAi } from './context-models.ts'
import { buildTelling } from './context-reminders.ts'
import { buildEngines, openSettings } from './context-settings.ts'
import { buildSystem } from './context-system.ts'
import { openUsers } from './context-users.ts'
import { buildVoice } from './context-voice.ts'
import { type Database, openDatabase } from './db/client.ts'
import { createLooseFiles } from './db/loose-files.ts'
import type { DeletionService } from './features/account/deletion.service.ts'
import type { ExportService } from './features/account/export.service.ts'
import type { AgentsService } from './features/agents/agents.service.ts'
import type { IntentsService } from './features/agents/intents.service.ts'
import type { AutomationService } from './features/automation/automation.service.ts'
import type { SummariesService } from './features/automation/summaries.service.ts'
import type { BackupsService } from './features/backups/backups.service.ts'
import type { AnswerLimits } from './features/chat/answers.service.ts'
import type { ChatService } from './features/chat/chat.service.ts'
import type { ExportsService } from './features/chat/exports.service.ts'
import type { PicturesService } from './features/chat/pictures.service.ts'
import type { SourcesService } from './features/effects/effect-sources.service.ts'
import type { EffectsService } from './features/effects/effects.service.ts'
import type { MadePicturesService } from './features/effects/made-pictures.service.ts'
import { createEvents, type Events } from './features/events/events.service.ts'
import type { AnalyticsService } from './features/insights/analytics.service.ts'
import type { InsightsService } from './features/insights/insights.service.ts'
import type { MemoryLogsService } from './features/insights/memory-logs.service.ts'
import type { CorrectionsService } from './features/media/corrections.service.ts'
import type { ImprovingService } from './features/media/improving.service.ts'
import type { MediaService } from './features/media/media.service.ts'
import type { PartialUploadsService } from './features/media/partial-uploads.service.ts'
import type { UploadService } from './features/media/upload.service.ts'
import type { EmbeddingService } from './features/memory/embedding.service.ts'
import type { EmbeddingSwitchService } from './features/memory/embedding-switch.service.ts'
import type { MemoryService } from './features/memory/memory.service.ts'
import type { ModelsService } from './features/models/models.service.ts'
import type { NotificationsService } from './features/notifications/notifications.service.ts'
import type { RemindersService } from './features/reminders/reminders.service.ts'
import type { EnginesService } from './features/settings/engines.service.ts'
import type { SettingsService } from './features/settings/settings.service.ts'
import { createStorageStore } from './features/settings/storage.store.ts'
import type { SystemService } from './features/system/system.service.ts'
import type { SystemOverviewService } from './features/system/system-overview.service.ts'
import type { SystemSampler } from './features/system/system-sampler.ts'
import type { AuthService } from './features/users/auth.service.ts'
import type { FirstAdmin, UsersService } from './features/users/users.service.ts'
import type { VoiceService } from './features/voice/voice.service.ts'
import type { AuthenticateSigned } from './http/auth.ts'
import type { RequestCounter } from './http/request-counts.ts'
import { createAuthenticateSigned, createSignedPaths } from './http/signed-url.ts'
import { createQueue, type Queue } from './jobs/queue.ts'
import { createLog } from './log.ts'

/** Every object of a running server, built once. */
export interface Context {
  config: Config
  log: Logger
  database: Database
  files: Files
  queue: Queue
  /** Signs and verifies tokens; the same on every server of an instance. */
  jwtSecret: string
  auth: AuthService
  users: UsersService
  settings: SettingsService
  engines: EnginesService
  ai: Ai
  models: ModelsService
  events: Events
  notifications: NotificationsService
  reminders: RemindersService
  agents: AgentsService
  intents: IntentsService
  chat: ChatService
  chatExports: ExportsService
  pictures: PicturesService
  effects: EffectsService
  madePictures: MadePicturesService
  effectSources: SourcesService
  system: SystemService
  systemOverview: SystemOverviewService
  systemSampler: SystemSampler
  requestCounter: RequestCounter
  insights: InsightsService
  memoryLogs: MemoryLogsService
  analytics: AnalyticsService
  media: MediaService
  corrections: CorrectionsService
  improving: ImprovingService
  uploads: UploadService
  partialUploads: PartialUploadsService
  memory: MemoryService
  embedding: EmbeddingService
  embeddingSwitch: EmbeddingSwitchService
  voice: VoiceService
  automation: AutomationService
  summaries: SummariesService
  /** What people take along of theirs, and delete. */
  account: { exports: ExportService; deletion: DeletionService }
  backups: BackupsService
  /** Finds the user whom the address of a file was signed for. */
  authenticateSigned: AuthenticateSigned
  /** Who signs in first, with the password when this start made one up. */
  firstAdmin: FirstAdmin
  /** Begins what happens without a request: jobs and what repeats. */
  start(): Promise<void>
  /** Ends everything in order: what makes work first, what holds data last. */
  close(): Promise<void>
}

/** What tests replace: things at the outermost edge only. */
export interface ContextOverrides {
  database?: Database
  log?: Logger
  /** A low one makes tests fast. */
  bcryptCost?: number
  /** Short times make tests fast. */
  modelLimits?: Partial<RemoteOptions>
  localLimits?: LocalLimits
  answerLimits?: Partial<AnswerLimits>
  /** How long an answer waits for its memory. */
  memoryTimeoutMs?: number | undefined
  /** How long weather and news wait for their sources. */
  sourceTimeoutMs?: number | undefined
  searchLimits?: MemoryGround['limits']
  /** Low ones are reached by small tests. */
  uploadLimits?: Partial<EntranceLimits>
}

/**
 * Builds every object on a configuration: database first, then what reads it, then what serves people.
 * @throws StartupError when the database, the data folder or a secret cannot be used.
 */
export async function createContext(config: Config, overrides: ContextOverrides = {}): Promise<Context> {
  const log = overrides.log ?? createLog(config.logLevel)
  const jwtSecret = loadJwtSecret({ configured: config.jwtSecret, dataDir: config.dataDir })
  const database =
    overrides.database ??
    (await openDatabase({
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      migrationsDir: config.migrationsDir,
      log,
    }))
  const queue = createQueue({
    pool: database.pool,
    isOnlyProcess: database.engine === 'embedded',
    concurrency: { 'process-media': config.ingestConcurrency },
    log,
  })
  try {
    return await buildContext(config, { log, jwtSecret, database, queue }, overrides)
  } catch (error) {
    await queue.stop()
    await database.close()
    throw error
  }
}

type Ground = Pick<Context, 'log' | 'jwtSecret' | 'database' | 'queue'>

async function buildContext(config: Config, ground: Ground, overrides: ContextOverrides): Promise<Context> {
  const { log, jwtSecret, database, queue } = ground
  const settings = await openSettings({ config, database, log })
  const assistantName = () => settings.current().assistant_name
  await queue.open()
  const files = await createDiskFiles({ directory: join(config.dataDir, 'files') })
  const ocr = createTesseractOcr({
    folder: join(config.dataDir, 'ocr'),
    warn: (fields, sentence) => log.warn(fields, sentence),
  })
  const localAi = await openLocalAi({
    ...{ config, log, limits: overrides.localLimits },
    chosenModel: (capability) => settings.current().engines[capability]?.model ?? null,
  })
  const ai = createAi({
    ...{ config, log, remote: overrides.modelLimits, local: localAi, ocrCheck: ocr.check },
    choiceOf: (capability) => settings.current().engines[capability],
  })
  const events = createEvents({ ...database, log })
  const { publish } = events
  const models = buildModels({ local: localAi, database, events, log })
  const { notifications, reminders, reminderClock } = buildTelling({ log, database, events })
  const { notify } = notifications
  const { auth, users, firstAdmin, findUser } = await openUsers({
    ...{ config, log, database, queue, jwtSecret, events, assistantName },
    bcryptCost: overrides.bcryptCost,
  })
  const system = buildSystem({ config, log, database, queue, files, settings, ai, assistantName })

  const signedPaths = createSignedPaths({ secret: jwtSecret })
  const signPath = signedPaths.sign
  const images = createImages()
  const pictureFiles = createPictureFiles({ files, images })
  const looseFiles = createLooseFiles(database)
  const removeLooseFiles = () => queue.enqueue('delete-files', { loose: true })
  const { usedBytes } = createStorageStore(database)
  const requireRoom = createRequireRoom(async (userId) => {
    const limitBytes = settings.current().limits.storage_bytes_per_user
    return limitBytes === null ? null : { limitBytes, usedBytes: await usedBytes(userId) }
  })

  const { memory, passages, embedding } = buildMemory({
    ...{ log, database, ai, limits: overrides.searchLimits, signPath, publish },
    wantFilling: createWantFilling({ queue, log }),
  })
  const { processing, resuming, drawing, readPart, ...processes } = await buildProcessing({
    ...{ config, log, database, queue, files, images, looseFiles, ai, embedding, events },
    notifyIn: notifications.notifyIn,
    // an administrator may have turned it off
    ocr: { ...ocr, check: () => ai.checks().ocr },
  })
  localAi.onChange((model) => {
    if (localAi.describe(model).state === 'ready') resuming.resumeSoon()
  })
  const embeddingSwitch = buildEmbeddingSwitch({ database, embedding, readPart, settings, queue, log })
  const engines = buildEngines({ config, ai, ocr, useScratch: drawing.useScratch, log })
  const { removePartialsOf, ...library } = await buildLibrary({
    ...{ config, database, files, looseFiles, pictureFiles, queue, processing, settings, events, signPath },
    ...{ requireRoom, removeLooseFiles, limits: overrides.uploadLimits },
  })
  const { media } = library
  const effects = buildEffects({
    ...{ log, database, files, looseFiles, pictureFiles, ai, events, media, drawing, requireRoom, removeLooseFiles },
    signPath,
  })
  const voice = buildVoice({ files, ai, drawing })

  const { agents, intents, ...helpers } = buildAgents({
    ...{ config, log, database, settings, events, media, memory, reminders, findUser },
    sourceTimeoutMs: overrides.sourceTimeoutMs,
  })
  const conversations = buildChat({
    ...{ log, database, files, looseFiles, images, pictureFiles, ai, agents, events, media, passages, assistantName },
    ...{ requireRoom, removeLooseFiles, signPath },
    limits: overrides.answerLimits,
    memoryTimeoutMs: overrides.memoryTimeoutMs,
  })
  const { chat, chatExports } = conversations

  const { scheduler, ...repeating } = buildAutomation({
    ...{ config, database, files, looseFiles, ai, embedding, embeddingSwitch, readPart, processing, intents, settings },
    ...{ publish, notify, log },
  })
  const { backups, ...backingUp } = buildBackups({
    ...{ config, log, database, files, queue, settings, signPath, notify },
  })
  const account = buildAccount({
    ...{ log, database, files, auth, chatExports, events, removeLooseFiles, signPath, notify },
    removePartialUploads: removePartialsOf,
  })
  const { rollups, ...insights } = buildInsights({
    ...{ database, queue, agents, media, usedBytes },
    system: system.system,
    av: drawing.av,
  })
  const jobs = buildJobs({
    ...{ log, database, queue, settings, files, looseFiles, rollups, processing, resuming, embeddingSwitch, backups },
    ...{ improving: library.improving, partialUploads: library.partialUploads, removePartialsOf },
  })

  return {
    ...{ config, log, database, files, queue, jwtSecret },
    ...{ auth, users, firstAdmin, settings, engines, ai, models },
    ...{ events, notifications, reminders, agents, intents },
    ...conversations,
    ...effects,
    ...{ account, backups },
    ...system,
    ...insights,
    ...library,
    ...{ memory, embedding, embeddingSwitch, voice },
    ...repeating,
    authenticateSigned: createAuthenticateSigned({ signedPaths, findUser }),
    start: async () => {
      await chat.start()
      reminderClock.start()
      intents.start()
      system.systemSampler.start()
      await scheduler.start()
      await backingUp.start()
      await queue.start(jobs.handlers, { sweep: jobs.sweep })
    },
    close: async () => {
      settings.close()
      system.systemSampler.close()
      await backingUp.close()
      await reminderClock.close()
      await scheduler.close()
      await chat.close()
      await helpers.close()
      await effects.effects.close()
      await processes.close()
      await queue.stop()
      await ocr.close()
      models.close()
      await localAi.close()
      await database.close()
    },
  }
}
