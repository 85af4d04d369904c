import { readFile } from 'node:fs/promises'
import { type AppError, ConflictError, sentenceOf } from '../../../errors.ts'
import type {
  CountedArchive,
  ReadArchive,
  ReadBelonging,
  ReadConversation,
} from '../../../parsers/chat-archives/chat-archives.ts'
import type { SqlTransaction } from '../../../platform/database/sql.ts'
import { say } from '../../../sentences.ts'
import type { ImportedThingsStore } from './imported-things.store.ts'
import { type ImportCounts, type ImportRow, leaveOut, unreadable } from './imports.store.ts'

/** A conversation of another program, with the ids that its messages had there. */
interface ForeignConversation {
  title: string
  createdAt: Date | null
  updatedAt: Date | null
  currentId: string | null
  tags?: string[] | undefined
  isArchived?: boolean | undefined
  projectId?: string | null
  personaId?: string | null
  messages: {
    id: string
    parentId: string | null
    role: 'user' | 'assistant'
    content: string
    createdAt: Date | null
    model: string | null
    reasoning: string | null
    pictures: { name: string; read(): Promise<Buffer<ArrayBuffer>> }[]
  }[]
}

/** Library's view of the chat: stores conversations of another program as the user's own. */
export interface ConversationTaker {
  /**
   * Stores conversations, each whole or not at all: those that `alongside` returns, which runs in the same transaction.
   * @returns null for each that `alongside` left out. @throws StorageFullError.
   */
  takeOverSome(
    userId: string,
    conversations: ForeignConversation[],
    alongside: (sql: SqlTransaction, sessionIds: string[]) => Promise<Set<string>>,
  ): Promise<({ refused: { name: string; reason: AppError }[] } | null)[]>
  /** Indexes the words of conversations for a moment; false when nothing is left to index. */
  makeSearched(sessionIds: string[]): Promise<boolean>
}

/** Library's view of projects, personas and prompts: stores one of an export as the user's own. */
interface BelongingTaker {
  /** Its id; null when the row can't be read. @throws ConflictError when there are too many. */
  bring(userId: string, row: Record<string, unknown>): Promise<string | null>
}

export interface ChatImporterDeps {
  store: ImportedThingsStore
  conversations: ConversationTaker
  belongings: Record<ReadBelonging['kind'], BelongingTaker>
}

export type ChatImporter = ReturnType<typeof createChatImporter>

interface Bringing {
  counts: ImportCounts
  signal: AbortSignal
  /** Stores progress from time to time; false when cancelled. */
  keep(): Promise<boolean>
}

const KNOWN_AT_ONCE = 1000
/** Conversations per transaction: few statements, while other queries only wait a moment. */
const TAKEN_AT_ONCE = 50
const CHARACTERS_AT_ONCE = 1_000_000
/** Bounds the time until rows refer to the files, which are removed after a quarter of an hour without one. */
const PICTURES_AT_ONCE = 40

/** Counts and imports the conversations of an export. */
export function createChatImporter({ store, conversations, belongings: takers }: ChatImporterDeps) {
  /** Imports projects, personas and prompts. @returns new ids by the exported ones. */
  const importBelongings = async ({ userId }: ImportRow, belongings: ReadBelonging[], counts: ImportCounts) => {
    const ids = new Map<string, string>()
    for (const { kind, row } of belongings) {
      try {
        const id = await takers[kind].bring(userId, row)
        if (id !== null && typeof row.id === 'string') ids.set(row.id, id)
        if (id === null) leaveOut(counts, nameOf(row), unreadable)
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error
        leaveOut(counts, nameOf(row), sentenceOf(error))
      }
    }
    return ids
  }

  const importSome = async (
    row: ImportRow,
    some: ReadConversation[],
    { belongings, met, counts }: { belongings: Map<string, string>; met: Set<string>; counts: ImportCounts },
  ) => {
    const place = { userId: row.userId, importId: row.id, source: row.source }
    const importedIds = await store.known(
      place,
      some.map(({ sourceId }) => sourceId),
    )
    const newConversations: ReadConversation[] = []
    for (const conversation of some) {
      // duplicates in an export count once
      const isMet = met.has(conversation.sourceId)
      met.add(conversation.sourceId)
      const isBrought = importedIds.get(conversation.sourceId) === 'now'
      if (isMet || conversation.messages.length === 0 || (importedIds.has(conversation.sourceId) && !isBrought))
        counts.skipped += 1
      else if (isBrought) counts.imported += 1
      else newConversations.push(conversation)
    }
    if (newConversations.length === 0) return
    const foreignConversations = newConversations.map((conversation) => foreignOf(conversation, belongings))
    const outcomes = await conversations.takeOverSome(row.userId, foreignConversations, (sql, sessionIds) =>
      store.noteConversations(
        sql,
        place,
        newConversations.map(({ sourceId }, index) => ({ sourceId, sessionId: sessionIds[index] as string })),
      ),
    )
    for (const [at, { title, missingPictures }] of newConversations.entries()) {
      const one = outcomes[at]
      if (!one) {
        counts.skipped += 1
        continue
      }
      counts.imported += 1
      for (const name of missingPictures) leaveOut(counts, `${title}: ${name}`, pictureMissing)
      for (const { name, reason } of one.refused) {
        const reasonText = reason.message
        const { text, told } = say('import_picture_refused', { said: reasonText })
        leaveOut(counts, `${title}: ${name}`, { text, told: reason.told.length > 0 ? reason.told : told })
      }
    }
  }

  return {
    /** Counts existing conversations without importing anything. */
    async count(row: ImportRow, archive: CountedArchive, counts: ImportCounts, signal: AbortSignal): Promise<void> {
      const place = { userId: row.userId, importId: row.id, source: row.source }
      let some: string[] = []
      const look = async () => {
        counts.skipped += (await store.known(place, some)).size
        some = []
      }
      for await (const sourceId of archive.sourceIds(signal)) {
        some.push(sourceId)
        if (some.length === KNOWN_AT_ONCE) await look()
      }
      if (some.length > 0) await look()
    },

    /** Imports conversations; false when cancelled. */
    async bring(row: ImportRow, archive: ReadArchive, { counts, signal, keep }: Bringing): Promise<boolean> {
      const belongings = await importBelongings(row, archive.belongings, counts)
      const met = new Set<string>()
      for await (const some of portionsOf(archive.conversations(signal))) {
        signal.throwIfAborted()
        if (!(await keep())) return false
        await importSome(row, some, { belongings, met, counts })
      }
      return true
    },
  }
}

/** Groups conversations into batches for one transaction. */
async function* portionsOf(conversations: AsyncIterable<ReadConversation>): AsyncGenerator<ReadConversation[]> {
  let some: ReadConversation[] = []
  let characters = 0
  let pictures = 0
  for await (const conversation of conversations) {
    some.push(conversation)
    characters += conversation.messages.reduce((sum, { content }) => sum + content.length, 0)
    pictures += conversation.messages.reduce((sum, message) => sum + message.pictures.length, 0)
    if (some.length < TAKEN_AT_ONCE && characters < CHARACTERS_AT_ONCE && pictures < PICTURES_AT_ONCE) continue
    yield some
    some = []
    characters = 0
    pictures = 0
  }
  if (some.length > 0) yield some
}

const pictureMissing = say('import_picture_missing', {})

/** Name of a row for the list of failures. */
function nameOf({ name, title }: Record<string, unknown>): string {
  const label = typeof name === 'string' ? name : title
  return typeof label === 'string' ? label.slice(0, 200) : ''
}

function foreignOf(read: ReadConversation, belongings: Map<string, string>): ForeignConversation {
  const moment = (text: string | null) => (text === null ? null : new Date(text))
  return {
    title: read.title,
    createdAt: moment(read.createdAt),
    updatedAt: moment(read.updatedAt),
    currentId: read.currentId,
    tags: read.place?.tags,
    isArchived: read.place?.isArchived,
    projectId: belongings.get(read.place?.projectId ?? '') ?? null,
    personaId: belongings.get(read.place?.personaId ?? '') ?? null,
    messages: read.messages.map(({ createdAt, pictures, ...message }) => ({
      ...message,
      createdAt: moment(createdAt),
      pictures: pictures.map(({ name, filename }) => ({ name, read: () => readFile(filename) })),
    })),
  }
}
