import type { ToldFacts, ToldFile } from './media-archives.ts'

/** The names in an archive, and what stands in its small files. */
export interface ArchiveIndex {
  names: readonly string[]
  /** The text of a file; null when it is too large to be one that tells of others, or damaged. */
  textOf(name: string): Promise<string | null>
}

/** Tells of the files of one program's archives; null for those that are to be left alone without a word. */
export interface MediaArchiveKind {
  /** Import pictures and films only; all other files are the program's own. */
  isPhotosOnly: boolean
  factsOf(entry: string): Promise<ToldFacts | null>
  /** Data about files that `factsOf` wasn't called for. */
  rest?(): AsyncIterable<ToldFile>
}

/** Makes the reader of one archive. */
export type OpenMediaKind = (index: ArchiveIndex) => Promise<MediaArchiveKind>

export const nothingTold: ToldFacts = {
  takenAt: null,
  takenLocal: null,
  latitude: null,
  longitude: null,
  description: null,
  isFavorite: false,
  tags: [],
}

/** The folder of an entry, and its name in it. */
export function partsOf(entry: string): { folder: string; name: string } {
  const at = entry.lastIndexOf('/')
  return { folder: at < 0 ? '' : entry.slice(0, at), name: entry.slice(at + 1) }
}
