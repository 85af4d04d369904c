import type { ChatImportSource } from '@mira/shared'
import type { ReadingProgress } from './archive-files.ts'

/** A picture of a message, as a file that was unpacked. */
export interface ArchivedPicture {
  /** As it was called. */
  name: string
  /** Path while the archive is being imported. */
  filename: string
}

export interface ReadMessage {
  id: string
  /** Id of the message before; null at the beginning. */
  parentId: string | null
  role: 'user' | 'assistant'
  content: string
  /** ISO 8601; null when it is not known. */
  createdAt: string | null
  model: string | null
  reasoning: string | null
  pictures: ArchivedPicture[]
}

/** A project, persona or prompt of Mira's own export, as an unvalidated row. */
export interface ReadBelonging {
  kind: 'project' | 'persona' | 'prompt'
  row: Record<string, unknown>
}

/** Tags, projects and the like of a conversation from Mira's own export, with their ids there. */
export interface ReadPlace {
  tags: string[]
  isArchived: boolean
  projectId: string | null
  personaId: string | null
}

/** A conversation as another program kept it. */
export interface ReadConversation {
  /** Id at the source. */
  sourceId: string
  title: string
  createdAt: string | null
  updatedAt: string | null
  /** The newest message of the branch that was shown. */
  currentId: string | null
  messages: ReadMessage[]
  /** Undefined where the format does not carry it. */
  place?: ReadPlace
  /** Names of pictures that the archive lacks. */
  missingPictures: string[]
}

/** A completely read archive. */
export interface CountedArchive {
  /** Number of conversations. */
  found: number
  /** Names of entries that are no conversations of this program. */
  unreadable: string[]
  /** Source ids of its conversations. */
  sourceIds(signal: AbortSignal): AsyncIterable<string>
}

/** An archive that was read whole. */
export interface ReadArchive extends Omit<CountedArchive, 'sourceIds'> {
  /** Containers of its conversations, and other entries. */
  belongings: ReadBelonging[]
  conversations(signal: AbortSignal): AsyncIterable<ReadConversation>
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
  /** Reads all of it, and keeps no more of it than what its conversations are known by. @throws as `read` does. */
  count(file: ArchiveFile, options: ReadingOptions): Promise<CountedArchive>
  /**
   * Reads the whole archive before it returns, so that a broken one yields nothing.
   * @throws ValidationError, worded for the user; UnavailableError.
   */
  read(file: ArchiveFile, options: ReadingOptions): Promise<ReadArchive>
  close(): Promise<void>
}
