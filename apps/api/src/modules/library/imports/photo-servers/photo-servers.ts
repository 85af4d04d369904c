import type { LeftOutReason, ToldFacts } from '../../../../parsers/media-archives/media-archives.ts'

/** A server that keeps pictures and films, and the key that opens it. */
export interface PhotoServerAccess {
  url: string
  key: string
}

/** A picture or film that a server keeps. */
export interface ServedFile extends ToldFacts {
  /** Id at the source. */
  sourceId: string
  name: string
  /** 0 when the server does not say. */
  sizeBytes: number
  /** Source id of the picture that this film belongs to, which comes right before it; null for other files. */
  filmOf: string | null
}

/** Contents of a server, as far as the key grants access; nothing is fetched yet. */
export interface ReadPhotoServer {
  found: number
  leftOut: { name: string; reason: LeftOutReason }[]
  files(signal: AbortSignal): AsyncIterable<ServedFile>
}

/** A file as it was fetched, and what the server tells of it only one by one. */
export interface FetchedPhoto {
  filename: string
  /** Tags and names of people. */
  tags: string[]
}

/** Asks servers of one program for what they keep. */
export interface PhotoServers {
  /**
   * @throws ValidationError with a sentence for a person when the server or the key is the wrong one, UnavailableError when
   * the server is away for now.
   */
  read(
    access: PhotoServerAccess,
    options: { maxFileBytes: number; folder: string; signal: AbortSignal },
  ): Promise<ReadPhotoServer>
  /** Fetches some files into a folder; null for one that the server cannot give. @throws as `read` does. */
  fetch(
    access: PhotoServerAccess,
    files: ServedFile[],
    options: { maxFileBytes: number; folder: string; signal: AbortSignal },
  ): Promise<(FetchedPhoto | null)[]>
}
