import type { FileHandle } from 'node:fs/promises'
import type { FileFormat } from '@mira/shared'
import { isSystemError } from '../../platform/storage/whole-file.ts'
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
  // XLSB: a ZIP with parts in a binary format, as in Excel files until 2003.
  [/ms-excel\.sheet\.binary\.macroEnabled\.main/, 'xls'],
]
/**
 * Main files of Pages, Numbers and Keynote documents, in the formats before and since 2013. The Finder zips a document folder
 * including the folder itself.
 */
const IWORK =
  /^(?:[^/]+\.(?:pages|numbers|key)\/)?(?:Index\.zip|Index\/Document\.iwa|index\.apxl(?:\.gz)?|(?:Metadata\/)?buildVersionHistory\.plist)$/i

/** Beginning of an archive that's a document. */
const DOCUMENT_BEGINNING = /^.{30}(?:\[Content_Types\]\.xml|_rels\/\.rels|mimetypeapplication\/(?:epub|vnd\.oasis))/s

/** Document format that an archive declares, or its kind when that's unsupported; null when it isn't a document. */
export async function sniffArchive(
  filename: string,
  head: Uint8Array,
): Promise<{ format: FileFormat } | { problem: SniffedProblem } | { kind: string } | null> {
  let zip: OpenedZip
  try {
    zip = await openZip(filename, { maxEntries: MAX_ENTRIES, allowsDuplicateNames: true })
  } catch (error) {
    if (isSystemError(error)) throw error
    const isDocument = DOCUMENT_BEGINNING.test(Buffer.from(head.subarray(0, 200)).toString('latin1'))
    return isDocument ? { problem: 'damaged' } : null
  }
  try {
    const mimetype = (await beginningOf(zip, 'mimetype', MAX_MIMETYPE_BYTES)).trim().replace(/-template$/, '')
    if (Object.hasOwn(byMimetype, mimetype)) return { format: byMimetype[mimetype] as FileFormat }
    // part names are case-insensitive
    const typesName = [...zip.sizes.keys()].find((name) => name.toLowerCase() === '[content_types].xml') ?? ''
    const types = await beginningOf(zip, typesName, MAX_TYPES_BYTES)
    const match = byContentType.find(([pattern]) => pattern.test(types))
    if (match !== undefined) return { format: match[1] }
    return [...zip.sizes.keys()].some((name) => IWORK.test(name)) ? { kind: 'iWork' } : null
  } catch (error) {
    if (isSystemError(error)) throw error
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

/** Formats of Office before 2007, by the lower-case name of a stream in the root. */
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
/** Sector and entry numbers from this one on stand for none. */
const NONE = 0xfffffffa
/** Offset of the list of the allocation table's sectors (DIFAT) in the header, and its length. */
const [DIFAT_OFFSET, DIFAT_ENTRIES] = [76, 109]

/** Document format of a compound file (MS-CFB); null for others, such as installers. */
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

/** Directory of a compound file, as far as the allocation sectors listed in its header reach. */
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
    const offset = sector * 4
    const index = Math.floor(offset / sectorBytes)
    if (index >= DIFAT_ENTRIES) break
    const next = await read(header.readUInt32LE(DIFAT_OFFSET + index * 4), offset % sectorBytes, 4)
    sector = next.length < 4 ? NONE : next.readUInt32LE(0)
  }
  return Buffer.concat(sectors)
}

/** Lower-case names of the streams and folders in the root; deeper ones may belong to embedded documents. */
function namesOfRoot(directory: Buffer): Set<string> {
  const names = new Set<string>()
  const seen = new Set<number>()
  const entryAt = (id: number) =>
    directory.length < (id + 1) * ENTRY_BYTES ? null : directory.subarray(id * ENTRY_BYTES, (id + 1) * ENTRY_BYTES)
  const pending = [entryAt(0)?.readUInt32LE(76) ?? NONE]
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const entry = entryAt(id)
    if (entry === null || seen.has(id)) continue
    seen.add(id)
    const nameBytes = Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2)
    names.add(entry.toString('utf16le', 0, nameBytes).toLowerCase())
    pending.push(entry.readUInt32LE(68), entry.readUInt32LE(72))
  }
  return names
}
