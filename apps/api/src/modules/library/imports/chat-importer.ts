import { readFile } from 'node:fs/promises'
import { cutText } from '@mira/shared/constants/cut-text'
import { type AppError, ConflictError, sentenceOf } from '../../../errors.ts'
import type {
  ArchiveContents,
  ArchivedConversation,
  ArchivedEntity,
  CountedArchive,
} from '../../../parsers/chat-archives/chat-archives.ts'
import type { SqlTransaction } from '../../../platform/database/sql.ts'
import { say } from '../../../sentences.ts'
import type { ImportedObjectsStore } from './imported-objects.store.ts'
import { addImportFailure, type ImportCounts, type ImportRow, unreadable } from './imports.store.ts'

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
export interface ConversationStore {
  /**
   * Stores conversations, each completely or not at all; `alongside` runs in the same transaction and returns the ones to keep.
   * @returns null for each conversation that `alongside` left out. @throws StorageFullError
   */
  importMany(
    userId: string,
    conversations: ForeignConversation[],
    alongside: (sql: SqlTransaction, sessionIds: string[]) => Promise<Set<string>>,
  ): Promise<({ refused: { name: string; reason: AppError }[] } | null)[]>
  /** Indexes the words of conversations for a short time; false when nothing is left to index. */
  indexNext(sessionIds: string[]): Promise<boolean>
}

/** Library's view of projects, personas and prompts: stores an exported row as the user's own. */
interface ImportTarget {
  /** @returns the new id; null when the row can't be read. @throws ConflictError when there are too many. */
  importOne(userId: string, row: Record<string, unknown>): Promise<string | null>
}

export interface ChatImporterDeps {
  store: ImportedObjectsStore
  conversations: ConversationStore
  importTargets: Record<ArchivedEntity['kind'], ImportTarget>
}

export type ChatImporter = ReturnType<typeof createChatImporter>

interface ImportProgress {
  counts: ImportCounts
  signal: AbortSignal
  /** Stores progress from time to time; false when cancelled. */
  saveProgress(): Promise<boolean>
}

const LOOKUP_BATCH_SIZE = 1000
/** Maximum number of conversations per transaction: enough to need few statements, without keeping other queries waiting. */
const MAX_BATCH_CONVERSATIONS = 50
const MAX_BATCH_CHARACTERS = 1_000_000
/** Limits the time until rows refer to the stored files, since a file without a row is removed after `RESERVATION_MINUTES`. */
const MAX_BATCH_PICTURES = 40

/** Counts and imports the conversations of an export. */
export function createChatImporter({ store, conversations, importTargets }: ChatImporterDeps) {
  /** Imports projects, personas and prompts. @returns the new ids by the ids in the export. */
  const importEntities = async ({ userId }: ImportRow, entities: ArchivedEntity[], counts: ImportCounts) => {
    const ids = new Map<string, string>()
    for (const { kind, row } of entities) {
      try {
        const id = await importTargets[kind].importOne(userId, row)
        if (id !== null && typeof row.id === 'string') ids.set(row.id, id)
        if (id === null) addImportFailure(counts, nameOf(row), unreadable)
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error
        addImportFailure(counts, nameOf(row), sentenceOf(error))
      }
    }
    return ids
  }

  const importBatch = async (
    row: ImportRow,
    batch: ArchivedConversation[],
    { newIds, seenIds, counts }: { newIds: Map<string, string>; seenIds: Set<string>; counts: ImportCounts },
  ) => {
    const origin = { userId: row.userId, importId: row.id, source: row.source }
    const importedIds = await store.findImported(
      origin,
      batch.map(({ sourceId }) => sourceId),
    )
    const newConversations: ArchivedConversation[] = []
    for (const conversation of batch) {
      // Only the first of several duplicates in an export is imported.
      const isDuplicate = seenIds.has(conversation.sourceId)
      seenIds.add(conversation.sourceId)
      const isImported = importedIds.get(conversation.sourceId) === 'now'
      if (isDuplicate || conversation.messages.length === 0 || (importedIds.has(conversation.sourceId) && !isImported))
        counts.skipped += 1
      else if (isImported) counts.imported += 1
      else newConversations.push(conversation)
    }
    if (newConversations.length === 0) return
    const foreignConversations = newConversations.map((conversation) => toForeign(conversation, newIds))
    const outcomes = await conversations.importMany(row.userId, foreignConversations, (sql, sessionIds) =>
      store.recordConversations(
        sql,
        origin,
        newConversations.map(({ sourceId }, index) => ({ sourceId, sessionId: sessionIds[index] as string })),
      ),
    )
    for (const [index, { title, missingPictures }] of newConversations.entries()) {
      const outcome = outcomes[index]
      if (!outcome) {
        counts.skipped += 1
        continue
      }
      counts.imported += 1
      for (const name of missingPictures) addImportFailure(counts, `${title}: ${name}`, pictureMissing)
      for (const { name, reason } of outcome.refused) {
        const reasonText = reason.message
        const { text, sentences } = say('import_picture_refused', { said: reasonText })
        addImportFailure(counts, `${title}: ${name}`, {
          text,
          sentences: reason.sentences.length > 0 ? reason.sentences : sentences,
        })
      }
    }
  }

  return {
    /** Counts the conversations that were imported before, as skipped, without importing anything. */
    async count(row: ImportRow, archive: CountedArchive, counts: ImportCounts, signal: AbortSignal): Promise<void> {
      const origin = { userId: row.userId, importId: row.id, source: row.source }
      let batch: string[] = []
      const countBatch = async () => {
        counts.skipped += (await store.findImported(origin, batch)).size
        batch = []
      }
      for await (const sourceId of archive.sourceIds(signal)) {
        batch.push(sourceId)
        if (batch.length === LOOKUP_BATCH_SIZE) await countBatch()
      }
      if (batch.length > 0) await countBatch()
    },

    /** Imports the export's conversations; false when cancelled. */
    async importAll(
      row: ImportRow,
      archive: ArchiveContents,
      { counts, signal, saveProgress }: ImportProgress,
    ): Promise<boolean> {
      const newIds = await importEntities(row, archive.entities, counts)
      const seenIds = new Set<string>()
      for await (const batch of batchesOf(archive.conversations(signal))) {
        signal.throwIfAborted()
        if (!(await saveProgress())) return false
        await importBatch(row, batch, { newIds, seenIds, counts })
      }
      return true
    },
  }
}

/** Groups conversations into batches for one transaction. */
async function* batchesOf(conversations: AsyncIterable<ArchivedConversation>): AsyncGenerator<ArchivedConversation[]> {
  let batch: ArchivedConversation[] = []
  let characters = 0
  let pictures = 0
  for await (const conversation of conversations) {
    batch.push(conversation)
    characters += conversation.messages.reduce((sum, { content }) => sum + content.length, 0)
    pictures += conversation.messages.reduce((sum, message) => sum + message.pictures.length, 0)
    if (batch.length < MAX_BATCH_CONVERSATIONS && characters < MAX_BATCH_CHARACTERS && pictures < MAX_BATCH_PICTURES)
      continue
    yield batch
    batch = []
    characters = 0
    pictures = 0
  }
  if (batch.length > 0) yield batch
}

const pictureMissing = say('import_picture_missing', {})

/** Name of a row for the list of failures. */
function nameOf({ name, title }: Record<string, unknown>): string {
  const label = typeof name === 'string' ? name : title
  return typeof label === 'string' ? cutText(label, 200) : ''
}

function toForeign(conversation: ArchivedConversation, newIds: Map<string, string>): ForeignConversation {
  const toDate = (text: string | null) => (text === null ? null : new Date(text))
  return {
    title: conversation.title,
    createdAt: toDate(conversation.createdAt),
    updatedAt: toDate(conversation.updatedAt),
    currentId: conversation.currentId,
    tags: conversation.place?.tags,
    isArchived: conversation.place?.isArchived,
    projectId: newIds.get(conversation.place?.projectId ?? '') ?? null,
    personaId: newIds.get(conversation.place?.personaId ?? '') ?? null,
    messages: conversation.messages.map(({ createdAt, pictures, ...message }) => ({
      ...message,
      createdAt: toDate(createdAt),
      pictures: pictures.map(({ name, filename }) => ({ name, read: () => readFile(filename) })),
    })),
  }
}
