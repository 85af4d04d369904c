import type { FileHandle } from 'node:fs/promises'
import type { FileFormat } from '@mira/shared'
import { type OpenedZip, openZip } from '../../platform/storage/zip.ts'

/** Reason why a document can't be read, as far as its beginning shows. */
export type SniffedProblem = 'damaged' | 'locked'

const MAX_ENTRIES = 20_000
const MAX_MIMETYPE_BYTES = 200
const MAX_TYPES_BYTES = 1024 * 1024

/** Formats by the archive's file `mimetype`; templates count as the documents they make. */
const byMimetype: Record<string, FileFormat> = {
  'application/epub+zip': 'epub',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',
}
/** Formats by the main file's type in `[Content_Types].xml`, with macros (which are never run) and without. */
const byContentType: [RegExp, FileFormat][] = [
  [
    /ms-word\.(?:document|template)\.macroEnabled\w*\.main\+xml|wordprocessingml\.(?:document|template)\.main\+xml/,
    'docx',
  ],
  [/ms-excel\.(?:sheet|template)\.macroEnabled\w*\.main\+xml|spreadsheetml\.(?:sheet|template)\.main\+xml/, 'xlsx'],
  [
    /ms-powerpoint\.\w+\.macroEnabled\w*\.main\+xml|presentationml\.(?:presentation|slideshow|template)\.main\+xml/,
    'pptx',
  ],
  // XLSB, whose parts are of the kind that Excel wrote until 2003
  [/ms-excel\.sheet\.binary\.macroEnabled\.main/, 'xls'],
]
/** Main files of documents of Pages, Numbers and Keynote, since 2013 and before; the Finder packs those that are folders with their name. */
const IWORK =
  /^(?:[^/]+\.(?:pages|numbers|key)\/)?(?:Index\.zip|Index\/Document\.iwa|index\.apxl(?:\.gz)?|(?:Metadata\/)?buildVersionHistory\.plist)$/i

/** Beginnings of archives that are documents. */
const DOCUMENT_BEGINNING = /^.{30}(?:\[Content_Types\]\.xml|_rels\/\.rels|mimetypeapplication\/(?:epub|vnd\.oasis))/s

/** Document format of an archive, by its own declaration; null when it isn't a document. */
export async function sniffArchive(
  filename: string,
  head: Uint8Array,
): Promise<{ format: FileFormat } | { problem: SniffedProblem } | { kind: string } | null> {
  let zip: OpenedZip
  try {
    zip = await openZip(filename, { maxEntries: MAX_ENTRIES, mayRepeat: true })
  } catch {
    const isDocument = DOCUMENT_BEGINNING.test(Buffer.from(head.subarray(0, 200)).toString('latin1'))
    return isDocument ? { problem: 'damaged' } : null
  }
  try {
    const mimetype = (await beginningOf(zip, 'mimetype', MAX_MIMETYPE_BYTES)).trim().replace(/-template$/, '')
    if (Object.hasOwn(byMimetype, mimetype)) return { format: byMimetype[mimetype] as FileFormat }
    // names of parts are the same in any case
    const typesName = [...zip.sizes.keys()].find((name) => name.toLowerCase() === '[content_types].xml') ?? ''
    const types = await beginningOf(zip, typesName, MAX_TYPES_BYTES)
    const match = byContentType.find(([pattern]) => pattern.test(types))
    if (match !== undefined) return { format: match[1] }
    return [...zip.sizes.keys()].some((name) => IWORK.test(name)) ? { kind: 'iWork' } : null
  } catch {
    return { problem: 'damaged' }
  } finally {
    zip.close()
  }
}

/** Beginning of a file in an archive; '' when it's missing. */
async function beginningOf(zip: OpenedZip, name: string, maxBytes: number): Promise<string> {
  if (!zip.sizes.has(name)) return ''
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of await zip.open(name)) {
    pieces.push(piece as Buffer)
    bytes += (piece as Buffer).length
    if (bytes >= maxBytes) break
  }
  return Buffer.concat(pieces).toString('utf8', 0, maxBytes)
}

/** Formats of Office until 2007, by a stream of the root in small letters. */
const byStream: [string, FileFormat][] = [
  ['worddocument', 'doc'],
  ['workbook', 'xls'],
  ['book', 'xls'],
  ['powerpoint document', 'ppt'],
  ['__properties_version1.0', 'msg'],
]
const HEADER_BYTES = 512
const ENTRY_BYTES = 128
const MAX_DIRECTORY_SECTORS = 2_048
/** From here on a number of a sector or an entry means none. */
const NONE = 0xfffffffa
/** Place of the table's sectors in the header, and their number. */
const [TABLE_AT, TABLE_SECTORS] = [76, 109]

/** Document format of a file of streams (MS-CFB); null for any other, as installers are. */
export async function sniffCompoundFile(
  handle: FileHandle,
  head: Uint8Array,
): Promise<{ format: FileFormat } | { problem: SniffedProblem } | null> {
  if (head.length < HEADER_BYTES) return null
  const names = namesOfRoot(await directoryOf(handle, Buffer.from(head.buffer, head.byteOffset, head.byteLength)))
  if (names.has('encryptedpackage')) return { problem: 'locked' }
  const match = byStream.find(([stream]) => names.has(stream))
  return match === undefined ? null : { format: match[1] }
}

/** The entries of a file of streams, as far as the table in its header reaches. */
async function directoryOf(handle: FileHandle, header: Buffer): Promise<Buffer> {
  const sectorBytes = 2 ** Math.min(12, Math.max(9, header.readUInt16LE(30)))
  const read = async (sector: number, from = 0, length = sectorBytes) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, (sector + 1) * sectorBytes + from)
    return buffer.subarray(0, bytesRead)
  }
  const sectors: Buffer[] = []
  let sector = header.readUInt32LE(48)
  while (sector < NONE && sectors.length < MAX_DIRECTORY_SECTORS) {
    sectors.push(await read(sector))
    const at = sector * 4
    const table = Math.floor(at / sectorBytes)
    if (table >= TABLE_SECTORS) break
    const next = await read(header.readUInt32LE(TABLE_AT + table * 4), at % sectorBytes, 4)
    sector = next.length < 4 ? NONE : next.readUInt32LE(0)
  }
  return Buffer.concat(sectors)
}

/** Names in small letters of the streams and folders that aren't in another folder, which may be documents inside the document. */
function namesOfRoot(directory: Buffer): Set<string> {
  const names = new Set<string>()
  const seen = new Set<number>()
  const entryAt = (id: number) =>
    directory.length < (id + 1) * ENTRY_BYTES ? null : directory.subarray(id * ENTRY_BYTES, (id + 1) * ENTRY_BYTES)
  const open = [entryAt(0)?.readUInt32LE(76) ?? NONE]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const entry = entryAt(id)
    if (entry === null || seen.has(id)) continue
    seen.add(id)
    const nameBytes = Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2)
    names.add(entry.toString('utf16le', 0, nameBytes).toLowerCase())
    open.push(entry.readUInt32LE(68), entry.readUInt32LE(72))
  }
  return names
}
