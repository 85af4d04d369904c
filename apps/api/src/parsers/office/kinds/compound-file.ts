import { readFile, stat } from 'node:fs/promises'
import { decoderOf } from '../../text-decoder.ts'
import type { DocumentMetadata } from '../document-parser.ts'
import { DocumentError } from '../document-types.ts'

/** Compound file (MS-CFB), the format of Office documents before 2007. */
interface CompoundFile {
  bytes: Buffer
  /** Content of a stream in the root; null when missing. */
  stream(name: string): Buffer | null
  /** From Office's summary of the document. */
  facts: DocumentMetadata
}

/** The whole file is in memory, and its streams a second time. */
const MAX_BYTES = 64 * 1024 * 1024

/** @throws DocumentError */
export async function openCompoundFile(filename: string): Promise<CompoundFile> {
  const { size } = await stat(filename)
  if (size > MAX_BYTES) throw new DocumentError('too_large_document', `it has ${size} bytes`)
  const bytes = await readFile(filename)
  const stream = await streamsOf(bytes)
  if (stream('EncryptedPackage') !== null) throw lockedDocumentError()
  return { bytes, stream, facts: factsOf(stream('\x05SummaryInformation')) }
}

/** Streams of the root by name; null for a missing one. */
export async function streamsOf(file: Buffer): Promise<CompoundFile['stream']> {
  const { CFB } = await import('@e965/xlsx')
  const container = CFB.read(file, { type: 'buffer' })
  return (name) => {
    const content = CFB.find(container, `/${name}`)?.content
    return content === undefined ? null : Buffer.from(content)
  }
}

export const lockedDocumentError = () => new DocumentError('encrypted_document', 'it is locked with a password')

const [CODE_PAGE, TITLE, AUTHOR, CREATED] = [1, 2, 4, 12]
const [TEXT, WIDE_TEXT, TIME] = [30, 31, 64]
const MAX_PROPERTIES = 100
/** Milliseconds from 1601, the epoch of Windows, to 1970. */
const WINDOWS_EPOCH_MS = 11_644_473_600_000

/** Facts of a property set (MS-OLEPS); what can't be read is left out. */
function factsOf(set: Buffer | null): DocumentMetadata {
  const facts: DocumentMetadata = {}
  if (set === null) return facts
  try {
    const section = set.subarray(set.readUInt32LE(44))
    const count = Math.min(MAX_PROPERTIES, section.readUInt32LE(4))
    const properties = new Map<number, Buffer>()
    for (let n = 0; n < count; n++) {
      properties.set(section.readUInt32LE(8 + n * 8), section.subarray(section.readUInt32LE(12 + n * 8)))
    }
    const codePage = properties.get(CODE_PAGE)?.readUInt16LE(4) ?? 1252
    const textOf = (id: number) => {
      const property = properties.get(id)
      const type = property?.readUInt32LE(0)
      if (property === undefined || (type !== TEXT && type !== WIDE_TEXT)) return null
      const length = property.readUInt32LE(4) * (type === WIDE_TEXT ? 2 : 1)
      const decoder = decoderOfCodePage(type === WIDE_TEXT ? 1200 : codePage)
      return decoder.decode(property.subarray(8, 8 + length)).split('\0', 1)[0] ?? null
    }
    facts.title = textOf(TITLE)
    facts.author = textOf(AUTHOR)
    const created = properties.get(CREATED)
    if (created?.readUInt32LE(0) === TIME) {
      const date = new Date(Number(created.readBigUInt64LE(4) / 10_000n) - WINDOWS_EPOCH_MS)
      // templates have the year 1601
      if (date.getUTCFullYear() > 1980) facts.createdAt = date
    }
  } catch (error) {
    // The set is truncated; the properties read so far are kept.
    if (!(error instanceof RangeError)) throw error
  }
  return facts
}

/** Encodings by code page, except those named `windows-` plus the number. */
const encodings: Record<number, string> = {
  866: 'ibm866',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1200: 'utf-16le',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  65001: 'utf-8',
}

/** Code pages by the character set of a font; fonts with other character sets use the document's code page. */
export const codePageByCharset: Record<number, number> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

/** Decoder of a Windows code page; Western for an unknown one. */
export const decoderOfCodePage = (codePage: number) => decoderOf(encodings[codePage] ?? `windows-${codePage}`)
