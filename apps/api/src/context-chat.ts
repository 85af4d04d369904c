import { randomUUID } from 'node:crypto'
import { isSmallTalk } from './adapters/ai/builtin.ts'
import { guessLanguage, searchConfiguration } from './adapters/ai/language.ts'
import { passagesText } from './adapters/ai/quoted-passages.ts'
import { sentimentOf } from './adapters/ai/sentiment.ts'
import type { RequireRoom } from './adapters/files/room.ts'
import type { Images } from './adapters/media/image.ts'
import type { PictureFiles } from './adapters/media/picture-files.ts'
import { createTurns } from './adapters/media/turns.ts'
import type { Context } from './context.ts'
import { isDatabaseConflict, isDatabaseUnavailable } from './db/availability.ts'
import type { LooseFiles } from './db/loose-files.ts'
import { newId } from './db/new-id.ts'
import { type AnswerLimits, createAnswers } from './features/chat/answers.service.ts'
import { createAnswersStore } from './features/chat/answers.store.ts'
import { createAttachmentsService } from './features/chat/attachments.service.ts'
import { createAttachmentsStore } from './features/chat/attachments.store.ts'
import { createBranchesStore } from './features/chat/branches.store.ts'
import { createCallsService } from './features/chat/calls.service.ts'
import { createCallsStore } from './features/chat/calls.store.ts'
import { createChatService } from './features/chat/chat.service.ts'
import { createChatStore } from './features/chat/chat.store.ts'
import { createExportsService } from './features/chat/exports.service.ts'
import { createExportsStore } from './features/chat/exports.store.ts'
import { createPicturesService } from './features/chat/pictures.service.ts'
import { createPicturesStore } from './features/chat/pictures.store.ts'
import { createRecallStore } from './features/chat/recall.store.ts'
import { createReplies } from './features/chat/replies.service.ts'
import { createStoredAnswersStore } from './features/chat/stored-answers.store.ts'
import { createSummariesStore } from './features/chat/summaries.store.ts'
import { createSummaryWriter } from './features/chat/summary-writer.ts'
import { createTitleWriter } from './features/chat/title-writer.ts'
import { createItemPicturesStore } from './features/media/item-pictures.store.ts'
import type { PassagesService } from './features/memory/passages.service.ts'

/** What the chat is built on. */
export interface ChatGround extends Pick<Context, 'log' | 'database' | 'files' | 'ai' | 'agents' | 'events' | 'media'> {
  assistantName(): string
  passages: PassagesService
  looseFiles: LooseFiles
  images: Images
  pictureFiles: PictureFiles
  requireRoom: RequireRoom
  removeLooseFiles(): Promise<void>
  signPath(userId: string, path: string): string
  limits: Partial<AnswerLimits> | undefined
  memoryTimeoutMs: number | undefined
}

/** Builds what answers people, and what keeps and exports their conversations. */
export function buildChat(ground: ChatGround): Pick<Context, 'chat' | 'pictures' | 'chatExports'> {
  const { log, database, files, looseFiles, images, pictureFiles, ai, agents, events, media, passages } = ground
  const { assistantName, requireRoom, removeLooseFiles, signPath, limits } = ground
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
  const attachments = createAttachmentsService({
    store: createAttachmentsStore(database),
    readItems: passages.ofItems,
    listShowing: createItemPicturesStore(database).listShowing,
    shrunk: pictureFiles.shrunk,
    log,
  })
  const pictures = createPicturesService({
    store: createPicturesStore(database),
    ...{ files, looseFiles, images, pictureFiles, requireRoom, signPath, log },
    // each holds up to 57 MB of base64 until its pictures are stored
    takeTurn: createTurns({ atOnce: 2, waiting: 6 }),
    addMediaItem: media.add,
    mediaItem: media.item,
  })
  const replies = createReplies({
    attachments,
    recall,
    summaries: summariesStore,
    picturesForModel: pictures.forModel,
    agents,
    searchMemory: passages.find,
    isSmallTalk,
    passagesText,
    memoryTimeoutMs: ground.memoryTimeoutMs,
    assistantName,
    guessLanguage,
    searchConfiguration,
    sentimentOf,
    newId,
    log,
  })
  const titles = createTitleWriter({ engine, nameSession: store.nameSession, log })
  const summaries = createSummaryWriter({ engine, store: summariesStore, log })
  const chat = createChatService({
    store,
    branches: createBranchesStore(database),
    answersStore,
    stored,
    answers,
    replies,
    titles,
    summaries,
    pictures,
    attachments,
    calls: createCallsService({ store: createCallsStore(database), agents, log }),
    engine,
    visionEngine: () => ai.vision(),
    removeLooseFiles,
    signPath,
    searchConfigurationOf,
    publish,
  })
  const chatExports = createExportsService({ chats: store, store: createExportsStore(database), assistantName })
  return { chat, pictures, chatExports }
}
