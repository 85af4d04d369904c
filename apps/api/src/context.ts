import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Ai, createAi } from './adapters/ai/ai.ts'
import { guessLanguage, searchConfiguration } from './adapters/ai/language.ts'
import type { RemoteOptions } from './adapters/ai/remote.ts'
import { createDiskFiles } from './adapters/files/disk.ts'
import { createEntrance, type EntranceLimits } from './adapters/files/entrance.ts'
import type { Files } from './adapters/files/files.ts'
import { createRequireRoom } from './adapters/files/room.ts'
import { probeFolder } from './adapters/files/storage-probe.ts'
import { createImages } from './adapters/media/image.ts'
import { createTesseractOcr } from './adapters/media/ocr-tesseract.ts'
import { createPictureFiles } from './adapters/media/picture-files.ts'
import { sniffFile } from './adapters/media/sniff.ts'
import { createTurns } from './adapters/media/turns.ts'
import { fingerprintOf, loadJwtSecret } from './adapters/secrets.ts'
import { type Config, VERSION } from './config.ts'
import { buildAccount } from './context-account.ts'
import { buildAgents } from './context-agents.ts'
import { buildAnalytics } from './context-analytics.ts'
import { buildAutomation } from './context-automation.ts'
import { buildBackups } from './context-backups.ts'
import { buildChat } from './context-chat.ts'
import { buildEffects } from './context-effects.ts'
import { buildEmbeddingSwitch, createWantFilling } from './context-embeddings.ts'
import { buildProcessing } from './context-media.ts'
import { buildMemory, type MemoryGround } from './context-memory.ts'
import { buildModels, type LocalLimits, openLocalAi } from './context-models.ts'
import { buildTelling } from './context-reminders.ts'
import { buildEngines, openSettings } from './context-settings.ts'
import { buildSystemOverview } from './context-system.ts'
import { buildPartialUploads } from './context-uploads.ts'
import { buildVoice } from './context-voice.ts'
import { type Database, openDatabase } from './db/client.ts'
import { createLooseFiles } from './db/loose-files.ts'
import type { DeletionService } from './features/account/deletion.service.ts'
import type { ExportService } from './features/account/export.service.ts'
import type { AgentsService } from './features/agents/agents.service.ts'
import type { IntentsService } from './features/agents/intents.service.ts'
import { createFile } from './features/agents/kinds/file.ts'
import { createReminder } from './features/agents/kinds/reminder.ts'
import type { AutomationService } from './features/automation/automation.service.ts'
import type { SummariesService } from './features/automation/summaries.service.ts'
import type { BackupsService } from './features/backups/backups.service.ts'
import type { AnswerLimits } from './features/chat/answers.service.ts'
import type { ChatService } from './features/chat/chat.service.ts'
import { createChatStore } from './features/chat/chat.store.ts'
import { createExportsService, type ExportsService } from './features/chat/exports.service.ts'
import { createExportsStore } from './features/chat/exports.store.ts'
import { createPicturesService, type PicturesService } from './features/chat/pictures.service.ts'
import { createPicturesStore } from './features/chat/pictures.store.ts'
import type { SourcesService } from './features/effects/effect-sources.service.ts'
import type { EffectsService } from './features/effects/effects.service.ts'
import type { MadePicturesService } from './features/effects/made-pictures.service.ts'
import { createEvents, type Events } from './features/events/events.service.ts'
import type { AnalyticsService } from './features/insights/analytics.service.ts'
import { createInsightsService, type InsightsService } from './features/insights/insights.service.ts'
import { createInsightsStore } from './features/insights/insights.store.ts'
import { createMemoryLogsService, type MemoryLogsService } from './features/insights/memory-logs.service.ts'
import { createMemoryLogsStore } from './features/insights/memory-logs.store.ts'
import { type CorrectionsService, createCorrectionsService } from './features/media/corrections.service.ts'
import { createCorrectionsStore } from './features/media/corrections.store.ts'
import { createDetailStore } from './features/media/detail.store.ts'
import { createImprovingService, type ImprovingService } from './features/media/improving.service.ts'
import { createImprovingStore } from './features/media/improving.store.ts'
import { createItemPicturesStore } from './features/media/item-pictures.store.ts'
import { createLibraryStore } from './features/media/library.store.ts'
import { createMediaService, type MediaService } from './features/media/media.service.ts'
import { createMediaStore } from './features/media/media.store.ts'
import type { PartialUploadsService } from './features/media/partial-uploads.service.ts'
import { createUploadService, type UploadService } from './features/media/upload.service.ts'
import { UPLOAD_LIMITS, uploadWords } from './features/media/upload-limits.ts'
import type { EmbeddingService } from './features/memory/embedding.service.ts'
import type { EmbeddingSwitchService } from './features/memory/embedding-switch.service.ts'
import type { MemoryService } from './features/memory/memory.service.ts'
import type { ModelsService } from './features/models/models.service.ts'
import type { NotificationsService } from './features/notifications/notifications.service.ts'
import type { RemindersService } from './features/reminders/reminders.service.ts'
import type { EnginesService } from './features/settings/engines.service.ts'
import type { SettingsService } from './features/settings/settings.service.ts'
import { createStorageStore } from './features/settings/storage.store.ts'
import { createSystemService, type SystemService } from './features/system/system.service.ts'
import type { SystemOverviewService } from './features/system/system-overview.service.ts'
import type { SystemSampler } from './features/system/system-sampler.ts'
import { type AuthService, createAuthService } from './features/users/auth.service.ts'
import { createAuthStore } from './features/users/auth.store.ts'
import { BCRYPT_COST, createPasswordHasher } from './features/users/password.ts'
import { createUsersService, type FirstAdmin, type UsersService } from './features/users/users.service.ts'
import { createUsersStore } from './features/users/users.store.ts'
import type { VoiceService } from './features/voice/voice.service.ts'
import type { AuthenticateSigned } from './http/auth.ts'
import type { RequestCounter } from './http/request-counts.ts'
import { createAuthenticateSigned, createSignedPaths } from './http/signed-url.ts'
import { createCleanUp } from './jobs/clean-up.ts'
import { createDeleteFiles } from './jobs/delete-files.ts'
import type { JobHandlers } from './jobs/jobs.ts'
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
  const models = buildModels({ local: localAi, database, events, log })
  const { notifications, reminders, reminderClock } = buildTelling({ log, database, events })

  const usersStore = createUsersStore(database)
  const authStore = createAuthStore(database)
  const passwords = createPasswordHasher(overrides.bcryptCost ?? BCRYPT_COST)
  const auth = createAuthService({ store: authStore, users: usersStore, passwords, assistantName, log })
  const users = createUsersService({
    store: usersStore,
    auth: authStore,
    passwords,
    assistantName,
    publish: events.publish,
    removeFilesOf: (userId, tx) => queue.enqueue('delete-files', { user_id: userId }, { tx }),
  })
  await auth.acceptSecret({ fingerprint: fingerprintOf(jwtSecret), isOnlyServer: database.engine === 'embedded' })
  const firstAdmin = await users.ensureFirstAdmin({ username: config.adminUsername, password: config.adminPassword })

  const {
    agents,
    intents,
    close: closeAgents,
  } = buildAgents({
    ...{ config, database, log },
    newsFeeds: () => settings.current().news_feeds,
    sourceTimeoutMs: overrides.sourceTimeoutMs,
    ownKinds: [
      createReminder({ reminders }),
      createFile({
        mayUse: async (userId) => (await usersStore.find(userId))?.can_upload ?? false,
        list: (userId, query) => media.list(userId, query),
        sizes: (userId) => media.sizes(userId),
        search: (caller, { query, types, from, to, limit }) =>
          memory.search(
            { userId: caller.userId, timeZone: caller.timeZone, language: caller.language, inAnalytics: false },
            {
              ...{ query, limit, include_frames: true, media_types: types },
              from: from?.toISOString(),
              to: to?.toISOString(),
            },
          ),
      }),
    ],
  })
  const chatExports = createExportsService({
    chats: createChatStore(database),
    store: createExportsStore(database),
    assistantName,
  })
  const system = createSystemService({
    version: VERSION,
    assistantName,
    uploadBytes: () => settings.current().limits.upload_bytes,
    database,
    probeStorage: async () => {
      await probeFolder(config.dataDir)
      return files.freeBytes()
    },
    countJobs: () => queue.counts(),
    modelChecks: () => ai.checks(),
  })
  const measuring = buildSystemOverview({ config, database, queue, system, log })
  const signedPaths = createSignedPaths({ secret: jwtSecret })
  const images = createImages()
  const pictureFiles = createPictureFiles({ files, images })
  const looseFiles = createLooseFiles(database)
  const { memory, passages, embedding } = buildMemory({
    ...{ log, database, ai, limits: overrides.searchLimits },
    wantFilling: createWantFilling({ queue, log }),
    signPath: signedPaths.sign,
  })
  const {
    processing,
    resuming,
    drawing,
    readPart,
    close: closeProcessing,
  } = await buildProcessing({
    ...{ config, log, database, queue, files, images, looseFiles, ai, embedding, events },
    notifyIn: notifications.notifyIn,
    // an administrator may have turned it off
    ocr: { ...ocr, check: () => ai.checks().ocr },
  })
  const embeddingSwitch = buildEmbeddingSwitch({ database, embedding, readPart, settings, queue, log })
  const engines = buildEngines({ config, ai, ocr, useScratch: drawing.useScratch, log })
  const removeLooseFiles = () => queue.enqueue('delete-files', { loose: true })
  const mediaStore = createMediaStore(database)
  const media = createMediaService({
    store: mediaStore,
    library: createLibraryStore(database),
    details: createDetailStore(database),
    pictureFiles,
    processing,
    signPath: signedPaths.sign,
    removeLooseFiles,
    publish: events.publish,
  })
  const { automation, summaries, scheduler } = buildAutomation({
    ...{ config, database, files, looseFiles, ai, embedding, embeddingSwitch, readPart, processing, intents, settings },
    publish: events.publish,
    notify: notifications.notify,
    log,
  })
  const improving = createImprovingService({
    store: createImprovingStore(database),
    reprocess: processing.reprocess,
    enqueue: (job, startAfter) => queue.enqueue('improve-media', job, startAfter ? { startAfter } : {}),
  })
  const corrections = createCorrectionsService({
    store: createCorrectionsStore(database),
    ...{ processing, guessLanguage, searchConfiguration },
    publish: events.publish,
  })
  const uploadLimits = { ...UPLOAD_LIMITS, ...overrides.uploadLimits }
  const storage = createStorageStore(database)
  const requireRoom = createRequireRoom(async (userId) => {
    const limitBytes = settings.current().limits.storage_bytes_per_user
    return limitBytes === null ? null : { limitBytes, usedBytes: await storage.usedBytes(userId) }
  })
  const enter = createEntrance({
    freeBytes: () => files.freeBytes(),
    limits: uploadLimits,
    words: uploadWords(uploadLimits),
    requireRoom,
  })
  const uploads = createUploadService({
    store: mediaStore,
    media,
    ...{ files, looseFiles, sniffFile, processing, enter },
    publish: events.publish,
  })
  const { partialUploads, removePartialsOf } = await buildPartialUploads({
    ...{ config, database, files, media, uploads, enter, requireRoom },
    maxBytes: () => settings.current().limits.upload_bytes,
  })
  const account = buildAccount({
    ...{ log, database, files, auth, chatExports, events, removeLooseFiles },
    signPath: signedPaths.sign,
    notify: notifications.notify,
    removePartialUploads: removePartialsOf,
  })
  const {
    backups,
    start: startBackups,
    close: closeBackups,
  } = buildBackups({
    ...{ config, log, database, files, queue, settings },
    signPath: signedPaths.sign,
    notify: notifications.notify,
  })
  const { effects, madePictures, effectSources } = buildEffects({
    ...{ log, database, files, looseFiles, pictureFiles, ai, events, media, drawing, requireRoom, removeLooseFiles },
    signPath: signedPaths.sign,
  })
  const pictures = createPicturesService({
    store: createPicturesStore(database),
    files,
    looseFiles,
    images,
    pictureFiles,
    requireRoom,
    // each holds up to 57 MB of base64 until its pictures are stored
    takeTurn: createTurns({ atOnce: 2, waiting: 6 }),
    signPath: signedPaths.sign,
    addMediaItem: media.add,
    mediaItem: media.item,
    log,
  })
  const voice = buildVoice({ files, ai, drawing })
  const chat = buildChat({
    ...{ log, database, ai, agents, events, pictures, passages, pictureFiles, assistantName },
    listShowing: createItemPicturesStore(database).listShowing,
    removeLooseFiles,
    signPath: signedPaths.sign,
    limits: overrides.answerLimits,
    memoryTimeoutMs: overrides.memoryTimeoutMs,
  })
  const insights = createInsightsService({
    store: createInsightsStore(database),
    countMedia: (userId) => media.count(userId),
    checks: () => system.checks(),
    countAgents: () => agents.count(),
    filmTools: () => drawing.av.check(),
    countGivenUp: async () => (await queue.counts())['process-media'].failed,
  })

  const { analytics, rollups } = buildAnalytics(database)
  const memoryLogs = createMemoryLogsService({
    store: createMemoryLogsStore(database),
    usedBytes: storage.usedBytes,
  })

  const cleanUpRows = createCleanUp({ pool: database.pool, retention: () => settings.current().retention, log })
  localAi.onChange((model) => {
    if (localAi.describe(model).state === 'ready') resuming.resumeSoon()
  })

  const jobHandlers: JobHandlers = {
    'delete-files': createDeleteFiles({ files, looseFiles, removePartialsOf }),
    'clean-up': async () => {
      await rollups.beforeRemoving(settings.current().retention.activity_days)
      await cleanUpRows()
      await partialUploads.cleanUp()
    },
    'process-media': processing.handleJob,
    'improve-media': (job, { signal }) => improving.run(job, signal),
    'roll-up-activities': (_data, { signal }) => rollups.run(signal),
    'fill-embeddings': ({ kind }, { signal }) => embeddingSwitch.run(kind, signal),
    'make-backup': ({ backup_id: id }, { signal }) => backups.run(id, signal),
  }
  /** What a crash left: files whose rows have gone, files that got none, and items that nobody processes. */
  const sweep = async () => {
    if (await looseFiles.hasDue()) await queue.enqueue('delete-files', { loose: true })
    await processing.sweep()
    resuming.resumeSoon()
    await backups.sweep()
    for (const kind of await embeddingSwitch.waiting()) await queue.enqueue('fill-embeddings', { kind })
  }

  return {
    config,
    log,
    database,
    files,
    queue,
    jwtSecret,
    auth,
    users,
    settings,
    engines,
    ai,
    models,
    events,
    notifications,
    reminders,
    agents,
    intents,
    chat,
    chatExports,
    pictures,
    effects,
    madePictures,
    effectSources,
    account,
    backups,
    system,
    ...measuring,
    insights,
    memoryLogs,
    analytics,
    media,
    corrections,
    improving,
    uploads,
    partialUploads,
    memory,
    embedding,
    embeddingSwitch,
    voice,
    automation,
    summaries,
    authenticateSigned: createAuthenticateSigned({ signedPaths, findUser: usersStore.find }),
    firstAdmin,
    start: async () => {
      await chat.start()
      reminderClock.start()
      intents.start()
      measuring.systemSampler.start()
      await scheduler.start()
      await startBackups()
      await queue.start(jobHandlers, { sweep })
    },
    close: async () => {
      settings.close()
      measuring.systemSampler.close()
      await closeBackups()
      await reminderClock.close()
      await scheduler.close()
      await chat.close()
      await closeAgents()
      await effects.close()
      await closeProcessing()
      await queue.stop()
      await ocr.close()
      models.close()
      await localAi.close()
      await database.close()
    },
  }
}
