import type { ChatImportSource } from '@mira/shared'

/** A picture of a message, as a file that was unpacked. */
export interface ArchivedPicture {
  /** As it was called. */
  name: string
  /** Where it lies while the archive is being taken in. */
  filename: string
}

export interface ReadMessage {
  id: string
  /** Of a message that comes before; null at the beginning. */
  parentId: string | null
  role: 'user' | 'assistant'
  content: string
  /** ISO 8601; null when it is not known. */
  createdAt: string | null
  model: string | null
  reasoning: string | null
  pictures: ArchivedPicture[]
}

/** A project, persona or saved prompt of Mira's own export, as a row that whoever keeps such things judges. */
export interface ReadBelonging {
  kind: 'project' | 'persona' | 'prompt'
  row: Record<string, unknown>
}

/** Where a conversation of Mira's own export belonged; ids are those that it had there. */
export interface ReadPlace {
  tags: string[]
  isArchived: boolean
  projectId: string | null
  personaId: string | null
}

/** A conversation as another program kept it. */
export interface ReadConversation {
  /** What it is known by there. */
  sourceId: string
  title: string
  createdAt: string | null
  updatedAt: string | null
  /** The newest message of the branch that was shown. */
  currentId: string | null
  messages: ReadMessage[]
  /** Undefined where the format does not carry it. */
  place?: ReadPlace
  /** Names of pictures that the archive speaks of and does not hold. */
  missingPictures: string[]
}

/** An archive that was read whole. */
export interface ReadArchive {
  /** How many conversations there are. */
  found: number
  /** Names of entries that are no conversations of this program. */
  unreadable: string[]
  /** What its conversations belong to, and what stands beside them. */
  belongings: ReadBelonging[]
  conversations(signal: AbortSignal): AsyncIterable<ReadConversation>
}

/** Reads what other programs export, in a process of its own, bounded in memory, time and what is unpacked. */
export interface ChatArchives {
  /**
   * Reads all of it before anything is given out, so that a broken one gives nothing.
   * @param folder where what was read lies until it was taken in.
   * @throws ValidationError with a sentence for a person, UnavailableError.
   */
  read(
    file: { filename: string; source: ChatImportSource },
    options: { folder: string; signal: AbortSignal },
  ): Promise<ReadArchive>
  close(): Promise<void>
}
