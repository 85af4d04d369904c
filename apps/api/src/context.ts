import type { Config } from './config.ts'
import { buildFoundations, type ContextBasis, type ContextOverrides } from './foundations.ts'
import { buildJobs } from './job-handlers.ts'
import { createLog } from './log.ts'
import { buildBackups } from './modules/admin/backups/index.ts'
import { createUpdateBackup, type UpdateBackup } from './modules/admin/backups/update-backup.ts'
import { buildInsights } from './modules/admin/insights/index.ts'
import { buildEngines } from './modules/admin/settings/index.ts'
import { buildSystem } from './modules/admin/system/index.ts'
import { buildAutomation } from './modules/automation/index.ts'
import { createAboutMeService } from './modules/chat/about-me/about-me.service.ts'
import { createAboutMeStore } from './modules/chat/about-me/about-me.store.ts'
import { buildAgents } from './modules/chat/agents/index.ts'
import { buildChat } from './modules/chat/index.ts'
import { createPersonasService } from './modules/chat/personas/personas.service.ts'
import { createPersonasStore } from './modules/chat/personas/personas.store.ts'
import { createProjectsService } from './modules/chat/projects/projects.service.ts'
import { createProjectsStore } from './modules/chat/projects/projects.store.ts'
import { createPromptsService } from './modules/chat/prompts/prompts.service.ts'
import { createVoiceService } from './modules/chat/voice/voice.service.ts'
import { buildWeb } from './modules/chat/web/index.ts'
import { createMemoryForPrograms } from './modules/gateways/mcp/memory.service.ts'
import { createCompletionsService } from './modules/gateways/openai/completions.service.ts'
import { createResponsesService } from './modules/gateways/openai/responses.service.ts'
import { buildAccountData, openIdentity } from './modules/identity/index.ts'
import { buildImports, buildLibrary, buildPartialUploads, buildProcessing } from './modules/library/index.ts'
import { buildMemory, createEmbeddingSwitch } from './modules/search/index.ts'
import { buildEffects } from './modules/studio/index.ts'
import { type AuditRecord, recordAudit } from './platform/database/audit.ts'
import { openDatabase } from './platform/database/client.ts'
import type { EmbeddedDatabase } from './platform/database/embedded.ts'
import { createDraining } from './platform/http/draining.ts'
import { createAuthenticateSigned } from './platform/http/signed-url.ts'
import { mediaJobLimits } from './platform/queue/jobs.ts'
import { createQueue } from './platform/queue/queue.ts'
import { loadJwtSecret } from './platform/storage/secrets.ts'

/**
 * Builds all services from the configuration: the database first, then what depends on it.
 * @param embedded the embedded database, when it's already being opened.
 * @throws StartupError when the database, the data folder or a secret can't be used.
 */
export async function createContext(
  config: Config,
  overrides: ContextOverrides = {},
  embedded?: Promise<EmbeddedDatabase>,
): Promise<Context> {
  const log = overrides.log ?? createLog(config.logLevel)
  const jwtSecret = loadJwtSecret({ configured: config.jwtSecret, dataDir: config.dataDir })
  const updateBackup = createUpdateBackup(config, log)
  const database =
    overrides.database ??
    (await openDatabase({
      beforeMigrating: updateBackup.beforeMigrating,
      databaseUrl: config.databaseUrl,
      poolerUrl: config.databasePoolerUrl,
      isWorker: config.role !== 'web',
      dataDir: config.dataDir,
      migrationsDir: config.migrationsDir,
      ...(embedded && { openEmbedded: () => embedded }),
      log,
    }))
  await updateBackup.finish()
  const queue = createQueue({
    pool: database.pool,
    isOnlyProcess: database.engine === 'embedded',
    limits: mediaJobLimits(config.ingestConcurrency),
    log,
  })
  try {
    return await buildContext(config, { log, jwtSecret, database, queue }, overrides, updateBackup)
  } catch (error) {
    await queue.stop()
    await database.close()
    throw error
  }
}

/** All services of a running server, built once. */
export type Context = Awaited<ReturnType<typeof buildContext>>

async function buildContext(
  config: Config,
  basis: ContextBasis,
  overrides: ContextOverrides,
  updateBackup: UpdateBackup,
) {
  const { log, jwtSecret, database, queue } = basis
  const foundations = await buildFoundations(config, basis, overrides)
  const { common, contextParts, ocr, localAi, webhookNotices, webhookDeliveries } = foundations
  const { ai, mcpServers, notifications, reminders, push, signedPaths, storage } = contextParts

  const identity = await openIdentity({ ...common, bcryptCost: overrides.bcryptCost })
  const { auth, confirmation, users, preferences, auditSealing } = identity
  const { memory, passages, embedding, embeddings, vectors, wordIndex, knownItems } = buildMemory({
    ...common,
    limits: overrides.searchLimits,
  })
  const draining = createDraining()
  const system = buildSystem({ ...common, knownItems, isStopping: draining.isStopping })
  const {
    processing,
    resuming,
    readers,
    readPart,
    close: closeReaders,
  } = await buildProcessing({
    ...common,
    embedding,
    notifications: contextParts.notifications,
    // Checked through `ai`, since an administrator may have turned OCR off.
    ocr: {
      ...ocr,
      get model() {
        return ocr.model
      },
      check: () => ai.checks().ocr,
    },
  })
  localAi.onChange((model) => {
    if (localAi.describe(model).state === 'ready') resuming.resumeSoon()
  })
  const embeddingSwitch = createEmbeddingSwitch({ ...common, store: embeddings, vectors, embedding, readPart })
  const engines = buildEngines({ ...common, ocr })
  const { scanning, ...library } = buildLibrary({
    ...common,
    processing,
    limits: overrides.uploadLimits,
    pageLimits: overrides.pageLimits,
    settledMs: overrides.settledMs,
  })
  const { media } = library
  const web = buildWeb({ ...common, readers, limits: overrides.webLimits })
  const effects = buildEffects({ ...common, media, readers })
  const voice = createVoiceService({ ...common, readers })
  const {
    agents,
    intents,
    close: closeAgents,
  } = buildAgents({
    ...common,
    media,
    memory,
    reminders,
    mcpServers,
    sourceTimeoutMs: overrides.sourceTimeoutMs,
  })
  const prompts = createPromptsService(database)
  const aboutMe = createAboutMeService({ store: createAboutMeStore(database) })
  const projects = createProjectsService({
    store: createProjectsStore(database),
    memory,
  })
  const personas = createPersonasService({
    store: createPersonasStore(database),
    agents,
  })
  const { foreignConversations, ...conversations } = buildChat({
    ...common,
    personas,
    projects,
    preferences,
    aboutMe,
    agents,
    web,
    media,
    corrections: library.corrections,
    passages,
    onAnswered: (userId, answer) => {
      webhookNotices.answered()
      push.onAnswered(userId, answer)
    },
    limits: overrides.answerLimits,
    memoryTimeoutMs: overrides.memoryTimeoutMs,
  })
  const { chat, chatExports } = conversations
  const memoryForPrograms = createMemoryForPrograms({
    ...common,
    ...library,
    chat,
    memory,
    passages,
    reminders,
  })
  const completions = createCompletionsService({ config, ai, chat })
  const { scheduler, ...automation } = buildAutomation({
    ...common,
    embedding,
    embeddings,
    embeddingSwitch,
    readPart,
    processing,
    intents,
    knownItems,
    notifications,
  })
  const { backups, trialRestores, scrubbing, offsite, ...backupSchedule } = buildBackups({
    ...common,
    notifications,
    updateBackup,
    proveBackup: overrides.proveBackup,
  })
  const { imports, importRunner, conversationIndexing, closeImports } = buildImports({
    ...common,
    ...library,
    chat,
    conversations: foreignConversations,
    importTargets: { project: projects, persona: personas, prompt: prompts },
  })
  const partialUploads = await buildPartialUploads({
    ...common,
    ...library,
    imports,
    limits: overrides.uploadLimits,
  })
  const account = buildAccountData({
    ...common,
    partialUploads,
    confirmation,
    chatExports,
    notifications,
  })
  const { rollups, ...insights } = buildInsights({
    ...common,
    agents,
    media,
    storage,
    health: system.health,
    av: readers.av,
  })
  const jobs = buildJobs({
    ...common,
    auditSealing,
    ...library,
    scanning,
    partialUploads,
    webhookDeliveries,
    webhookNotices,
    push,
    rollups,
    processing,
    resuming,
    embeddingSwitch,
    wordIndex,
    backups,
    trialRestores,
    scrubbing,
    offsite,
    imports,
    importRunner,
    conversationIndexing,
    emptyAccountTrash: () => users.emptyTrash(),
  })

  return {
    ...contextParts,
    config,
    log,
    database,
    queue,
    jwtSecret,
    draining,
    untrustedProxies: common.untrustedProxies,
    auth,
    confirmation,
    apiTokens: identity.apiTokens,
    accessItems: identity.accessItems,
    users,
    signIn: identity.signIn,
    programs: identity.programs,
    audit: identity.audit,
    firstAdmin: identity.firstAdmin,
    engines,
    aboutMe,
    prompts,
    projects,
    personas,
    agents,
    intents,
    ...conversations,
    completions,
    responses: createResponsesService({ completions, database }),
    memoryForPrograms,
    ...effects,
    account: { ...account, preferences },
    imports,
    backups,
    trialRestores,
    scrubbing,
    offsite,
    ...system,
    ...insights,
    ...library,
    partialUploads,
    web,
    memory,
    knownItems,
    embedding,
    embeddingSwitch,
    voice,
    ...automation,
    recordAudit: (record: AuditRecord) => recordAudit(database.prisma, record),
    authenticateSigned: createAuthenticateSigned({
      signedPaths,
      findSignedUrlHolder: auth.findSignedUrlHolder,
      findTokenHolder: auth.findTokenHolder,
    }),
    /** Starts background work: jobs and schedules. */
    start: async () => {
      // Creates the key pair for push messages at the first start.
      await push.publicKey()
      await chat.start()
      intents.start()
      system.systemSampler.start()
      if (config.role === 'web') await backupSchedule.recordFailedUpdate()
      else {
        foundations.reminderClock.start()
        auditSealing.start()
        await scheduler.start()
        await backupSchedule.start()
        await queue.start(jobs.handlers, { sweep: jobs.sweep })
      }
      // Test the sandbox before the first file arrives, without delaying the start.
      void common.sandboxing.choose()
    },
    /** Stops taking jobs and scheduled runs, and waits for those running on this server. */
    drain: async () => {
      await Promise.all([queue.drain(), scheduler.drain()])
    },
    /** Shuts down in order: producers of work first, stores last. */
    close: async () => {
      // From here on, no job is started or counted as an attempt.
      void queue.drain()
      foundations.stop()
      system.systemSampler.close()
      await auditSealing.close()
      await backupSchedule.close()
      await foundations.reminderClock.close()
      await scheduler.close()
      await chat.close()
      await closeAgents()
      await effects.effects.close()
      await closeReaders()
      // Pending events are stored for the next server to deliver.
      await webhookNotices.settle()
      await push.settle()
      await queue.stop()
      await closeImports()
      await foundations.close()
      await database.close()
    },
  }
}
