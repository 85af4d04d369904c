import { randomUUID } from 'node:crypto'
import type { Common } from '../../common.ts'
import { createSeal } from '../../platform/lib/sealing.ts'
import { createSemaphore } from '../../platform/lib/semaphore.ts'
import type { PreferencesService } from '../identity/index.ts'
import { type CorrectionsService, createItemPicturesStore, type MediaService } from '../library/index.ts'
import type { PassagesService } from '../search/index.ts'
import type { AboutMeService } from './about-me/about-me.service.ts'
import type { AgentsService } from './agents/agents.service.ts'
import { createAttachmentsService } from './attachments/attachments.service.ts'
import { createAttachmentsStore, createMentionsStore } from './attachments/attachments.store.ts'
import { createChatService } from './chat.service.ts'
import { createBranchesStore } from './conversations/branches.store.ts'
import { createBulkStore } from './conversations/bulk.store.ts'
import { createLinks } from './conversations/links.ts'
import { createSessionSummariesStore } from './conversations/session-summaries.store.ts'
import { createSessionsStore } from './conversations/sessions.store.ts'
import {
  createBackgroundWriting,
  createSummaryWriter,
  createTitleWriter,
} from './conversations/titles-and-summaries.ts'
import { createExportsService } from './exports/exports.service.ts'
import { createForeignConversationsService } from './imported/foreign-conversations.service.ts'
import { createForeignConversationsStore } from './imported/foreign-conversations.store.ts'
import { createMentionsService } from './mentions/mentions.service.ts'
import type { PersonasService } from './personas/personas.service.ts'
import { createPicturesService } from './pictures/pictures.service.ts'
import { createPicturesStore } from './pictures/pictures.store.ts'
import type { ProjectsService } from './projects/projects.service.ts'
import { createSharesService } from './shares/shares.service.ts'
import { createSharesStore } from './shares/shares.store.ts'
import { type AnswerDeps, createMakeAnswer } from './turns/answer.ts'
import { type AnswerLimits, createAnswers, defaultAnswerLimits } from './turns/answers.service.ts'
import { createAnswersStore } from './turns/answers.store.ts'
import { createChooseEngine } from './turns/choose-engine.ts'
import { createMemoryLookup } from './turns/memory-lookup.ts'
import { createPrepare } from './turns/prepare.ts'
import { createQuestionsStore } from './turns/questions.store.ts'
import { createRecallStore } from './turns/recall.store.ts'
import { createStoredAnswersStore } from './turns/stored-answers.store.ts'
import { createToolCallsService } from './turns/tool-calls.service.ts'
import { createToolCallsStore } from './turns/tool-calls.store.ts'
import type { WebService } from './web/web.service.ts'

interface ChatDeps extends Common {
  agents: AgentsService
  web: WebService
  media: MediaService
  corrections: CorrectionsService
  aboutMe: AboutMeService
  projects: ProjectsService
  personas: PersonasService
  preferences: PreferencesService
  passages: PassagesService
  /** Called when an answer is complete and stored; higher modules react to it. */
  onAnswered(userId: string, answer: { sessionId: string; messageId: string }): void
  limits: Partial<AnswerLimits> | undefined
  memoryTimeoutMs: number | undefined
}

/** Builds conversations and their answers, exports and shares. */
export function buildChat(deps: ChatDeps) {
  const { log, database, pictureFiles, ai, agents, web, events, passages, aboutMe, settings, limits } = deps
  const { projects, personas } = deps
  const links = createLinks(deps.signPath)
  const store = createSessionsStore(database)
  const stored = createStoredAnswersStore(database)
  const answers = createAnswers({
    database,
    store: createAnswersStore(database),
    stored,
    serverId: randomUUID(),
    isOnlyServer: database.engine === 'embedded',
    events,
    onAnswered: deps.onAnswered,
    links,
    log,
    limits,
  })
  const summariesStore = createSessionSummariesStore(database)
  const attachments = createAttachmentsService({
    store: createAttachmentsStore(database),
    passages,
    itemPictures: createItemPicturesStore(database),
    pictureFiles,
    log,
  })
  const pictures = createPicturesService({
    ...deps,
    store: createPicturesStore(database),
    // Each request holds up to 57 MB of base64 until its pictures are stored.
    semaphore: createSemaphore({ permits: 2, maxWaiting: 12, maxWaitingPerUser: 6 }),
    links,
  })
  const recall = createRecallStore(database)
  const answerDeps: AnswerDeps = {
    attachments,
    recall,
    summaries: summariesStore,
    agents,
    web,
    ai,
    pictures,
    memoryLookup: createMemoryLookup({
      passages,
      recall,
      memoryTimeoutMs: deps.memoryTimeoutMs,
      log,
    }),
    aboutMe,
    passages,
    settings,
    log,
  }
  const makeAnswer = createMakeAnswer(answerDeps)
  const chooseEngine = createChooseEngine(ai)
  const mentions = createMentionsService({ store: createMentionsStore(database), agents, web, projects })
  const chat = createChatService({
    prepare: createPrepare({
      sessions: store,
      attachments,
      chooseEngine,
      mentions,
      personas,
      pictures,
      preferences: deps.preferences,
      projects,
    }),
    store,
    bulk: createBulkStore(database),
    settings,
    branches: createBranchesStore(database),
    questions: createQuestionsStore(database),
    stored,
    answers,
    makeAnswer,
    writing: createBackgroundWriting({
      titles: createTitleWriter({ ai, sessions: store, log }),
      summaries: createSummaryWriter({ ai, store: summariesStore, log }),
      events,
    }),
    pictures,
    attachments,
    calls: createToolCallsService({
      store: createToolCallsStore(database),
      stored,
      serverId: answers.serverId,
      aboutMe,
      log,
    }),
    chooseEngine,
    projects,
    personas,
    queue: deps.queue,
    links,
    events,
    limits: { ...defaultAnswerLimits, ...limits },
    log,
  })
  const foreignConversations = createForeignConversationsService({
    store: createForeignConversationsStore(database),
    pictures,
    events,
  })
  const shares = createSharesService({
    store: createSharesStore(database),
    seal: createSeal({ secret: deps.jwtSecret, purpose: 'links to shared conversations' }),
    pictures,
    foreignConversations,
    settings,
  })
  const chatExports = createExportsService({ sessions: store, database, settings })
  return { chat, pictures, chatExports, shares, foreignConversations }
}
export type { AgentsService } from './agents/agents.service.ts'
export type { IntentsService } from './agents/intents.service.ts'
export type { ChatService } from './chat.service.ts'
export type { AnswerEvent } from './turns/turn.ts'
export type { TimedTranscript, VoiceService } from './voice/voice.service.ts'
