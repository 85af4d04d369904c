import type { ArchiveFiles } from './archive-files.ts'
import type { ReadBelonging, ReadConversation, ReadMessage } from './chat-archives.ts'

/** A picture that a message names: a file of the archive, or its bytes. */
export interface NamedPicture {
  name: string
  /** A file of the archive; null when it is not there. */
  entry?: string | null
  bytes?: Uint8Array
}

/** A message with pictures that are not unpacked yet. */
export interface TreeMessage extends Omit<ReadMessage, 'pictures'> {
  pictures: NamedPicture[]
}

/** A conversation whose pictures are not unpacked yet. */
export interface TreeConversation extends Omit<ReadConversation, 'messages' | 'missingPictures'> {
  messages: TreeMessage[]
}

/** Content of an entry: a conversation, a container of conversations, or the name of an unreadable one. */
export type ArchiveEntry = { conversation: TreeConversation } | { belonging: ReadBelonging } | { unreadable: string }

/** Reader of one program's archives. @param folder for intermediate files. */
export type ArchiveKind = (files: ArchiveFiles, folder: string) => AsyncGenerator<ArchiveEntry>
