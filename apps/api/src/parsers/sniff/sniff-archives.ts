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
]
/** Beginnings of archives that are documents. */
const DOCUMENT_BEGINNING = /^.{30}(?:\[Content_Types\]\.xml|_rels\/\.rels|mimetypeapplication\/(?:epub|vnd\.oasis))/s

/** Document format of an archive, by its own declaration; null when it isn't a document. */
export async function sniffArchive(
  filename: string,
  head: Uint8Array,
): Promise<{ format: FileFormat } | { problem: SniffedProblem } | null> {
  let zip: OpenedZip
  try {
    zip = await openZip(filename, { maxEntries: MAX_ENTRIES })
  } catch {
    const isDocument = DOCUMENT_BEGINNING.test(Buffer.from(head.subarray(0, 200)).toString('latin1'))
    return isDocument ? { problem: 'damaged' } : null
  }
  try {
    const mimetype = (await beginningOf(zip, 'mimetype', MAX_MIMETYPE_BYTES)).trim().replace(/-template$/, '')
    if (Object.hasOwn(byMimetype, mimetype)) return { format: byMimetype[mimetype] as FileFormat }
    const types = await beginningOf(zip, '[Content_Types].xml', MAX_TYPES_BYTES)
    const match = byContentType.find(([pattern]) => pattern.test(types))
    return match === undefined ? null : { format: match[1] }
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

const DIRECTORY_BYTES = 8 * 1024

/** True when a file in the older Office format contains a newer document locked with a password. */
export async function isLockedDocument(handle: FileHandle, head: Uint8Array): Promise<boolean> {
  if (head.length < 512) return false
  const header = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const directoryAt = (header.readUInt32LE(48) + 1) * 2 ** Math.min(12, header.readUInt16LE(30))
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(DIRECTORY_BYTES), 0, DIRECTORY_BYTES, directoryAt)
  return buffer.subarray(0, bytesRead).includes(Buffer.from('EncryptedPackage', 'utf16le'))
}
