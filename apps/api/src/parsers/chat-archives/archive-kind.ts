import { z } from 'zod'
import type { ArchiveFiles } from './archive-files.ts'
import type { ReadBelonging, ReadConversation, ReadMessage } from './chat-archives.ts'

/** A moment as programs write it: ISO 8601, or seconds or milliseconds since 1970. */
export const momentSchema = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value): string | null => {
    if (value === null || value === undefined) return null
    // before the year 2286 seconds have ten digits
    const milliseconds = typeof value === 'string' ? Date.parse(value) : value > 1e10 ? value : value * 1000
    const isKnown = milliseconds > 0 && milliseconds < 4e12
    return isKnown ? new Date(milliseconds).toISOString() : null
  })

export const textSchema = z
  .string()
  .nullish()
  .transform((text) => text ?? '')

export const idSchema = z.union([z.string().min(1).max(200), z.number()]).transform(String)
export const parentSchema = idSchema.nullish().transform((id) => id ?? null)
export const modelSchema = z
  .string()
  .nullish()
  .transform((model) => (model === '' ? null : (model?.slice(0, 200) ?? null)))

/** Name of an entry that isn't a conversation; empty when it has none. */
export function nameOf(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return ''
  for (const key of ['title', 'name', 'id', 'uuid', 'conversationId']) {
    const value = (entry as Record<string, unknown>)[key]
    if (typeof value === 'string' && value !== '') return value.slice(0, 200)
  }
  return ''
}

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
