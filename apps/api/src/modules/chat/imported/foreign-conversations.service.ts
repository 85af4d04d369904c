import { setImmediate as giveWay } from 'node:timers/promises'
import { SESSION_MAX_TAGS, SESSION_NAME_MAX_CHARACTERS, TAG_MAX_CHARACTERS } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { AppError, StorageFullError, UnavailableError } from '../../../errors.ts'
import { searchConfigurationOf } from '../../../offline/language/language.ts'
import { sentimentOf } from '../../../offline/language/sentiment.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { storable } from '../../../platform/lib/storable.ts'
import { updatedEvent } from '../conversations/present.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import type { AcceptedPicture } from '../pictures/pictures.store.ts'
import type {
  ForeignConversationsStore,
  ImportedConversation,
  ImportedMessage,
  TransactionWork,
} from './foreign-conversations.store.ts'

/** A message from another product, with that product's ids. */
interface ForeignMessage {
  id: string
  parentId: string | null
  role: 'user' | 'assistant'
  content: string
  createdAt: Date | null
  model: string | null
  reasoning: string | null
  pictures: { name: string; read(): Promise<Buffer<ArrayBuffer>> }[]
}

interface ForeignConversation {
  title: string
  createdAt: Date | null
  updatedAt: Date | null
  currentId: string | null
  tags?: string[] | undefined
  isArchived?: boolean | undefined
  /** A project and a persona of the same user. */
  projectId?: string | null
  personaId?: string | null
  /** Parents before their children. */
  messages: ForeignMessage[]
}

/** A refused picture with the reason. */
interface RefusedPicture {
  name: string
  reason: AppError
}

interface ForeignConversationsDeps {
  store: ForeignConversationsStore
  pictures: PicturesService
  events: Events
}

export type ForeignConversationsService = ReturnType<typeof createForeignConversationsService>

/** Longer messages are cut: nobody reads them, and they'd burden the database. */
const MESSAGE_MAX_CHARACTERS = 2_000_000
const PICTURE_NAME_MAX_CHARACTERS = 200
/** Number of the user's last messages whose sentiment is judged. */
const SENTIMENT_MESSAGES = 20
const UNNAMED = '…'

/** Imports conversations from other products for a user, with their branches, pictures and dates. */
export function createForeignConversationsService({ store, pictures, events }: ForeignConversationsDeps) {
  /**
   * Stores pictures and collects the refused ones. Throws errors that affect all of them, such as full storage.
   */
  const acceptPictures = async (
    userId: string,
    foreignPictures: ForeignMessage['pictures'],
    refusedPictures: RefusedPicture[],
  ) => {
    const accepted: AcceptedPicture[] = []
    for (const { name, read } of foreignPictures) {
      try {
        const shortName = storable(cutText(name, PICTURE_NAME_MAX_CHARACTERS))
        accepted.push(await pictures.acceptContent(userId, shortName, await read()))
      } catch (error) {
        const affectsAll = error instanceof StorageFullError || error instanceof UnavailableError
        if (!(error instanceof AppError) || affectsAll) throw error
        refusedPictures.push({ name, reason: error })
      }
    }
    return accepted
  }

  /** Converts a conversation for storing. @param isIndexed true to index its words immediately */
  const prepare = async (
    userId: string,
    imported: ForeignConversation,
    isIndexed: boolean,
  ): Promise<PreparedConversation> => {
    const refusedPictures: RefusedPicture[] = []
    const ids = new Map<string, string>()
    const messages: ImportedMessage[] = []
    let lastAt = imported.createdAt ?? new Date()
    const createdAt = lastAt
    for (const message of imported.messages) {
      const id = newId()
      ids.set(message.id, id)
      lastAt = message.createdAt ?? lastAt
      const content = storable(cutText(message.content, MESSAGE_MAX_CHARACTERS))
      const { role, model } = message
      messages.push({
        id,
        parentId: message.parentId === null ? null : (ids.get(message.parentId) ?? null),
        role,
        content,
        createdAt: lastAt,
        model: model === null ? null : storable(model),
        reasoning: message.reasoning === null ? null : storable(message.reasoning),
        lang: isIndexed ? searchConfigurationOf(content) : null,
        pictures: await acceptPictures(userId, message.pictures, refusedPictures),
      })
      await giveWay()
    }
    const userTexts = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))
    const conversation = {
      id: newId(),
      name: nameOf(imported.title, userTexts[0]),
      sentiment: sentimentOf(userTexts.slice(-SENTIMENT_MESSAGES)),
      createdAt,
      updatedAt: imported.updatedAt ?? lastAt,
      currentId: imported.currentId === null ? null : (ids.get(imported.currentId) ?? null),
      tags: tagsOf(imported.tags ?? []),
      isArchived: imported.isArchived === true,
      projectId: imported.projectId ?? null,
      personaId: imported.personaId ?? null,
      messages,
    }
    return { conversation, refusedPictures }
  }

  return {
    /** Stores a conversation as the user's own, atomically. @throws StorageFullError */
    async importOne(userId: string, imported: ForeignConversation): Promise<StoredConversation> {
      const { conversation, refusedPictures } = await prepare(userId, imported, true)
      await store.add(userId, [conversation], async (_sql, ids) => new Set(ids))
      events.publish(userId, updatedEvent(conversation.id))
      return { sessionId: conversation.id, refused: refusedPictures }
    },

    /**
     * Stores conversations as the user's own, each atomically. Searches find them once `indexNext` has indexed their words,
     * which takes many times as long as storing them.
     * @param alongside stores other data in the same transaction; only the conversations whose ids it returns are stored
     * @returns null for each conversation that `alongside` left out @throws StorageFullError
     */
    async importMany(
      userId: string,
      imported: ForeignConversation[],
      alongside: TransactionWork,
    ): Promise<(StoredConversation | null)[]> {
      const prepared: PreparedConversation[] = []
      for (const conversation of imported) prepared.push(await prepare(userId, conversation, false))
      const all = prepared.map(({ conversation }) => conversation)
      const stored = await store.add(userId, all, alongside)
      // One event makes open pages reload their whole list of conversations.
      const newest = all.findLast(({ id }) => stored.has(id))
      if (newest !== undefined) events.publish(userId, updatedEvent(newest.id))
      return prepared.map(({ conversation: { id }, refusedPictures }) =>
        stored.has(id) ? { sessionId: id, refused: refusedPictures } : null,
      )
    },

    /** Indexes the words of the next messages of these conversations; false when none are left. */
    async indexNext(sessionIds: string[]): Promise<boolean> {
      const messages = await store.findUnindexed(sessionIds)
      if (messages.length === 0) return false
      await store.indexWords(messages.map(({ id, beginning }) => ({ id, lang: searchConfigurationOf(beginning) })))
      return true
    },
  }
}

interface PreparedConversation {
  conversation: ImportedConversation
  refusedPictures: RefusedPicture[]
}

/** A stored conversation. */
interface StoredConversation {
  sessionId: string
  refused: RefusedPicture[]
}

/** Tags within Mira's limits. */
function tagsOf(importedTags: string[]): string[] {
  const tags = importedTags.map((tag) => cutText(storable(tag).replace(/\s+/g, ' ').trim(), TAG_MAX_CHARACTERS).trim())
  return [...new Set(tags.filter((tag) => tag !== ''))].slice(0, SESSION_MAX_TAGS)
}

/** Name of an imported conversation: its title, or else its first question. */
function nameOf(title: string, question = ''): string {
  const [name] = [title, question]
    .map((text) => storable(text).replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
  return name === undefined ? UNNAMED : cutText(name, SESSION_NAME_MAX_CHARACTERS).trim()
}
