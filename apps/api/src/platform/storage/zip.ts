import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import yauzl from 'yauzl'
import { ZipFile } from 'yazl'

/** Data about a file, as stated in its archive. */
export interface ZippedFile {
  sizeBytes: number
  packedBytes: number
  /** CRC-32. */
  checksum: number
  /** Compression method: 0 for none, 8 for Deflate; `open` reads no others. */
  method: number
  isEncrypted: boolean
  /** Offset in the archive. */
  offset: number
}

/** A ZIP archive with random access. */
export interface OpenedZip {
  /** Size of each file by name. */
  sizes: ReadonlyMap<string, number>
  entryInfo: ReadonlyMap<string, ZippedFile>
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
    // The byte of \ is also the second half of some East Asian characters.
    return foreignNameOf(fileNameRaw)?.replaceAll('\\', '/') ?? toCodePage850(fileName)
  }
}

/** Name in a code page of Windows without Latin letters; null when it isn't in one. */
function foreignNameOf(name: Buffer): string | null {
  const cyrillic = isCyrillic(name) ? cyrillicDecoder.decode(name) : null
  const japanese = eastAsianNameOf(name, eastAsianCodePages[0])
  // Japanese in the Cyrillic code page has capital letters within words.
  if (japanese !== null && (cyrillic === null || /\p{Ll}\p{Lu}/u.test(cyrillic))) return japanese
  return cyrillic ?? eastAsianNameOf(name, eastAsianCodePages[1]) ?? eastAsianNameOf(name, eastAsianCodePages[2])
}

/** Decoders of Japanese, Korean and Chinese names, with the words that these consist of. */
const eastAsianCodePages = [
  [
    new TextDecoder('shift_jis', { fatal: true }),
    /^(?:(?![\uff61-\uff9f])[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー])+$/u,
  ],
  [new TextDecoder('euc-kr', { fatal: true }), /^\p{sc=Hangul}+$/u],
  [new TextDecoder('gbk', { fatal: true }), /^\p{sc=Han}+$/u],
] as const

/** First byte of a letter, rather than of a symbol such as ―, followed by the byte of a backslash. */
const HALF_BACKSLASH = /[\x83\x88-\x9f\xe0-\xfc]\\/

/**
 * Decodes a name whose words are either ASCII or entirely of one script; null for others. One such character alone may be two
 * Latin ones, as in Öl, unless a backslash is part of it.
 */
function eastAsianNameOf(name: Buffer, [decoder, script]: (typeof eastAsianCodePages)[number]): string | null {
  let text: string
  try {
    text = decoder.decode(name)
  } catch {
    return null
  }
  if (!isPlausible(name, decoder.encoding, text)) return null
  const words = (text.match(/[\p{L}\p{M}]+/gu) ?? []).filter((word) => /[^\p{ASCII}]/u.test(word))
  const isCertain = words.some(({ length }) => length > 1) || HALF_BACKSLASH.test(name.toString('latin1'))
  return isCertain && words.length > 0 && words.every((word) => script.test(word)) ? text : null
}

/**
 * False for Latin names that only look East Asian: Korean and Chinese ones have only high bytes in the characters that names
 * use. In Latin names, letters with accents are rarely side by side, and often before a sign, as in Ærø_1.
 */
function isPlausible(name: Buffer, encoding: string, text: string): boolean {
  const bytes = name.toString('latin1')
  if (encoding !== 'shift_jis') return /^(?:[ -~]|[\xa1-\xfe]{2})*$/.test(bytes)
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return true
  const pairs = bytes.match(/[\x81-\x9f\xe0-\xfc][\s\S]/g) ?? []
  const others = pairs.filter((pair) => !/[_[\]~]$/.test(pair))
  return others.length === pairs.length || others.length > 1 || others.some((pair) => /[\x80-\xff]$/.test(pair))
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
  const openEntry = entryOpener(zip)
  return {
    unpackedBytes,
    sizes: new Map([...entries].map(([name, { uncompressedSize }]) => [name, uncompressedSize])),
    entryInfo: new Map([...entries].map(([name, entry]) => [name, zippedFileOf(entry)])),
    async open(name) {
      const entry = entries.get(name)
      if (entry === undefined) throw new Error(`it contains no file ${name}`)
      return openEntry(entry)
    },
    close: () => zip.close(),
  }
}

const entryOpener = (zip: yauzl.ZipFile) => promisify<yauzl.Entry, Readable>(zip.openReadStream.bind(zip) as never)

const zippedFileOf = (entry: yauzl.Entry): ZippedFile => ({
  sizeBytes: entry.uncompressedSize,
  packedBytes: entry.compressedSize,
  checksum: entry.crc32,
  method: entry.compressionMethod,
  isEncrypted: entry.isEncrypted(),
  offset: entry.relativeOffsetOfLocalHeader,
})

/** Opens an archive to read files known from its `entryInfo`, without reading its list of files again. */
export async function openKnownZip(
  filename: string,
): Promise<{ open(file: ZippedFile): Promise<Readable>; close(): void }> {
  const zip = await openArchive(filename)
  const openEntry = entryOpener(zip)
  return {
    open: ({ sizeBytes, packedBytes, method, isEncrypted, offset }) =>
      openEntry(
        Object.assign(new yauzl.Entry(), {
          uncompressedSize: sizeBytes,
          compressedSize: packedBytes,
          compressionMethod: method,
          generalPurposeBitFlag: isEncrypted ? 1 : 0,
          relativeOffsetOfLocalHeader: offset,
        }),
      ),
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
