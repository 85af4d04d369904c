import { createHash } from 'node:crypto'
import type { ChatImportSource } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { z } from 'zod'
import type { ArchiveFiles, ReadingProgress } from './archive-files.ts'

/** An unpacked picture of a message. */
export interface ArchivedPicture {
  /** Original name. */
  name: string
  /** Path while the archive is being imported. */
  filename: string
}

interface ReadMessage {
  id: string
  /** Id of the previous message; null for the first. */
  parentId: string | null
  role: 'user' | 'assistant'
  content: string
  /** ISO 8601; null when unknown. */
  createdAt: string | null
  model: string | null
  reasoning: string | null
  pictures: ArchivedPicture[]
}

/** A project, persona or prompt of Mira's own export, as an unvalidated row. */
export interface ArchivedEntity {
  kind: 'project' | 'persona' | 'prompt'
  row: Record<string, unknown>
}

/** Tags, archived state, project and persona of a conversation, with their ids at the source. */
interface ConversationOrganisation {
  tags: string[]
  isArchived: boolean
  projectId: string | null
  personaId: string | null
}

/** A conversation as another program kept it. */
export interface ArchivedConversation {
  /** Id at the source. */
  sourceId: string
  title: string
  createdAt: string | null
  updatedAt: string | null
  /** The newest message of the displayed branch. */
  currentId: string | null
  messages: ReadMessage[]
  /** Undefined when the format has neither tags, an archived state, projects nor personas. */
  place?: ConversationOrganisation
  /** Names of pictures that the messages refer to, but the archive doesn't contain. */
  missingPictures: string[]
}

/** Number and ids of the conversations in an archive, which was read to its end. */
export interface CountedArchive {
  /** Number of conversations. */
  found: number
  /** Names of entries that aren't conversations of this program. */
  unreadable: string[]
  /** Source ids of its conversations. */
  sourceIds(signal: AbortSignal): AsyncIterable<string>
}

/** Contents of an archive, which was read to its end. */
export interface ArchiveContents extends Omit<CountedArchive, 'sourceIds'> {
  /** Its projects, personas and prompts. */
  entities: ArchivedEntity[]
  conversations(signal: AbortSignal): AsyncIterable<ArchivedConversation>
}

interface ArchiveFile {
  filename: string
  source: ChatImportSource
}

interface ReadingOptions {
  /** Folder of the extracted data until it's imported. */
  folder: string
  signal: AbortSignal
  /** Called a few times per second with the progress. */
  onProgress(progress: ReadingProgress): void
}

/** Reader of other programs' exports, in a process bounded in memory, time and unpacked bytes. */
export interface ChatArchives {
  /** Reads the whole archive as `read` does, but only keeps the ids of its conversations. @throws as `read` does. */
  count(file: ArchiveFile, options: ReadingOptions): Promise<CountedArchive>
  /**
   * Reads the whole archive before it returns, so that a broken one yields nothing.
   * @throws ValidationError, worded for the user; UnavailableError.
   */
  read(file: ArchiveFile, options: ReadingOptions): Promise<ArchiveContents>
  close(): Promise<void>
}

/** A point in time as programs write it: ISO 8601, or seconds or milliseconds since 1970. */
export const timestampSchema = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value): string | null => {
    if (value === null || value === undefined) return null
    // Until the year 2286, a time in seconds has at most ten digits.
    const milliseconds = typeof value === 'string' ? Date.parse(value) : value > 1e10 ? value : value * 1000
    const isKnown = milliseconds > 0 && milliseconds < 4e12
    return isKnown ? new Date(milliseconds).toISOString() : null
  })

export const textSchema = z
  .string()
  .nullish()
  .transform((text) => text ?? '')

export const idSchema = z.union([z.string().min(1).max(200), z.number()]).transform(String)
/** Id of another message or entity; null for none, and for an invalid one such as ''. */
export const parentSchema = idSchema
  .nullish()
  .transform((id) => id ?? null)
  .catch(null)
export const modelSchema = z
  .string()
  .nullish()
  .transform((model) => (model ? cutText(model, 200) : null))

/**
 * Id of a conversation that has none: a hash of its title, its time and its messages as they're in the export, so that it's the
 * same each time that they're imported.
 */
export function idFrom(...traits: (string | null | Record<string, unknown> | unknown[])[]): string {
  const hash = createHash('sha256')
  for (const trait of traits) {
    // One by one, since all messages together may be longer than a string can be.
    const entries = typeof trait === 'object' && trait !== null ? Object.entries(trait) : [trait]
    for (const entry of entries) hash.update(`${JSON.stringify(entry)}\n`)
    hash.update('\n')
  }
  return hash.digest('hex')
}

/** Name to report for an entry that isn't a conversation; '' when it has none. */
export function nameOf(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return ''
  for (const key of ['title', 'name', 'id', 'uuid', 'conversationId']) {
    const value = (entry as Record<string, unknown>)[key]
    if (typeof value === 'string' && value !== '') return cutText(value, 200)
  }
  return ''
}

/** A picture that a message refers to: a file of the archive, or its bytes. */
export interface PictureReference {
  name: string
  /** A file of the archive; null when missing. */
  entry?: string | null
  bytes?: Uint8Array
}

/** A message with pictures that are not unpacked yet. */
export interface TreeMessage extends Omit<ReadMessage, 'pictures'> {
  pictures: PictureReference[]
}

/** A conversation whose pictures are not unpacked yet. */
export interface TreeConversation extends Omit<ArchivedConversation, 'messages' | 'missingPictures'> {
  messages: TreeMessage[]
}

/** An entry of an archive: a conversation, a project, persona or prompt, or the name of an unreadable entry. */
export type ArchiveEntry = { conversation: TreeConversation } | { belonging: ArchivedEntity } | { unreadable: string }

/** Reader of one program's archives. @param folder for intermediate files. */
export type ArchiveKind = (files: ArchiveFiles, folder: string) => AsyncGenerator<ArchiveEntry>
