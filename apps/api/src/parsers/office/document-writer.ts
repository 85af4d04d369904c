import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { DocumentBlock, DocumentPage, MailField } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { isSystemError } from '../../platform/storage/whole-file.ts'
import { type AttachedFormat, DocumentError, type DocumentPicture, type ReadPage } from './document-types.ts'
import { openDocumentZip } from './document-zip.ts'

/** A picture and the page that shows it; `source` is the name of a file inside the document, or the picture's bytes. */
interface RecordedPicture {
  page: number
  source: string | Uint8Array
}

/** Smaller pictures are icons and lines, which contain no text. */
const MIN_BYTES = 400
const MAX_BYTES = 20 * 1024 * 1024
const MAX_TOTAL_BYTES = 128 * 1024 * 1024
const readableExtensions = new Set(['.png', '.jpg', '.jpeg', '.gif', '.bmp', '.webp', '.tif', '.tiff', '.avif'])

/** Writes a document's pictures into a folder, each once and at most `max`; damaged ones are skipped. */
export async function writePictures(
  filename: string,
  recordedPictures: RecordedPicture[],
  { folder, max }: { folder: string; max: number },
): Promise<{ pictures: DocumentPicture[]; foundCount: number }> {
  const readableSources = recordedPictures.filter(
    ({ source }) => typeof source !== 'string' || readableExtensions.has(extname(source).toLowerCase()),
  )
  const pictures: DocumentPicture[] = []
  const zip = readableSources.some(({ source }) => typeof source === 'string') ? await openDocumentZip(filename) : null
  let bytes = 0
  try {
    for (const { page, source } of readableSources) {
      if (pictures.length >= max || bytes > MAX_TOTAL_BYTES) break
      const pictureFile = join(folder, `picture-${pictures.length + 1}`)
      const writtenBytes =
        typeof source === 'string'
          ? await writePieces(zip?.pieces(source) ?? [], pictureFile)
          : await writeBytes(source, pictureFile)
      bytes += writtenBytes
      if (writtenBytes >= MIN_BYTES && writtenBytes <= MAX_BYTES) pictures.push({ page, filename: pictureFile })
      else await rm(pictureFile, { force: true })
    }
  } finally {
    zip?.close()
  }
  return { pictures, foundCount: readableSources.length }
}

async function writeBytes(bytes: Uint8Array, filename: string): Promise<number> {
  await writeFile(filename, bytes)
  return bytes.length
}

/**
 * Writes a picture up to the size limit.
 * @returns its size in bytes: above the limit when it was truncated, 0 when it's damaged.
 */
async function writePieces(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  filename: string,
): Promise<number> {
  let bytes = 0
  try {
    await pipeline(async function* () {
      for await (const piece of pieces) {
        bytes += piece.length
        if (bytes > MAX_BYTES) return
        yield piece
      }
    }, createWriteStream(filename))
  } catch (error) {
    // a failed picture mustn't fail its document
    if (isSystemError(error)) throw error
    return 0
  }
  return bytes
}

/** Bound on the text of a document: a small file may unpack to more than fits into memory. */
export const LIMITS = { characters: 5_000_000, pages: 2_000 }

/** Cost of a cell or paragraph in addition to its characters. */
const BLOCK_COST = 8
const MAX_TITLE_CHARACTERS = 200
export const MAX_CELLS = 256
const MAX_RECORDED_PICTURES = 5_000
const MAX_RECORDED_ATTACHMENTS = 100
/** Limit of the pictures and attachments of mails, which are kept in the process's limited memory. */
const MAX_RECORDED_BYTES = 64 * 1024 * 1024

/** Thrown when a document exceeds the limits; the text read so far is kept. */
export class DocumentFullError extends Error {
  override name = 'DocumentFullError'
}

/** Reads a part of a document. A damaged part is recorded; the others are read nevertheless. */
export async function readPart(writer: DocumentWriter, name: string, read: () => Promise<unknown>): Promise<void> {
  try {
    await read()
  } catch (error) {
    const affectsWholeDocument = error instanceof DocumentError && error.code !== 'damaged_document'
    if (error instanceof DocumentFullError || affectsWholeDocument || isSystemError(error)) throw error
    writer.markDamaged(name)
  }
}

/** A document attached to a mail, and the part that it's attached to. */
interface RecordedAttachment {
  page: number
  name: string
  format: AttachedFormat
  content: Uint8Array
}

/** Collects the content of a document, piece by piece. */
export interface DocumentWriter {
  /** Begins the next part. Without any, the document is one part. */
  page(title?: string | null): void
  /** Names the part that is being written, unless it has a name. */
  name(title: string): void
  heading(level: number, text: string): void
  text(text: string): void
  item(text: string): void
  row(cells: string[]): void
  fields(fields: [MailField, string][]): void
  /** A picture shown here: the name of a file inside the document, or its bytes. A repeated one counts where it's shown first. */
  picture(source: string | Uint8Array): void
  /** A document attached here. */
  attachment(attachment: Omit<RecordedAttachment, 'page'>): void
  /** Marks that a file inside the document is damaged or too large, and wasn't read as a whole. */
  markDamaged(name: string): void
  isDamaged(): boolean
  /** True while the current part has no text. */
  isEmpty(): boolean
  pages(): ReadPage[]
  pictures(): RecordedPicture[]
  attachments(): RecordedAttachment[]
}

/** @throws DocumentFullError from methods that write beyond the limits. */
export function createDocumentWriter(): DocumentWriter {
  const all: DocumentPage[] = []
  const recordedPictures: RecordedPicture[] = []
  const recordedAttachments: RecordedAttachment[] = []
  const pictureNames = new Set<string>()
  const damagedFiles = new Set<string>()
  let remainingCharacters = LIMITS.characters
  let remainingBytes = MAX_RECORDED_BYTES

  const current = () => {
    const last = all.at(-1)
    if (last !== undefined) return last
    const first: DocumentPage = { number: 1, title: null, blocks: [] }
    all.push(first)
    return first
  }
  const spend = (characters: number) => {
    remainingCharacters -= characters + BLOCK_COST
    if (remainingCharacters < 0) throw new DocumentFullError('it is too long to be read in full')
  }
  const add = (block: DocumentBlock) => {
    current().blocks.push(block)
  }
  /** Deducts a text from the budget, and drops characters that the database doesn't accept. */
  const takeFitting = (text: string) => {
    if (text.length > Math.max(0, remainingCharacters)) spend(text.length)
    const plain = tidy(text)
    if (plain !== '') spend(plain.length)
    return plain
  }

  /** Reserves memory for bytes that are kept until they're written; null when the total would exceed the limit. */
  const withinMemory = (bytes: Uint8Array) => {
    if (bytes.length > remainingBytes) return null
    remainingBytes -= bytes.length
    return bytes
  }

  return {
    page(title) {
      if (all.length >= LIMITS.pages) throw new DocumentFullError('it has too many parts')
      all.push({ number: all.length + 1, title: shortTitle(title), blocks: [] })
    },
    name(title) {
      const page = current()
      page.title ??= shortTitle(title)
    },
    heading(level, text) {
      const plain = takeFitting(oneLine(text))
      if (plain !== '') add({ kind: 'heading', level: Math.min(6, Math.max(1, level)), text: plain })
    },
    text(text) {
      const plain = takeFitting(text)
      if (plain !== '') add({ kind: 'text', text: plain })
    },
    item(text) {
      const plain = takeFitting(text)
      if (plain !== '') add({ kind: 'item', text: plain })
    },
    row(cells) {
      const plain = inMaxCells(cells).map((cell) => (cell === '' ? '' : takeFitting(oneLine(cell))))
      while (plain.at(-1) === '') plain.pop()
      if (plain.length === 0) return
      spend(plain.length * BLOCK_COST)
      const last = current().blocks.at(-1)
      if (last?.kind === 'rows') last.rows.push(plain)
      else add({ kind: 'rows', rows: [plain] })
    },
    fields(fields) {
      const fittedFields = fields.map(([name, value]): [MailField, string] => [name, takeFitting(oneLine(value))])
      const filledFields = fittedFields.filter(([, value]) => value !== '')
      if (filledFields.length > 0) add({ kind: 'fields', fields: filledFields })
    },
    picture(source) {
      // the same logo may be in each mail of a mailbox
      const name = typeof source === 'string' ? source : createHash('sha256').update(source).digest('base64')
      if (recordedPictures.length >= MAX_RECORDED_PICTURES || pictureNames.has(name)) return
      pictureNames.add(name)
      if (typeof source === 'string') recordedPictures.push({ page: current().number, source })
      else recordedPictures.push({ page: current().number, source: withinMemory(source) ?? new Uint8Array() })
    },
    attachment(input) {
      const content = recordedAttachments.length < MAX_RECORDED_ATTACHMENTS ? withinMemory(input.content) : null
      if (content !== null) recordedAttachments.push({ page: current().number, ...input, content })
    },
    markDamaged: (name) => void damagedFiles.add(name),
    isDamaged: () => damagedFiles.size > 0,
    isEmpty: () => (all.at(-1)?.blocks.length ?? 0) === 0,
    pictures: () => recordedPictures,
    attachments: () => recordedAttachments,
    pages: () => all.map((page) => ({ ...page, text: textOf(page) })),
  }
}

/** Cells of a row; the last one has the words of all columns beyond the limit. */
function inMaxCells(cells: string[]): string[] {
  if (cells.length <= MAX_CELLS) return cells
  const rest = cells.slice(MAX_CELLS - 1).filter((cell) => cell !== '')
  return [...cells.slice(0, MAX_CELLS - 1), rest.join(' | ')]
}

/** Searchable text of a part, starting with its name. */
function textOf({ title, blocks }: DocumentPage): string {
  const lines = blocks.map(linesOf)
  const needsNoTitleLine = title === null || lines[0]?.trim().startsWith(title)
  return [...(needsNoTitleLine ? [] : [`${title}\n`]), ...lines]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

function linesOf(block: DocumentBlock): string {
  switch (block.kind) {
    case 'heading':
      return `\n${block.text}\n`
    case 'item':
      return `• ${block.text}`
    case 'rows':
      return block.rows.map((cells) => cells.filter((cell) => cell !== '').join(' | ')).join('\n')
    case 'fields':
      return `${block.fields.map(([name, value]) => `${name[0]?.toUpperCase()}${name.slice(1)}: ${value}`).join('\n')}\n`
    default:
      return `${block.text}\n`
  }
}

/** A title in one line; null for none. */
export function shortTitle(title: string | null | undefined): string | null {
  const line = cutText(oneLine(title ?? ''), MAX_TITLE_CHARACTERS).toWellFormed()
  return line === '' ? null : line
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
}

/** Removes NULs (which PostgreSQL rejects) and trailing blanks, and replaces lone surrogates. */
function tidy(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\u00a0', ' ')
    .replaceAll(/(?<![^\S\n])[^\S\n]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}
