import { join } from 'node:path'
import { createAi } from '../adapters/ai/ai.ts'
import { createDiskFiles } from '../adapters/files/disk.ts'
import { createRequireRoom } from '../adapters/files/room.ts'
import { createTesseractOcr } from '../adapters/media/ocr/ocr-tesseract.ts'
import { createPictureFiles } from '../adapters/media/pictures/picture-files.ts'
import { createPictureProcesses } from '../adapters/media/pictures/picture-processes.ts'
import { createCaging } from '../adapters/process/caging.ts'
import type { ProcessLog } from '../adapters/process/messages.ts'
import { loadJwtSecret } from '../adapters/secrets.ts'
import type { Config } from '../config.ts'
import { csvOf } from '../csv.ts'
import { recordAudit } from '../db/audit.ts'
import { openDatabase } from '../db/client.ts'
import { createLooseFiles } from '../db/loose-files.ts'
import { idOf } from '../db/new-id.ts'
import { createAboutMeService } from '../features/about-me/about-me.service.ts'
import { createAboutMeStore } from '../features/about-me/about-me.store.ts'
import { createAuditService } from '../features/audit/audit.service.ts'
import { createAuditStore } from '../features/audit/audit.store.ts'
import { createEvents, type Events } from '../features/events/events.service.ts'
import { createWantFilling } from '../features/memory/want-filling.ts'
import { createPersonasService } from '../features/personas/personas.service.ts'
import { createPersonasStore } from '../features/personas/personas.store.ts'
import { createProjectsService } from '../features/projects/projects.service.ts'
import { createProjectsStore } from '../features/projects/projects.store.ts'
import { createPromptsService } from '../features/prompts/prompts.service.ts'
import { createPromptsStore } from '../features/prompts/prompts.store.ts'
import { createStorageService } from '../features/settings/storage.service.ts'
import { createStorageStore } from '../features/settings/storage.store.ts'
import { createAuthenticateSigned, createSignedPaths } from '../http/signed-url.ts'
import { createQueue } from '../jobs/queue.ts'
import { createLog } from '../log.ts'
import { buildAccount } from './account.ts'
import { buildAgents } from './agents.ts'
import { buildAutomation } from './automation.ts'
import { buildBackups } from './backups.ts'
import { buildChat } from './chat.ts'
import { openConnections } from './connections.ts'
import type { Context, ContextOverrides } from './context-type.ts'
import { buildEffects } from './effects.ts'
import { buildEmbeddingSwitch } from './embeddings.ts'
import { buildHooks } from './hooks.ts'
import { buildImports } from './imports.ts'
import { buildInsights } from './insights.ts'
import { buildJobs } from './jobs.ts'
import { buildMcp } from './mcp.ts'
import { openMcpServers } from './mcp-servers.ts'
import { buildMediaLibrary } from './media-library.ts'
import { buildProcessing } from './media-processing.ts'
import { buildMemory } from './memory.ts'
import { buildModels, openLocalAi } from './models.ts'
import { buildNotes } from './notes.ts'
import { buildOpenAi } from './openai.ts'
import { buildPages } from './pages.ts'
import { buildPrograms } from './programs.ts'
import { buildPush } from './push.ts'
import { buildReminders } from './reminders.ts'
import { buildEngines, openSettings } from './settings.ts'
import { buildSystem } from './system.ts'
import { openUsers } from './users.ts'
import { buildVoice } from './voice.ts'
import { buildWatchedFolders } from './watched-folders.ts'
import { buildWeb } from './web.ts'

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

type ContextBasis = Pick<Context, 'log' | 'jwtSecret' | 'database' | 'queue'>

async function buildContext(config: Config, basis: ContextBasis, overrides: ContextOverrides): Promise<Context> {
  const { log, jwtSecret, database, queue } = basis
  const settings = await openSettings({ config, database, log })
  const assistantName = () => settings.current().assistant_name
  await queue.open()
  const files = await createDiskFiles({ directory: join(config.dataDir, 'files') })
  const warn: ProcessLog = (fields, sentence) => log.warn(fields, sentence)
  const caging = createCaging({
    dataDir: config.dataDir,
    isOnlyProcess: database.engine === 'embedded',
    serviceSocket: config.parserSocket,
    warn,
  })
  const ocr = createTesseractOcr({ caging, folder: join(config.dataDir, 'ocr'), warn })
  const localAi = await openLocalAi({
    config,
    caging,
    log,
    limits: overrides.localLimits,
    chosenModel: (capability) => settings.current().engines[capability]?.model ?? null,
  })
  const ai = createAi({
    config,
    log,
    remote: overrides.modelLimits,
    local: localAi,
    ocrCheck: ocr.check,
    choiceOf: (capability) => settings.current().engines[capability],
  })
  const { hooks, telling, delivering, ...hookRequests } = buildHooks({ ...basis, config, limits: overrides.hookLimits })
  const { push, close: closePush } = buildPush({ ...basis, config, assistantName })
  const events = withHeed(createEvents({ ...database, log }), (userId, event) => {
    telling.heed(userId, event)
    push.heed(userId, event)
  })
  const { connections, ollama } = await openConnections({ config, database, jwtSecret, ai, log })
  const mcpServers = await openMcpServers({ config, database, jwtSecret, log, settings, limits: overrides.mcpLimits })
  const models = buildModels({ local: localAi, database, events, log })
  const { notifications, reminders, reminderClock } = buildReminders({ log, database, events })
  const signedPaths = createSignedPaths({ secret: jwtSecret })
  const pictures = createPictureProcesses({ caging, warn })
  const { images, pixels } = pictures
  const storageStore = createStorageStore(database)
  const storage = createStorageService({
    store: storageStore,
    defaultLimitBytes: () => settings.current().limits.storage_bytes_per_user,
  })
  const requireRoom = createRequireRoom(storage.roomOf)
  /** What many features are given. */
  const common = {
    ...basis,
    config,
    settings,
    assistantName,
    files,
    caging,
    pictures,
    images,
    pixels,
    looseFiles: createLooseFiles(database),
    pictureFiles: createPictureFiles({ files, images }),
    ai,
    events,
    publish: events.publish,
    notify: notifications.notify,
    notifyIn: notifications.notifyIn,
    signPath: signedPaths.sign,
    signTicket: signedPaths.ticket,
    requireRoom,
    removeLooseFiles: () => queue.enqueue('delete-files', { loose: true }),
  }

  const { auth, users, signIn, preferences, firstAdmin, findUser } = await openUsers({
    ...common,
    bcryptCost: overrides.bcryptCost,
  })
  const { programs, close: closePrograms } = buildPrograms(common)
  const wantFilling = createWantFilling(common)
  const { memory, passages, embedding, wordIndex, knownItems } = buildMemory({
    ...common,
    limits: overrides.searchLimits,
    reranker: ai.reranking,
    wantFilling,
  })
  const system = buildSystem({ ...common, readKnownItems: knownItems.latest })
  const { processing, resuming, readers, readPart, ...processes } = await buildProcessing({
    ...common,
    embedding,
    // an administrator may have turned it off
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
  const embeddingSwitch = buildEmbeddingSwitch({ ...common, embedding, readPart })
  const engines = buildEngines({ ...common, ocr, useScratch: readers.useScratch })
  const { removePartialsOf, ...library } = await buildMediaLibrary({
    ...common,
    processing,
    limits: overrides.uploadLimits,
    // imports are built of the library
    requireMayImport: (user, source) => imports.requireMayBring(user, source),
    beginImport: (user, given) => imports.begin(user, given),
  })
  const { media } = library
  const { pages, close: closePages } = buildPages({ ...common, ...library, limits: overrides.pageLimits })
  const { web, close: closeWeb } = buildWeb({ ...common, readers, limits: overrides.webLimits })
  const { notes } = buildNotes({ ...common, ...library, processing })
  const effects = buildEffects({ ...common, media, readers })
  const voice = buildVoice({ ...common, readers })
  const { agents, intents, ...helpers } = buildAgents({
    ...common,
    media,
    memory,
    reminders,
    findUser,
    connected: mcpServers.connected,
    sourceTimeoutMs: overrides.sourceTimeoutMs,
  })
  const prompts = createPromptsService({ store: createPromptsStore(database) })
  const aboutMe = createAboutMeService({ store: createAboutMeStore(database) })
  const projects = createProjectsService({
    store: createProjectsStore(database),
    idOf,
    findItems: memory.findItems,
  })
  const personas = createPersonasService({
    store: createPersonasStore(database),
    idOf,
    toolNames: (userId) => agents.tools(userId).map(({ agentName }) => agentName),
  })
  const { takingOver, ...conversations } = buildChat({
    ...common,
    personas,
    projects,
    usualModel: async (userId) => (await preferences.read(userId)).model,
    aboutMe,
    agents,
    web,
    media,
    corrections: library.corrections,
    passages,
    answered: (userId, answer) => {
      telling.answered()
      push.answered(userId, answer)
    },
    limits: overrides.answerLimits,
    memoryTimeoutMs: overrides.memoryTimeoutMs,
  })
  const { chat, chatExports } = conversations
  const { close: closeMcp, ...memoryForPrograms } = buildMcp({
    ...common,
    ...library,
    ...conversations,
    notes,
    memory,
    passages,
    reminders,
  })
  const openAi = buildOpenAi({ ...common, ...conversations })
  const { scheduler, ...repeating } = buildAutomation({
    ...common,
    embedding,
    embeddingSwitch,
    readPart,
    processing,
    intents,
    knownItems,
  })
  const { backups, ...backupRequests } = buildBackups(common)
  const { imports, importRunner, closeImports } = buildImports({
    ...common,
    ...library,
    chat,
    takingOver,
    projects,
    personas,
    prompts,
    useScratch: readers.useScratch,
  })
  const account = buildAccount({ ...common, auth, preferences, chatExports, removePartialUploads: removePartialsOf })
  const { rollups, ...insights } = buildInsights({
    ...common,
    agents,
    media,
    usedBytes: storageStore.usedBytes,
    system: system.system,
    av: readers.av,
  })
  const { watchedFolders, ...watching } = buildWatchedFolders({
    ...common,
    ...library,
    settledMs: overrides.settledMs,
  })
  const jobs = buildJobs({
    ...common,
    ...watching,
    ...library,
    delivering,
    telling,
    push,
    rollups,
    processing,
    resuming,
    embeddingSwitch,
    wordIndex,
    backups,
    imports,
    importRunner,
    removePartialsOf,
  })

  return {
    config,
    log,
    database,
    files,
    queue,
    jwtSecret,
    auth,
    users,
    signIn,
    programs,
    firstAdmin,
    settings,
    engines,
    ai,
    models,
    connections,
    ollama,
    mcpServers,
    events,
    notifications,
    hooks,
    push,
    reminders,
    aboutMe,
    prompts,
    projects,
    personas,
    agents,
    intents,
    ...conversations,
    ...openAi,
    ...memoryForPrograms,
    ...effects,
    account,
    imports,
    backups,
    ...system,
    ...insights,
    ...library,
    watchedFolders,
    notes,
    pages,
    web,
    memory,
    knownItems,
    embedding,
    embeddingSwitch,
    voice,
    ...repeating,
    storage,
    audit: createAuditService({ store: createAuditStore(database), csvOf }),
    recordAudit: (record) => recordAudit(database.prisma, record),
    signedPaths,
    authenticateSigned: createAuthenticateSigned({ signedPaths, findLinkHolder: auth.findLinkHolder }),
    start: async () => {
      // tried before the first file comes
      void caging.decided()
      // made at the first start
      await push.publicKey()
      await chat.start()
      reminderClock.start()
      intents.start()
      system.systemSampler.start()
      await scheduler.start()
      await backupRequests.start()
      await queue.start(jobs.handlers, { sweep: jobs.sweep })
    },
    close: async () => {
      settings.close()
      connections.close()
      mcpServers.close()
      system.systemSampler.close()
      await backupRequests.close()
      await reminderClock.close()
      await scheduler.close()
      await chat.close()
      await helpers.close()
      await closeMcp()
      await closePrograms()
      await closePages()
      await closeWeb()
      await effects.effects.close()
      await processes.close()
      // what happened last is kept, for the next server to tell
      await telling.settle()
      await push.settle()
      await queue.stop()
      await closeImports()
      await hookRequests.close()
      await closePush()
      await ocr.close()
      await pictures.close()
      caging.close()
      models.close()
      await localAi.close()
      await database.close()
    },
  }
}

/** What is published to a person's pages is heeded here as well, on the server that publishes it and on no other. */
function withHeed(events: Events, heed: Events['publish']): Events {
  return {
    ...events,
    publish(userId, event) {
      events.publish(userId, event)
      heed(userId, event)
    },
  }
}
