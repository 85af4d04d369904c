import type { SidecarFacts, SkippedFileReason } from '../../../../parsers/media-archives/media-archives.ts'

/** Address of a photo server, and a key for it. */
export interface PhotoServerAccess {
  url: string
  key: string
}

/** A picture or video on a server. */
export interface ServedFile extends SidecarFacts {
  /** Id on the server. */
  sourceId: string
  name: string
  /** Size of the file; 0 when the server doesn't report it. */
  sizeBytes: number
  /** Source id of the picture that this video belongs to, which comes right before it; null for other files. */
  motionVideoOf: string | null
}

/** List of a server's files that the key grants access to; none is fetched yet. */
export interface PhotoServerListing {
  found: number
  leftOut: { name: string; reason: SkippedFileReason }[]
  files(signal: AbortSignal): AsyncIterable<ServedFile>
}

/** A fetched file, with metadata that the server only returns per file. */
export interface FetchedPhoto {
  filename: string
  /** Tags and people's names. */
  tags: string[]
}

/** Reason why a file couldn't be fetched. */
export type UnfetchedReason = 'unavailable' | 'too_large'

/** Client for one kind of photo server, such as Immich. */
export interface PhotoServers {
  /**
   * Lists the files of a server.
   * @throws ValidationError, worded for the user, for a wrong server or key; UnavailableError when the server is
   * unavailable for now.
   */
  list(
    access: PhotoServerAccess,
    options: { maxFileBytes: number; folder: string; signal: AbortSignal },
  ): Promise<PhotoServerListing>
  /** Fetches files into a folder. @throws the same errors as `list`. */
  fetch(
    access: PhotoServerAccess,
    files: ServedFile[],
    options: { maxFileBytes: number; folder: string; signal: AbortSignal },
  ): Promise<(FetchedPhoto | UnfetchedReason)[]>
}
