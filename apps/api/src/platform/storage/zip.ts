import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import yauzl from 'yauzl'
import { ZipFile } from 'yazl'

/** A ZIP archive that is read in any order. */
export interface OpenedZip {
  /** Size of each file, by its name. */
  sizes: ReadonlyMap<string, number>
  /** Packed size and checksum (CRC-32) of each file, from the archive. */
  facts: ReadonlyMap<string, { packedBytes: number; checksum: number }>
  /** The stream fails when the content is not as long as the archive says. */
  open(name: string): Promise<Readable>
  close(): void
}

interface OpenedArchive extends OpenedZip {
  /** Size of all files, also of those whose name another one has. */
  unpackedBytes: number
}

const openFile = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)
const openReader = promisify<yauzl.RandomAccessReader, number, yauzl.Options, yauzl.ZipFile>(
  yauzl.fromRandomAccessReader,
)
// programs of Windows part folders by \ against the format; names that lead out of the archive are refused all the same
const OPEN_OPTIONS: yauzl.Options = { lazyEntries: true, autoClose: false, strictFileNames: false }

/** Record at the end of an archive, which a comment may follow. */
const end = { signature: Buffer.from('PK\x05\x06', 'latin1'), bytes: 22, commentLengthAt: 20, maxCommentBytes: 0xffff }

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

/** A stream of `node:fs` would close the file when it's destroyed. */
async function* piecesOf(handle: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(PIECE_BYTES, to - at)), 0, undefined, at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** Opens an archive, also one that other bytes follow: servers append a line end to downloads, and Office reads them. */
async function openArchive(filename: string): Promise<yauzl.ZipFile> {
  try {
    return await openFile(filename, OPEN_OPTIONS)
  } catch (error) {
    const handle = await open(filename)
    try {
      const endAt = await endOfArchive(handle)
      if (endAt === null) throw error
      return await openReader(new HandleReader(handle), endAt, OPEN_OPTIONS)
    } catch {
      await handle.close()
      throw error
    }
  }
}

/** Place behind the last archive in a file; null when there is none, or the file ends there. */
async function endOfArchive(handle: FileHandle): Promise<number | null> {
  const { size } = await handle.stat()
  const tailAt = Math.max(0, size - end.bytes - end.maxCommentBytes)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - tailAt), 0, size - tailAt, tailAt)
  const at = buffer.subarray(0, bytesRead - end.bytes + end.signature.length).lastIndexOf(end.signature)
  if (at < 0) return null
  const endAt = tailAt + at + end.bytes + buffer.readUInt16LE(at + end.commentLengthAt)
  return endAt < size ? endAt : null
}

interface UnzipOptions {
  /** An archive with more files is refused; any number when left out. */
  maxEntries?: number
  /** Take the last of several files of one name, as Office does; such an archive is refused otherwise. */
  mayRepeat?: boolean
}

const IS_UTF8 = 0x800
/** Name in UTF-8, as Info-ZIP adds it. */
const UNICODE_PATH = 0x7075
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Name of an entry. The Finder of macOS writes UTF-8 without saying so, which would be read as the letters of DOS. */
function nameOf({ fileName, fileNameRaw, generalPurposeBitFlag, extraFields }: yauzl.Entry): string {
  const isTold = (generalPurposeBitFlag & IS_UTF8) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH)
  if (isTold || fileNameRaw.every((byte) => byte < 0x80)) return fileName
  try {
    return utf8.decode(fileNameRaw).replaceAll('\\', '/')
  } catch {
    return isCyrillic(fileNameRaw) ? cyrillic.decode(fileNameRaw).replaceAll('\\', '/') : western(fileName)
  }
}

/** Letters of the United States' code page 437 that Western Europe's 850 has in place of the others. */
const [OF_437, OF_850] = ['¢¥₧⌐╡╢╖╕╜╛╞╟╧╨╤╥╙╘╒╓╫╪▌▐αΓπΣστΦΘΩδ∞φε∩', 'øØ×®ÁÂÀ©¢¥ãÃ¤ðÐÊËÈıÍÎÏ¦ÌÓÔÒõÕþÞÚÛÙýÝ¯´']

/** Windows writes names in the code page of its country; the two differ in signs that no name has. */
const western = (name: string) =>
  name.replaceAll(/[^\p{ASCII}]/gu, (letter) => OF_850[OF_437.indexOf(letter)] ?? letter)

const cyrillic = new TextDecoder('ibm866')

/** True for a name with words in Cyrillic letters alone; in other languages accented letters stand between plain ones. */
function isCyrillic(name: Buffer): boolean {
  const words = name.toString('latin1').match(/[a-z\x80-\xff]+/gi) ?? []
  const marked = words.filter((word) => /[\x80-\xff]/.test(word))
  return marked.some(({ length }) => length >= 3) && marked.every((word) => /^[\x80-\xaf\xe0-\xf1]+$/.test(word))
}

/** Opens an archive for reading. @throws Error when it is none, is cut off, or names a file twice or outside of itself. */
export async function openZip(filename: string, options: UnzipOptions = {}): Promise<OpenedArchive> {
  return readEntries(await openArchive(filename), options)
}

/** Opens an archive that is written to an open file first, which is closed with it, and when this fails. */
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
  { maxEntries, mayRepeat = false }: UnzipOptions = {},
): Promise<OpenedArchive> {
  const entries = new Map<string, yauzl.Entry>()
  let unpackedBytes = 0
  try {
    if (maxEntries !== undefined && zip.entryCount > maxEntries) throw new Error('it holds too many files')
    await new Promise<void>((resolve, reject) => {
      zip.on('error', reject).on('end', resolve)
      zip.on('entry', (entry: yauzl.Entry) => {
        const name = nameOf(entry)
        if (entries.has(name) && !mayRepeat) return reject(new Error(`it holds two files of the name ${name}`))
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
    facts: new Map(
      [...entries].map(([name, { compressedSize, crc32 }]) => [name, { packedBytes: compressedSize, checksum: crc32 }]),
    ),
    async open(name) {
      const entry = entries.get(name)
      if (entry === undefined) throw new Error(`it holds no file ${name}`)
      return openEntry(entry)
    },
    close: () => zip.close(),
  }
}

/** One file of an archive. */
export interface ZipEntry {
  /** With folders, separated by slashes. */
  name: string
  modifiedAt: Date
  /** Read once, when its turn comes. */
  content: AsyncIterable<Uint8Array | string>
  /** False for pictures and films, which hardly compress. */
  isCompressible: boolean
}

/**
 * An archive that is written while it is read, of any size (ZIP64): one entry after the other, each asked for when the
 * one before has been written. It fails with whatever the entries throw; when nobody reads any more, they are let go.
 */
export function zipOf(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))

  const add = ({ name, modifiedAt, content, isCompressible }: ZipEntry) =>
    new Promise<void>((resolve, reject) => {
      // yazl throws in a callback of its own for a time before 1970
      const mtime = new Date(Math.max(0, modifiedAt.getTime()))
      const stream = Readable.from(content, { objectMode: false })
      const leave = () => {
        stream.destroy()
        reject(new Error('nobody reads the archive any more'))
      }
      output.once('close', leave)
      stream.once('error', reject)
      stream.once('end', () => {
        output.off('close', leave)
        resolve()
      })
      zip.addReadStreamLazy(name, { mtime, mode: 0o100600, compress: isCompressible }, (begin) => begin(null, stream))
    })

  const write = async () => {
    for await (const entry of entries) {
      // whoever left while it was looked for is not heard of again
      if (output.destroyed) throw new Error('nobody reads the archive any more')
      await add(entry)
    }
    zip.end()
  }
  // beginning later, so that whoever called can listen first
  setImmediate(() => write().catch((error: Error) => output.destroy(error)))
  return output
}
