import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Ai, createAi } from './adapters/ai/ai.ts'
import { guessLanguage, searchConfiguration } from './adapters/ai/language.ts'
import type { RemoteOptions } from './adapters/ai/remote.ts'
import { sentimentOf } from './adapters/ai/sentiment.ts'
import { createDiskFiles } from './adapters/files/disk.ts'
import type { Files } from './adapters/files/files.ts'
import { probeFolder } from './adapters/files/storage-probe.ts'
import { createMathEngine } from './adapters/math/math.ts'
import { createImages } from './adapters/media/image.ts'
import { createPictureFiles } from './adapters/media/picture-files.ts'
import { createTurns } from './adapters/media/turns.ts'
import { fingerprintOf, loadJwtSecret } from './adapters/secrets.ts'
import { type Config, VERSION } from './config.ts'
import { isDatabaseConflict, isDatabaseUnavailable } from './db/availability.ts'
import { type Database, openDatabase } from './db/client.ts'
import { createLooseFiles } from './db/loose-files.ts'
import { type AgentsService, createAgentsService } from './features/agents/agents.service.ts'
import { createAgentsStore } from './features/agents/agents.store.ts'
import { createCalculator } from './features/agents/kinds/calculator.ts'
import { type AnswerLimits, createAnswers } from './features/chat/answers.service.ts'
import { createAnswersStore } from './features/chat/answers.store.ts'
import { createBranchesStore } from './features/chat/branches.store.ts'
import { type ChatService, createChatService } from './features/chat/chat.service.ts'
import { createChatStore } from './features/chat/chat.store.ts'
import { createExportsService, type ExportsService } from './features/chat/exports.service.ts'
import { createExportsStore } from './features/chat/exports.store.ts'
import { createPicturesService, type PicturesService } from './features/chat/pictures.service.ts'
import { createPicturesStore } from './features/chat/pictures.store.ts'
import { createRecallStore } from './features/chat/recall.store.ts'
import { createReplies } from './features/chat/replies.service.ts'
import { createStoredAnswersStore } from './features/chat/stored-answers.store.ts'
import { createSummariesStore } from './features/chat/summaries.store.ts'
import { createSummaryWriter } from './features/chat/summary-writer.ts'
import { createTitleWriter } from './features/chat/title-writer.ts'
import { createEvents, type Events } from './features/events/events.service.ts'
import { createInsightsService, type InsightsService } from './features/insights/insights.service.ts'
import { createInsightsStore } from './features/insights/insights.store.ts'
import { createMediaService, type MediaService } from './features/media/media.service.ts'
import { createMediaStore } from './features/media/media.store.ts'
import { createSystemService, type SystemService } from './features/system/system.service.ts'
import { type AuthService, createAuthService } from './features/users/auth.service.ts'
import { createAuthStore } from './features/users/auth.store.ts'
import { BCRYPT_COST, createPasswordHasher } from './features/users/password.ts'
import { createUsersService, type FirstAdmin, type UsersService } from './features/users/users.service.ts'
import { createUsersStore } from './features/users/users.store.ts'
import type { AuthenticateSigned } from './http/auth.ts'
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
  ai: Ai
  events: Events
  agents: AgentsService
  chat: ChatService
  chatExports: ExportsService
  pictures: PicturesService
  system: SystemService
  insights: InsightsService
  media: MediaService
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
  answerLimits?: Partial<AnswerLimits>
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
  const queue = createQueue({ pool: database.pool, isOnlyProcess: database.engine === 'embedded', log })
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
  const assistantName = () => config.assistantName
  await queue.open()
  const files = await createDiskFiles({ directory: join(config.dataDir, 'files') })
  const ai = createAi({ config, log, remote: overrides.modelLimits })
  const events = createEvents({ ...database, log })

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

  const math = createMathEngine()
  const agents = createAgentsService({ kinds: [createCalculator({ math })], store: createAgentsStore(database), log })
  const chatExports = createExportsService({
    chats: createChatStore(database),
    store: createExportsStore(database),
    assistantName,
  })
  const system = createSystemService({
    version: VERSION,
    assistantName,
    database,
    probeStorage: async () => {
      await probeFolder(config.dataDir)
      return files.freeBytes()
    },
    countJobs: () => queue.counts(),
    modelChecks: () => ai.checks(),
  })
  const signedPaths = createSignedPaths({ secret: jwtSecret })
  const images = createImages()
  const pictureFiles = createPictureFiles({ files, images })
  const looseFiles = createLooseFiles(database)
  const media = createMediaService({ store: createMediaStore(database), pictureFiles, signPath: signedPaths.sign })
  const pictures = createPicturesService({
    store: createPicturesStore(database),
    files,
    looseFiles,
    images,
    pictureFiles,
    // each holds up to 57 MB of base64 until its pictures are stored
    takeTurn: createTurns({ atOnce: 2, waiting: 6 }),
    signPath: signedPaths.sign,
    addMediaItem: media.add,
    log,
  })
  const chat = buildChat({
    ...{ log, database, ai, agents, events, pictures, assistantName },
    removeLooseFiles: async () => {
      await queue.enqueue('delete-files', { loose: true })
    },
    limits: overrides.answerLimits,
  })
  const insights = createInsightsService({
    store: createInsightsStore(database),
    countMedia: (userId) => media.count(userId),
    checks: () => system.checks(),
    countAgents: () => agents.count(),
  })

  const jobHandlers: JobHandlers = {
    'delete-files': createDeleteFiles({ files, looseFiles }),
    'clean-up': createCleanUp({ pool: database.pool, log }),
  }
  /** What a crash left: files whose rows have gone, and files that got none. */
  const sweep = async () => {
    if (await looseFiles.hasDue()) await queue.enqueue('delete-files', { loose: true })
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
    ai,
    events,
    agents,
    chat,
    chatExports,
    pictures,
    system,
    insights,
    media,
    authenticateSigned: createAuthenticateSigned({ signedPaths, findUser: usersStore.find }),
    firstAdmin,
    start: async () => {
      await chat.start()
      await queue.start(jobHandlers, { sweep })
    },
    close: async () => {
      await chat.close()
      await agents.close()
      await math.close()
      await queue.stop()
      await database.close()
    },
  }
}

interface ChatGround extends Pick<Context, 'log' | 'database' | 'ai' | 'agents' | 'events' | 'pictures'> {
  assistantName(): string
  removeLooseFiles(): Promise<void>
  limits: Partial<AnswerLimits> | undefined
}

function buildChat(ground: ChatGround): ChatService {
  const { log, database, ai, agents, events, pictures, assistantName, removeLooseFiles, limits } = ground
  const { publish } = events
  const searchConfigurationOf = (text: string) => searchConfiguration(guessLanguage(text))
  const engine = () => ai.chat()
  const store = createChatStore(database)
  const answersStore = createAnswersStore(database)
  const stored = createStoredAnswersStore(database)
  const answers = createAnswers({
    ...database,
    store: answersStore,
    stored,
    serverId: randomUUID(),
    isOnlyServer: database.engine === 'embedded',
    searchConfigurationOf,
    isDatabaseUnavailable,
    isDatabaseConflict,
    publish,
    log,
    limits,
  })
  const recall = createRecallStore(database)
  const summariesStore = createSummariesStore(database)
  const replies = createReplies({
    recall,
    summaries: summariesStore,
    picturesForModel: pictures.forModel,
    agents,
    assistantName,
    guessLanguage,
    searchConfiguration,
    sentimentOf,
    log,
  })
  const titles = createTitleWriter({ engine, nameSession: store.nameSession, log })
  const summaries = createSummaryWriter({ engine, store: summariesStore, log })
  return createChatService({
    store,
    branches: createBranchesStore(database),
    answersStore,
    stored,
    answers,
    replies,
    titles,
    summaries,
    pictures,
    engine,
    visionEngine: () => ai.vision(),
    removeLooseFiles,
    searchConfigurationOf,
    publish,
  })
}
