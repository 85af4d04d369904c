import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { isSystemError } from '../../platform/storage/whole-file.ts'
import { openZip } from '../../platform/storage/zip.ts'

/** Codes of errors that are the file's fault. */
type ArchiveProblemCode = 'other_source' | 'damaged_archive' | 'too_large_archive' | 'encrypted_archive'

/**
 * Error of an archive that can't be read, caused by the file. With the code `other_source`, the message is the name of the
 * program that wrote it; empty when unknown.
 */
export class ArchiveProblem extends Error {
  override name = 'ArchiveProblem'
  readonly code: ArchiveProblemCode
  constructor(code: ArchiveProblemCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Files of an archive: the entries of a ZIP, or the single file itself. */
export interface ArchiveFiles {
  names(): string[]
  /** Announces files that will be read whole, so that progress can be reported. */
  willRead(names: string[]): void
  sizeOf(name: string): number
  pieces(name: string): AsyncIterable<Uint8Array>
  close(): void
}

/** Maximum unpacked size of an archive: enough for years of pictures and texts. */
const MAX_UNPACKED_BYTES = 8 * 1024 ** 3
const MAX_ENTRIES = 200_000
/** Highest plausible compression ratio: conversations compress to a tenth. */
const MAX_RATIO = 150
/** Smaller files aren't checked for an implausible ratio. */
const MIN_CHECKED_BYTES = 32 * 1024 * 1024
const ZIP_SIGNATURE = 'PK\u0003\u0004'

/** Progress of reading an archive. */
export interface ReadingProgress {
  bytes: number
  ofBytes: number
}

/**
 * Opens a ZIP, or a single file as an archive of one.
 * @param onRead called repeatedly while announced files are read.
 * @throws ArchiveProblem for an unreadable ZIP; file system errors.
 */
export async function openArchive(
  filename: string,
  onRead: (progress: ReadingProgress) => void = () => {},
): Promise<ArchiveFiles> {
  const files = await openFiles(filename)
  const announcedNames = new Set<string>()
  let bytes = 0
  let ofBytes = 0
  return {
    ...files,
    willRead(names) {
      for (const name of names) announcedNames.add(name)
      ofBytes = [...announcedNames].reduce((sum, name) => sum + files.sizeOf(name), 0)
    },
    async *pieces(name) {
      for await (const piece of files.pieces(name)) {
        if (announcedNames.has(name)) {
          bytes += piece.length
          // the sizes stated in a ZIP may be wrong
          onRead({ bytes: Math.min(bytes, ofBytes), ofBytes })
        }
        yield piece
      }
    },
  }
}

async function openFiles(filename: string): Promise<Omit<ArchiveFiles, 'willRead'>> {
  const { size } = await stat(filename)
  if (!(await isZip(filename))) {
    const name = basename(filename)
    return {
      names: () => [name],
      sizeOf: () => size,
      pieces: () => createReadStream(filename, { highWaterMark: 1024 * 1024 }),
      close: () => {},
    }
  }
  const zip = await openZip(filename, { maxEntries: MAX_ENTRIES }).catch((error: unknown) => {
    throw isSystemError(error) ? error : new ArchiveProblem('damaged_archive', String(error))
  })
  let remainingBytes = MAX_UNPACKED_BYTES
  const tooLarge = () => new ArchiveProblem('too_large_archive', 'it unpacks to more than can be read')
  return {
    names: () => [...zip.sizes.keys()].filter((name) => !name.endsWith('/')),
    sizeOf: (name) => zip.sizes.get(name) ?? 0,
    async *pieces(name) {
      const unpacked = zip.sizes.get(name) ?? 0
      if (unpacked > remainingBytes || (unpacked > MIN_CHECKED_BYTES && unpacked > MAX_RATIO * size)) throw tooLarge()
      const asProblem = (error: unknown) =>
        new ArchiveProblem(/encrypt/i.test(String(error)) ? 'encrypted_archive' : 'damaged_archive', String(error))
      try {
        for await (const piece of (await zip.open(name)) as AsyncIterable<Uint8Array>) {
          remainingBytes -= piece.length
          if (remainingBytes < 0) throw tooLarge()
          yield piece
        }
      } catch (error) {
        throw error instanceof ArchiveProblem || isSystemError(error) ? error : asProblem(error)
      }
    },
    close: () => zip.close(),
  }
}

async function isZip(filename: string): Promise<boolean> {
  const file = await open(filename)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ZIP_SIGNATURE.length), 0, ZIP_SIGNATURE.length, 0)
    return bytesRead === ZIP_SIGNATURE.length && buffer.toString('latin1') === ZIP_SIGNATURE
  } finally {
    await file.close()
  }
}
