import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import yauzl from 'yauzl'
import { ZipFile } from 'yazl'

/** A ZIP archive with random access. */
export interface OpenedZip {
  /** Size of each file by name. */
  sizes: ReadonlyMap<string, number>
  /** Packed size and CRC-32 of each file, as stated in the archive. */
  entryInfo: ReadonlyMap<string, { packedBytes: number; checksum: number }>
  /** Opens the content of a file. The stream fails when its length differs from the one that the archive states. */
  open(name: string): Promise<Readable>
  close(): void
}

interface OpenedArchive extends OpenedZip {
  /** Total size of all files, including files that share a name. */
  unpackedBytes: number
}

const openFile = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)
const openReader = promisify<yauzl.RandomAccessReader, number, yauzl.Options, yauzl.ZipFile>(
  yauzl.fromRandomAccessReader,
)
// Windows programs separate folders by \, against the format; names that lead out of the archive are still refused
const OPEN_OPTIONS: yauzl.Options = { lazyEntries: true, autoClose: false, strictFileNames: false }

/** Record at the end of an archive; a comment may follow. */
const endRecord = {
  signature: Buffer.from('PK\x05\x06', 'latin1'),
  bytes: 22,
  commentLengthOffset: 20,
  maxCommentBytes: 0xffff,
}

const PIECE_BYTES = 64 * 1024

class HandleReader extends yauzl.RandomAccessReader {
  readonly #handle: FileHandle
  constructor(handle: FileHandle) {
    super()
    this.#handle = handle
  }
  override _readStreamForRange(from: number, to: number) {
    return Readable.from(piecesOf(this.#handle, from, to), { objectMode: false })
  }
  override close(callback: (error: Error | null) => void) {
    this.#handle.close().then(() => callback(null), callback)
  }
}

/** Chunks of a file range; a stream of `node:fs` would close the file when destroyed. */
async function* piecesOf(handle: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  for (let offset = from; offset < to; ) {
    const piece = Buffer.alloc(Math.min(PIECE_BYTES, to - offset))
    const { bytesRead } = await handle.read(piece, 0, undefined, offset)
    if (bytesRead === 0) return
    yield piece.subarray(0, bytesRead)
    offset += bytesRead
  }
}

/** Opens an archive, even with trailing bytes: some servers append a newline to downloads, which Office accepts. */
async function openArchive(filename: string): Promise<yauzl.ZipFile> {
  try {
    return await openFile(filename, OPEN_OPTIONS)
  } catch (error) {
    const handle = await open(filename)
    try {
      const endOffset = await endOfArchive(handle)
      if (endOffset === null) throw error
      return await openReader(new HandleReader(handle), endOffset, OPEN_OPTIONS)
    } catch {
      await handle.close()
      throw error
    }
  }
}

/** Offset at which the last archive in a file ends; null when there is none, or the file ends there. */
async function endOfArchive(handle: FileHandle): Promise<number | null> {
  const { size } = await handle.stat()
  const tailOffset = Math.max(0, size - endRecord.bytes - endRecord.maxCommentBytes)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - tailOffset), 0, size - tailOffset, tailOffset)
  const index = buffer
    .subarray(0, bytesRead - endRecord.bytes + endRecord.signature.length)
    .lastIndexOf(endRecord.signature)
  if (index < 0) return null
  const endOffset = tailOffset + index + endRecord.bytes + buffer.readUInt16LE(index + endRecord.commentLengthOffset)
  return endOffset < size ? endOffset : null
}

interface UnzipOptions {
  /** Maximum number of files: an archive with more is refused. By default, any number is accepted. */
  maxEntries?: number
  /** Use the last of several files with the same name, as Office does; otherwise such archives are refused. */
  allowsDuplicateNames?: boolean
}

const IS_UTF8 = 0x800
/** Extra field of Info-ZIP with the name in UTF-8. */
const UNICODE_PATH = 0x7075
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Name of an entry. The macOS Finder doesn't flag its UTF-8 names, which would be decoded with a DOS code page. */
function nameOf({ fileName, fileNameRaw, generalPurposeBitFlag, extraFields }: yauzl.Entry): string {
  const isDeclared = (generalPurposeBitFlag & IS_UTF8) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH)
  if (isDeclared || fileNameRaw.every((byte) => byte < 0x80)) return fileName
  try {
    return utf8.decode(fileNameRaw).replaceAll('\\', '/')
  } catch {
    return isCyrillic(fileNameRaw) ? cyrillicDecoder.decode(fileNameRaw).replaceAll('\\', '/') : toCodePage850(fileName)
  }
}

/** Characters of code page 437 (United States), and those that code page 850 (Western Europe) has in their place. */
const [CODE_PAGE_437, CODE_PAGE_850] = [
  '¢¥₧⌐╡╢╖╕╜╛╞╟╧╨╤╥╙╘╒╓╫╪▌▐αΓπΣστΦΘΩδ∞φε∩',
  'øØ×®ÁÂÀ©¢¥ãÃ¤ðÐÊËÈıÍÎÏ¦ÌÓÔÒõÕþÞÚÛÙýÝ¯´',
]

/**
 * Converts text decoded with code page 437 to code page 850: Windows uses its country's code page, and names don't contain the
 * characters that only 437 has.
 */
const toCodePage850 = (name: string) =>
  name.replaceAll(/[^\p{ASCII}]/gu, (letter) => CODE_PAGE_850[CODE_PAGE_437.indexOf(letter)] ?? letter)

const cyrillicDecoder = new TextDecoder('ibm866')

/** True for names whose words are entirely Cyrillic; other languages mix accented letters with plain ones. */
function isCyrillic(name: Buffer): boolean {
  const words = name.toString('latin1').match(/[a-z\x80-\xff]+/gi) ?? []
  const marked = words.filter((word) => /[\x80-\xff]/.test(word))
  return marked.some(({ length }) => length >= 3) && marked.every((word) => /^[\x80-\xaf\xe0-\xf1]+$/.test(word))
}

/** Opens an archive. @throws Error when it's invalid or cut off, or has duplicate names or names that lead outside. */
export async function openZip(filename: string, options: UnzipOptions = {}): Promise<OpenedArchive> {
  return readEntries(await openArchive(filename), options)
}

/** Opens an archive from a stream, which is first written to an open file; the file is closed with the archive, or on failure. */
export async function openStreamedZip(content: Readable, file: FileHandle): Promise<OpenedZip> {
  let zip: yauzl.ZipFile
  try {
    await file.writeFile(content)
    zip = await openReader(new HandleReader(file), (await file.stat()).size, OPEN_OPTIONS)
  } catch (error) {
    await file.close()
    throw error
  }
  return readEntries(zip)
}

async function readEntries(
  zip: yauzl.ZipFile,
  { maxEntries, allowsDuplicateNames = false }: UnzipOptions = {},
): Promise<OpenedArchive> {
  const entries = new Map<string, yauzl.Entry>()
  let unpackedBytes = 0
  try {
    if (maxEntries !== undefined && zip.entryCount > maxEntries) throw new Error('it contains too many files')
    await new Promise<void>((resolve, reject) => {
      zip.on('error', reject).on('end', resolve)
      zip.on('entry', (entry: yauzl.Entry) => {
        const name = nameOf(entry)
        if (entries.has(name) && !allowsDuplicateNames) return reject(new Error(`it contains two files named ${name}`))
        entries.set(name, entry)
        unpackedBytes += entry.uncompressedSize
        zip.readEntry()
      })
      zip.readEntry()
    })
  } catch (error) {
    zip.close()
    throw error
  }
  const openEntry = promisify<yauzl.Entry, Readable>(zip.openReadStream.bind(zip) as never)
  return {
    unpackedBytes,
    sizes: new Map([...entries].map(([name, { uncompressedSize }]) => [name, uncompressedSize])),
    entryInfo: new Map(
      [...entries].map(([name, { compressedSize, crc32 }]) => [name, { packedBytes: compressedSize, checksum: crc32 }]),
    ),
    async open(name) {
      const entry = entries.get(name)
      if (entry === undefined) throw new Error(`it contains no file ${name}`)
      return openEntry(entry)
    },
    close: () => zip.close(),
  }
}

export interface ZipEntry {
  /** With folders, separated by slashes. */
  name: string
  modifiedAt: Date
  /** Read once, in order. */
  content: AsyncIterable<Uint8Array | string>
  /** False for pictures and videos, which hardly compress. */
  isCompressible: boolean
}

/**
 * Streams an archive of any size (ZIP64), writing one entry after the other. The stream fails with whatever the entries throw;
 * when its reader leaves, the entries are released.
 */
export function zipOf(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))

  const add = ({ name, modifiedAt, content, isCompressible }: ZipEntry) =>
    new Promise<void>((resolve, reject) => {
      // yazl throws an uncatchable error for times before 1970
      const mtime = new Date(Math.max(0, modifiedAt.getTime()))
      const stream = Readable.from(content, { objectMode: false })
      const abort = () => {
        stream.destroy()
        reject(new Error('the reader of the archive has left'))
      }
      output.once('close', abort)
      stream.once('error', reject)
      stream.once('end', () => {
        output.off('close', abort)
        resolve()
      })
      zip.addReadStreamLazy(name, { mtime, mode: 0o100600, compress: isCompressible }, (begin) => begin(null, stream))
    })

  const write = async () => {
    for await (const entry of entries) {
      // if the reader left before this entry, its close event is already over
      if (output.destroyed) throw new Error('the reader of the archive has left')
      await add(entry)
    }
    zip.end()
  }
  // start later, so that the caller can add listeners first
  setImmediate(() => write().catch((error: Error) => output.destroy(error)))
  return output
}
