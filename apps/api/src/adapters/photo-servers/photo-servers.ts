import type { LeftOutReason, ToldFacts } from '../media-archives/media-archives.ts'

/** A server that keeps pictures and films, and the key that opens it. */
export interface PhotoServerAccess {
  url: string
  key: string
}

/** A picture or film that a server keeps. */
export interface ServedFile extends ToldFacts {
  /** What it is known by there. */
  sourceId: string
  name: string
  /** 0 when the server does not say. */
  sizeBytes: number
  /** What the picture is known by there that it is the film of, which comes right before it; null for what is none. */
  filmOf: string | null
}

/** What a server keeps, as far as the key shows it; nothing of it is fetched yet. */
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
