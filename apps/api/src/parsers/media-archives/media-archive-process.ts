// Reads archives of pictures, videos and documents in a separate process: they may unpack to any size and take any time.
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import {
  acceptedExtensionsOf,
  type ChatImportSource,
  isSystemFile,
  type MediaImportSource,
  mediaTypes,
} from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { writeJsonLines } from '../../platform/storage/json-lines.ts'
import { isSystemError } from '../../platform/storage/whole-file.ts'
import { type OpenedZip, openKnownZip, openZip, type ZippedFile } from '../../platform/storage/zip.ts'
import { openApple } from './kinds/apple.ts'
import { openTakeout } from './kinds/takeout.ts'
import {
  type ArchivedFile,
  type ArchiveIndex,
  type MediaArchiveKind,
  noFacts,
  type OpenMediaKind,
  type SkippedFileReason,
  splitPath,
} from './media-archives.ts'

/** A ZIP file of anything, whose files are taken as they are. */
const openFiles: OpenMediaKind = async () => ({ isPhotosOnly: false, factsOf: async () => noFacts })

/** Codes of errors that are the archive's fault. */
type MediaArchiveProblemCode =
  | 'damaged_archive'
  | 'encrypted_archive'
  | 'unsupported_archive'
  | 'too_large_archive'
  | 'nothing'
  | 'other_source'

/** Error of an archive that can't be read, caused by the file. */
class MediaArchiveProblem extends Error {
  override name = 'MediaArchiveProblem'
  readonly code: MediaArchiveProblemCode
  constructor(code: MediaArchiveProblemCode, message: string) {
    super(message)
    this.code = code
  }
}

const kinds: Record<MediaImportSource, OpenMediaKind> = { takeout: openTakeout, apple: openApple, files: openFiles }

const MAX_ENTRIES = 200_000
const MAX_LEFT_OUT = 100
const MAX_TEXT_BYTES = 4 * 1024 * 1024
/** Highest plausible compression ratio: texts compress to a twentieth, pictures and videos not at all. */
const MAX_RATIO = 200
/** Smaller files aren't checked for an implausible ratio. */
const MIN_CHECKED_BYTES = 32 * 1024 * 1024
/** Highest plausible compression ratio of the whole archive. */
const MAX_TOTAL_RATIO = 50
/** Maximum number of folders recorded per file: Takeout repeats a picture in the folders of its year and its albums. */
const MAX_FOLDERS = 100
/** Keys that identify the program behind a list of conversations; they occur early in the file. */
const chatPatterns: readonly (readonly [ChatImportSource, RegExp])[] = [
  ['chatgpt', /"mapping"\s*:\s*\{/],
  ['claude', /"chat_messages"\s*:\s*\[/],
]
const SAMPLE_CHARACTERS = 100_000
const FILES_FILE = 'files.ndjson'
const FACTS_FILE = 'sidecars.ndjson'

const photoExtensions = new Set(acceptedExtensionsOf('image', 'video'))
const allExtensions = new Set(acceptedExtensionsOf(...mediaTypes))
/** Files that may be pictures or videos, although they can't be imported: an export also contains much else. */
const LIKELY_PICTURE =
  /\.(?:3fr|asf|crw|dcr|dv|erf|hif|iiq|insv|jp2|kdc|lrv|mef|mod|mos|mrw|nrw|orf|pef|psd|raf|rw2|srw|svg|tod|vob|x3f)$|(?:^|\/)(?:dsc|img|mvimg|pxl|vid)[^./]*$/i
/** Compression methods that can be read: none, and Deflate. */
const readableMethods = [0, 8]
const archiveExtensions = new Set(['zip', '7z', 'rar', 'tar', 'gz', 'tgz', 'bz2', 'xz', 'zst'])

interface ListResult {
  found: number
  leftOut: { name: string; reason: SkippedFileReason }[]
  filesFile: string
  factsFile: string
}

const tasks = {
  /** Lists the files that can become items, and writes the lists into a folder, as lines of JSON. */
  list: (input: { filename: string; source: MediaImportSource; maxFileBytes: number; folder: string }) =>
    asProblem(() => list(input)),
  /** Unpacks files into a folder. @returns the path of each; null for a damaged one. */
  unpack: (input: { filename: string; files: ZippedFile[]; folder: string }) => asProblem(() => unpack(input)),
}

/** Tasks of this process. */
export type MediaArchiveTasks = typeof tasks

/** Turns errors into a MediaArchiveProblem, except those of the file system, such as a full disk. */
async function asProblem<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof MediaArchiveProblem || isSystemError(error)) throw error
    throw new MediaArchiveProblem(codeOf(error), String(error))
  }
}

function codeOf(error: unknown): MediaArchiveProblemCode {
  if (/encrypt/i.test(String(error))) return 'encrypted_archive'
  // several volumes, or names that lead outside
  return /multi-disk|absolute path|invalid relative path/i.test(String(error))
    ? 'unsupported_archive'
    : 'damaged_archive'
}

async function list({ filename, source, maxFileBytes, folder }: Parameters<typeof tasks.list>[0]): Promise<ListResult> {
  const zip = await openZip(filename, { maxEntries: MAX_ENTRIES })
  try {
    const names = [...zip.sizes.keys()].filter((name) => !name.endsWith('/') && !isSystemFile(name))
    await requireBounded(filename, zip, names)
    const filled = names.filter((name) => zip.sizes.get(name) !== 0)
    if (filled.length > 0 && filled.every((name) => zip.entryInfo.get(name)?.isEncrypted))
      throw new MediaArchiveProblem('encrypted_archive', 'its files are encrypted')
    const chatSource = source === 'files' ? null : await chatSourceOf(zip, names)
    if (chatSource !== null) throw new MediaArchiveProblem('other_source', chatSource)
    const kind = await kinds[source](indexOf(zip, names))
    const result: ListResult = {
      found: 0,
      leftOut: [],
      filesFile: join(folder, FILES_FILE),
      factsFile: join(folder, FACTS_FILE),
    }
    const files = await filesOf(zip, names, { kind, maxFileBytes, leftOut: result.leftOut })
    result.found = files.length
    let factsCount = 0
    const rest = async function* () {
      for await (const file of kind.unmatchedSidecars?.() ?? []) {
        factsCount += 1
        yield file
      }
    }
    await writeJsonLines(result.factsFile, rest())
    if (files.length + factsCount + result.leftOut.length === 0)
      throw new MediaArchiveProblem('nothing', 'it has no usable file')
    await writeJsonLines(result.filesFile, files)
    return result
  } finally {
    zip.close()
  }
}

/** Program whose conversations are in an archive of supposed pictures; null for none. */
async function chatSourceOf(zip: OpenedZip, names: string[]): Promise<ChatImportSource | null> {
  const conversationsFile = names.find((name) => /(?:^|\/)conversations(?:-\d+)?\.json$/.test(name))
  if (conversationsFile === undefined) return null
  let beginning = ''
  for await (const piece of await zip.open(conversationsFile)) {
    beginning += String(piece)
    if (beginning.length >= SAMPLE_CHARACTERS) break
  }
  return chatPatterns.find(([, pattern]) => pattern.test(beginning))?.[0] ?? null
}

async function requireBounded(filename: string, zip: OpenedZip, names: string[]): Promise<void> {
  const { size } = await stat(filename)
  const unpacked = names.reduce((sum, name) => sum + (zip.sizes.get(name) ?? 0), 0)
  if (unpacked > MIN_CHECKED_BYTES && unpacked > MAX_TOTAL_RATIO * size) {
    throw new MediaArchiveProblem('too_large_archive', 'it unpacks to far more than its size')
  }
}

/**
 * Files that can become items. Duplicates, such as Takeout's copies in the folders of albums, become one file with the tags of
 * all.
 */
async function filesOf(
  zip: OpenedZip,
  names: string[],
  { kind, maxFileBytes, leftOut }: { kind: MediaArchiveKind; maxFileBytes: number; leftOut: ListResult['leftOut'] },
): Promise<ArchivedFile[]> {
  const byContent = new Map<string, ArchivedFile>()
  const skipFile = (name: string, reason: SkippedFileReason) => {
    if (leftOut.length < MAX_LEFT_OUT) leftOut.push({ name, reason })
  }
  for (const entry of names) {
    const { folder, name } = splitPath(entry)
    const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
    if (!(kind.isPhotosOnly ? photoExtensions : allExtensions).has(extension)) {
      if (archiveExtensions.has(extension)) skipFile(entry, 'nested')
      else if (!kind.isPhotosOnly || LIKELY_PICTURE.test(entry)) skipFile(entry, 'unsupported')
      continue
    }
    const zipped = zip.entryInfo.get(entry) as ZippedFile
    if (zipped.isEncrypted) {
      skipFile(entry, 'encrypted')
      continue
    }
    const { sizeBytes, packedBytes, checksum } = zipped
    const isSuspect = sizeBytes > MIN_CHECKED_BYTES && sizeBytes > MAX_RATIO * packedBytes
    if (sizeBytes > maxFileBytes || isSuspect) {
      skipFile(entry, 'too_large')
      continue
    }
    if (sizeBytes === 0 || !readableMethods.includes(zipped.method)) {
      skipFile(entry, sizeBytes === 0 ? 'empty' : 'packed')
      continue
    }
    const facts = await kind.factsOf(entry)
    if (facts === null) continue
    const sourceId = cutText(`${checksum.toString(16)}-${sizeBytes}-${name}`, 500)
    const existing = byContent.get(sourceId)
    if (existing === undefined)
      byContent.set(sourceId, { sourceId, zipped, folders: [folder], name, sizeBytes, ...facts })
    else {
      if (!existing.folders.includes(folder) && existing.folders.length < MAX_FOLDERS) existing.folders.push(folder)
      existing.tags = [...new Set([...existing.tags, ...facts.tags])]
      existing.isFavorite ||= facts.isFavorite
      if (existing.takenAt === null) Object.assign(existing, { takenAt: facts.takenAt, takenLocal: facts.takenLocal })
      existing.description ??= facts.description
      if (existing.latitude === null) Object.assign(existing, { latitude: facts.latitude, longitude: facts.longitude })
    }
  }
  return [...byContent.values()]
}

function indexOf(zip: OpenedZip, names: string[]): ArchiveIndex {
  return {
    names,
    async textOf(name) {
      if ((zip.sizes.get(name) ?? Number.POSITIVE_INFINITY) > MAX_TEXT_BYTES) return null
      try {
        return (await buffer(await zip.open(name))).toString('utf8')
      } catch (error) {
        // A picture with broken metadata is still imported.
        if (isSystemError(error)) throw error
        return null
      }
    },
  }
}

async function unpack({ filename, files, folder }: Parameters<typeof tasks.unpack>[0]): Promise<(string | null)[]> {
  const zip = await openKnownZip(filename)
  try {
    const paths: (string | null)[] = []
    for (const [index, file] of files.entries()) {
      const path = join(folder, `file-${index + 1}`)
      const isWhole = await unpackOne(() => zip.open(file), file.checksum, path)
      paths.push(isWhole ? path : null)
    }
    return paths
  } finally {
    zip.close()
  }
}

/** Unpacks a file; false when it's damaged: its length or checksum isn't the one that the archive states. */
async function unpackOne(open: () => Promise<Readable>, statedChecksum: number, path: string): Promise<boolean> {
  let checksum = 0
  try {
    await pipeline(
      await open(),
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          checksum = crc32(piece, checksum)
          yield piece
        }
      },
      createWriteStream(path),
    )
  } catch (error) {
    if (isSystemError(error)) throw error
    return false
  }
  return checksum === statedChecksum
}

serveTasks(tasks)
