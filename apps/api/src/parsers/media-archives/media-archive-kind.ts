import type { SidecarFacts, SidecarFile } from './media-archives.ts'

/** Names in an archive, and the text of its small files. */
export interface ArchiveIndex {
  names: readonly string[]
  /** Text of a file; null when it's too large for metadata, or damaged. */
  textOf(name: string): Promise<string | null>
}

/** Metadata of one program's files; null for files to ignore. */
export interface MediaArchiveKind {
  /** Import pictures and films only; all other files are the program's own. */
  isPhotosOnly: boolean
  factsOf(entry: string): Promise<SidecarFacts | null>
  /** Data about files that `factsOf` wasn't called for. */
  rest?(): AsyncIterable<SidecarFile>
}

/** Opens the reader of an archive. */
export type OpenMediaKind = (index: ArchiveIndex) => Promise<MediaArchiveKind>

export const noFacts: SidecarFacts = {
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
  const index = entry.lastIndexOf('/')
  return { folder: index < 0 ? '' : entry.slice(0, index), name: entry.slice(index + 1) }
}
