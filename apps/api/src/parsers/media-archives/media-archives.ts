import type { MediaImportSource } from '@mira/shared'
import type { ZippedFile } from '../../platform/storage/zip.ts'

/** Metadata in an archive about a picture or video. */
export interface SidecarFacts {
  /** ISO 8601; null when unknown. */
  takenAt: string | null
  /** Local time at the place, such as 2024-07-14T09:28:00; in UTC when the place is unknown. */
  takenLocal: string | null
  latitude: number | null
  longitude: number | null
  description: string | null
  isFavorite: boolean
  /** Albums, people and keywords. */
  tags: string[]
}

/** A file of an archive that can become an item. */
export interface ArchivedFile extends SidecarFacts {
  /** Hash of content and name: the same in every archive with this file. */
  sourceId: string
  /** Its data in the archive, with which it's unpacked. */
  zipped: ZippedFile
  /** Folders with a copy of the file: metadata in another part of the export may refer to any of them. */
  folders: string[]
  name: string
  sizeBytes: number
}

/** Metadata about a file that isn't in this archive; it may be in an earlier part. */
export interface SidecarFile extends SidecarFacts {
  /** Folder of the sidecar, and of the file in its own part. */
  folder: string
  /** Possible file names. */
  names: string[]
}

/** Reason for leaving out a file. */
export type SkippedFileReason = 'nested' | 'unsupported' | 'too_large' | 'packed' | 'encrypted' | 'empty'

/** An archive that was listed, but not unpacked yet. */
interface ListedMediaArchive {
  found: number
  leftOut: { name: string; reason: SkippedFileReason }[]
  files(signal: AbortSignal): AsyncIterable<ArchivedFile>
  sidecarFacts(signal: AbortSignal): AsyncIterable<SidecarFile>
}

/** Reader of archives of pictures, videos and documents, in a process bounded in memory, time and unpacked bytes. */
export interface MediaArchives {
  /** Lists an archive's files without unpacking them. @throws ValidationError, worded for the user; UnavailableError. */
  read(
    archive: { filename: string; source: MediaImportSource; maxFileBytes: number },
    options: { folder: string; signal: AbortSignal },
  ): Promise<ListedMediaArchive>
  /** Unpacks files into a folder. @returns the path of each; null for a damaged one. */
  unpack(
    archive: { filename: string; files: ZippedFile[] },
    options: { folder: string; signal: AbortSignal },
  ): Promise<(string | null)[]>
  close(): Promise<void>
}

/** Names in an archive, and the text of its small files. */
export interface ArchiveIndex {
  names: readonly string[]
  /** Text of a file; null when it's too large for metadata, or damaged. */
  textOf(name: string): Promise<string | null>
}

/** Reader of the metadata that one program writes into archives. */
export interface MediaArchiveKind {
  /** True when only pictures and videos are imported, because all other files are the program's own. */
  isPhotosOnly: boolean
  /** Metadata of a file; null for a file to ignore. */
  factsOf(entry: string): Promise<SidecarFacts | null>
  /** Data about files that `factsOf` wasn't called for. */
  unmatchedSidecars?(): AsyncIterable<SidecarFile>
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
export function splitPath(entry: string): { folder: string; name: string } {
  const index = entry.lastIndexOf('/')
  return { folder: index < 0 ? '' : entry.slice(0, index), name: entry.slice(index + 1) }
}
