import { randomUUID } from 'node:crypto'
import type { Context } from '../../context-type.ts'
import { memoryText, quotePassages } from '../../engines/chat/quoted-passages.ts'
import { quoteWithoutModel } from '../../offline/builtin/builtin.ts'
import { guessIntent, NO_AGENT, trainIntents } from '../../offline/intents/intent-classifier.ts'
import { guessLanguage, searchConfiguration } from '../../offline/language/language.ts'
import { sentimentOf } from '../../offline/language/sentiment.ts'
import { createJudgeMessage, type LearnSentences } from '../../offline/message-kind/message-kind.ts'
import type { PictureFiles } from '../../parsers/image/picture-files.ts'
import type { Images } from '../../parsers/image/picture-reader.ts'
import { isDatabaseConflict, isDatabaseUnavailable } from '../../platform/database/availability.ts'
import type { LooseFiles } from '../../platform/database/loose-files.ts'
import { newId } from '../../platform/database/new-id.ts'
import { createSeal } from '../../platform/lib/sealing.ts'
import { createSemaphore } from '../../platform/lib/semaphore.ts'
import type { RequireRoom } from '../../platform/storage/storage-limit.ts'
import { chunksOf, createItemPicturesStore } from '../library/index.ts'
import type { PassagesService } from '../search/index.ts'
import { createAttachmentsService } from './attachments/attachments.service.ts'
import { createAttachmentsStore } from './attachments/attachments.store.ts'
import { createChatService } from './chat.service.ts'
import { createBranchesStore } from './conversations/branches.store.ts'
import { createBulkStore } from './conversations/bulk.store.ts'
import { createLinks } from './conversations/links.ts'
import { createRemovalStore } from './conversations/removal.store.ts'
import { createSessionSummariesStore } from './conversations/session-summaries.store.ts'
import { createSessionsStore } from './conversations/sessions.store.ts'
import { createSummaryWriter } from './conversations/summary-writer.ts'
import { createTitleWriter } from './conversations/title-writer.ts'
import { createExportsService } from './exports/exports.service.ts'
import { createExportsStore } from './exports/exports.store.ts'
import {
  createForeignConversationsService,
  type ForeignConversationsService,
} from './imported/foreign-conversations.service.ts'
import { createForeignConversationsStore } from './imported/foreign-conversations.store.ts'
import { createMentionsService } from './mentions/mentions.service.ts'
import { createMentionsStore } from './mentions/mentions.store.ts'
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
import { createQuestionsStore } from './turns/questions.store.ts'
import { createRecallStore } from './turns/recall.store.ts'
import { createRephrase } from './turns/rephrase.ts'
import { createStoredAnswersStore } from './turns/stored-answers.store.ts'
import { joinSurroundings, NO_SURROUNDINGS, type ReadSurroundings } from './turns/surroundings.ts'
import { createTemporaryAnswers } from './turns/temporary.service.ts'
import { createToolCallsService } from './turns/tool-calls.service.ts'
import { createToolCallsStore } from './turns/tool-calls.store.ts'
import { createUnstoredAnswers } from './turns/unstored.service.ts'

/** More teaches these few sentences no better. */
const EPOCHS = 3

/** Trains the classifier of messages in a conversation with the trainer of the intent classifier. */
export const learnSentences: LearnSentences = (examples, other) => {
  const asLabel = (label: string, from: string, to: string) => (label === from ? to : label)
  const model = trainIntents(
    examples.map(({ text, label }) => ({ text, label: asLabel(label, other, NO_AGENT) })),
    EPOCHS,
  )
  return (text) =>
    guessIntent(model, text).map(({ label, probability }) => ({ label: asLabel(label, NO_AGENT, other), probability }))
}

/** Dependencies of the chat. */
export interface ChatTools
  extends Pick<
    Context,
    | 'log'
    | 'database'
    | 'jwtSecret'
    | 'files'
    | 'ai'
    | 'agents'
    | 'web'
    | 'events'
    | 'media'
    | 'corrections'
    | 'aboutMe'
  > {
  projects: Pick<ProjectsService, 'find' | 'surroundingsOf'>
  personas: Pick<PersonasService, 'find' | 'surroundingsOf'>
  settings: Pick<Context['settings'], 'current'>
  /** The model that a person wishes for in new conversations; null for none. */
  usualModel(userId: string): Promise<string | null>
  assistantName(): string
  passages: PassagesService
  looseFiles: LooseFiles
  images: Images
  pictureFiles: PictureFiles
  requireRoom: RequireRoom
  /** Tells whoever wants to know that an answer is there. */
  answered(userId: string, answer: { sessionId: string; messageId: string }): void
  removeLooseFiles(): Promise<void>
  signPath(userId: string, path: string): string
  limits: Partial<AnswerLimits> | undefined
  memoryTimeoutMs: number | undefined
}

/** Builds what answers people, and what keeps and exports their conversations. */
export function buildChat(tools: ChatTools): Pick<
  Context,
  'chat' | 'unstoredAnswers' | 'temporaryAnswers' | 'pictures' | 'chatExports' | 'shares'
> & {
  foreignConversations: ForeignConversationsService
} {
  const { log, database, files, looseFiles, images, pictureFiles, ai, agents, events, media, passages, aboutMe } = tools
  const { assistantName, requireRoom, removeLooseFiles, signPath, limits } = tools
  const { publish } = events
  const searchConfigurationOf = (text: string) => searchConfiguration(guessLanguage(text))
  const engine = () => ai.chat()
  const links = createLinks(signPath)
  const store = createSessionsStore(database)
  const stored = createStoredAnswersStore(database)
  const answers = createAnswers({
    ...database,
    store: createAnswersStore(database),
    stored,
    serverId: randomUUID(),
    isOnlyServer: database.engine === 'embedded',
    searchConfigurationOf,
    isDatabaseUnavailable,
    isDatabaseConflict,
    publish,
    answered: tools.answered,
    present: links.presentEvent,
    log,
    limits,
  })
  const recall = createRecallStore(database)
  const summariesStore = createSessionSummariesStore(database)
  const attachments = createAttachmentsService({
    store: createAttachmentsStore(database),
    readItems: passages.ofItems,
    listShowing: createItemPicturesStore(database).listShowing,
    shrunk: pictureFiles.shrunk,
    log,
  })
  const pictures = createPicturesService({
    store: createPicturesStore(database),
    files,
    looseFiles,
    images,
    pictureFiles,
    requireRoom,
    signPath,
    log,
    // each holds up to 57 MB of base64 until its pictures are stored
    semaphore: createSemaphore({ permits: 2, maxWaiting: 12, maxWaitingPerUser: 6 }),
    addMediaItem: media.add,
    mediaItem: media.item,
    describeItem: (userId, id, caption) => tools.corrections.change(userId, id, { caption }),
  })
  const judgeMessage = createJudgeMessage(learnSentences)
  const answerDeps: AnswerDeps = {
    attachments,
    recall,
    summaries: summariesStore,
    agents,
    web: { ...tools.web, piecesOf: (text) => chunksOf(text).map(({ body }) => body) },
    drawing: { drawer: () => ai.imageEditing(), give: pictures.give },
    picturesForModel: pictures.forModel,
    lookUp: createMemoryLookup({
      findPassages: passages.find,
      judgeMessage,
      rephrase: createRephrase({ log }),
      memoryTimeoutMs: tools.memoryTimeoutMs,
      log,
    }),
    readAbout: aboutMe.known,
    findPassages: passages.find,
    memoryText,
    quotePassages,
    quoteWithoutModel,
    assistantName,
    guessLanguage,
    searchConfiguration,
    sentimentOf,
    newId,
    log,
  }
  const makeAnswer = createMakeAnswer(answerDeps)
  const chooseEngine = createChooseEngine({
    engine,
    visionEngine: () => ai.vision(),
    pickModel: (model) => ai.servers.pick(model),
    pickModelAgain: (model) => ai.servers.pickAgain(model),
  })
  const mentions = createMentionsService({
    store: createMentionsStore(database),
    agents,
    web: tools.web,
    findProject: tools.projects.find,
    readProject: tools.projects.surroundingsOf,
  })
  const readSurroundings: ReadSurroundings = async (caller, { projectId, personaId }, named = []) => {
    const [persona, project] = await Promise.all([
      personaId === null ? NO_SURROUNDINGS : tools.personas.surroundingsOf(caller.userId, personaId),
      projectId === null ? NO_SURROUNDINGS : tools.projects.surroundingsOf(caller, projectId),
    ])
    // one that is no longer shared leaves the conversations of others without it
    const joined = joinSurroundings(persona ?? NO_SURROUNDINGS, { ...project, allowedTools: undefined })
    return named.length === 0 ? joined : mentions.apply(caller, named, joined)
  }
  const { usualModel } = tools
  const unstoredAnswers = createUnstoredAnswers({
    ...answerDeps,
    answers,
    pictures,
    engine,
    chooseEngine,
  })
  const temporaryAnswers = createTemporaryAnswers({
    unstored: unstoredAnswers,
    chooseEngine,
    readSurroundings,
    resolveMentions: mentions.resolve,
    requirePersona: tools.personas.find,
    usualModel,
    attachments,
    links,
    limits: { ...defaultAnswerLimits, ...limits },
    newId,
    log,
  })
  const titles = createTitleWriter({ engine, nameSession: store.nameSession, log })
  const summaries = createSummaryWriter({ engine, store: summariesStore, log })
  const chat = createChatService({
    store,
    bulk: createBulkStore(database),
    removal: createRemovalStore(database),
    trashDays: () => tools.settings.current().retention.trash_days,
    branches: createBranchesStore(database),
    questions: createQuestionsStore(database),
    stored,
    answers,
    makeAnswer,
    titles,
    summaries,
    pictures,
    attachments,
    calls: createToolCallsService({
      store: createToolCallsStore(database),
      stored,
      serverId: answers.serverId,
      keepFact: aboutMe.keepFact,
      log,
    }),
    chooseEngine,
    readSurroundings,
    resolveMentions: mentions.resolve,
    usualModel,
    requireProject: tools.projects.find,
    requirePersona: tools.personas.find,
    removeLooseFiles,
    links,
    prepare: () => void judgeMessage('Hello'),
    searchConfigurationOf,
    publish,
  })
  const chatExports = createExportsService({ chats: store, store: createExportsStore(database), assistantName })
  const foreignConversations = createForeignConversationsService({
    store: createForeignConversationsStore(database),
    pictures,
    searchConfigurationOf,
    sentimentOf,
    newId,
    tellUpdated: (userId, sessionId) =>
      publish(userId, { type: 'chat.updated', session_id: sessionId, deleted: false }),
  })
  const shares = createSharesService({
    store: createSharesStore(database),
    seal: createSeal({ secret: tools.jwtSecret, purpose: 'links to shared conversations' }),
    pictures,
    takeOver: foreignConversations.takeOver,
    assistantName,
    newId,
    now: () => new Date(),
  })
  return { chat, unstoredAnswers, temporaryAnswers, pictures, chatExports, shares, foreignConversations }
}
export type { IntentsService } from './agents/intents.service.ts'
