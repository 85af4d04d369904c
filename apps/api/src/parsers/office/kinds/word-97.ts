import { DocumentError } from '../document-types.ts'
import type { DocumentWriter } from '../document-writer.ts'

// Documents of Word 97 to 2003 (MS-DOC). A stream contains pieces of text; lists assign formats to offsets in it.

/** Offsets in the header. */
const fib = { flags: 0x0a, lengths: 0x4c, headerStories: 0xf2, characters: 0xfa, paragraphs: 0x102, pieces: 0x1a2 }
const SECOND_TABLE = 0x0200
/** Stories (separate texts) in their order, each with the index of its length. Index 3 isn't used. */
const storyLengths = { body: 0, footnotes: 1, headers: 2, comments: 4, endnotes: 5, boxes: 6, headerBoxes: 7 }
type StoryName = keyof typeof storyLengths
/**
 * Number of header stories that separate notes. They're followed by six stories per section, of which those at
 * `headerKinds` are headers and the others footers.
 */
const SEPARATORS = 6
const headerKinds = new Set([0, 1, 4])
const PAGE_BYTES = 512
const IS_COMPRESSED = 0x40000000

/** Properties of characters and paragraphs. */
const property = {
  deleted: 0x0800,
  hidden: 0x083c,
  symbol: 0x6a09,
  inTable: 0x2416,
  rowEnd: 0x2417,
  tableDefinition: 0xd608,
}
/** Bytes of a property's value by the top bits of its number; with 6, the value begins with its length. */
const valueBytes = [1, 1, 2, 4, 2, 2, 0, 3]
const OF_ANY_LENGTH = 6
/** Characters that only mean something in symbol fonts. */
const PRIVATE_USE = /[\uE000-\uF8FF]/

const controlCharacter = {
  cell: 0x07,
  line: 0x0b,
  page: 0x0c,
  paragraph: 0x0d,
  column: 0x0e,
  hyphen: 0x1e,
  softHyphen: 0x1f,
}
const [FIELD, FIELD_RESULT, FIELD_END] = [0x13, 0x14, 0x15]
/** Longer paragraphs are written in pieces. */
const MAX_PARAGRAPH_CHARACTERS = 100_000

interface Piece {
  firstCharacter: number
  text: string
  /** Offset in the stream, and bytes per character. */
  start: number
  width: number
}

interface CharacterFormat {
  isHidden: boolean
  /** Character shown instead of the stored one; '' when it only exists in a symbol font, null for none. */
  symbol: string | null
}

interface ParagraphFormat {
  isInTable: boolean
  isRowEnd: boolean
  /** Level of a heading; 0 for other paragraphs. */
  level: number
}

/** Formats by offset in the stream. */
interface Formats<Format> {
  at(offset: number): Format | undefined
}

/** A character with its offset in the stream. */
type Located = [code: number, offset: number]

/** @param tableOf returns the content of a stream; null when there is none. */
export function openWord97(document: Buffer, tableOf: (name: string) => Buffer | null) {
  const flags = document.readUInt16LE(fib.flags)
  const table = tableOf((flags & SECOND_TABLE) === 0 ? '0Table' : '1Table')
  if (table === null) throw new DocumentError('damaged_document', 'its tables are missing')
  const partOf = (offset: number) => {
    const start = document.readUInt32LE(offset)
    return table.subarray(start, start + document.readUInt32LE(offset + 4))
  }
  const pieces = piecesOf(document, partOf(fib.pieces))
  const characters = formatsOf(document, partOf(fib.characters), characterFormats)
  const paragraphs = formatsOf(document, partOf(fib.paragraphs), paragraphFormats)
  const starts = startsOf(document)
  const headerStories = numbersOf(partOf(fib.headerStories))

  const write = (from: number, to: number, writer: DocumentWriter) =>
    writeStory(charactersIn(pieces, from, to), { characters, paragraphs }, writer)

  return {
    write: (story: StoryName, writer: DocumentWriter) => write(...starts[story], writer),
    /** Writes headers or footers of all sections. */
    writeHeaders(kind: 'headers' | 'footers', writer: DocumentWriter) {
      const [start, end] = starts.headers
      let writtenTo = 0
      for (let story = SEPARATORS; story + 1 < headerStories.length; story++) {
        if (headerKinds.has(story % 6) !== (kind === 'headers')) continue
        const [from = 0, to = 0] = [headerStories[story], headerStories[story + 1]]
        // stories follow one another; a damaged list would repeat the same text without end
        if (from < writtenTo || to <= from) continue
        writtenTo = to
        write(start + from, Math.min(end, start + to), writer)
      }
    },
  }
}

/** The first character of each story, and that of the story after it. */
function startsOf(document: Buffer): Record<StoryName, [from: number, to: number]> {
  const lengths = Array.from({ length: 8 }, (_, index) => document.readUInt32LE(fib.lengths + 4 * index))
  const before = (index: number) => lengths.slice(0, index).reduce((sum, length) => sum + length, 0)
  const bounds = (index: number): [number, number] => [before(index), before(index + 1)]
  const entries = Object.entries(storyLengths).map(([name, index]) => [name, bounds(index)])
  return Object.fromEntries(entries) as Record<StoryName, [number, number]>
}

function numbersOf(bytes: Buffer): number[] {
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(4 * index))
}

/** Ranges of the pieces in text order; property changes before the list are skipped. */
export function* pieceRanges(bytes: Buffer): Generator<{ firstCharacter: number; length: number; offset: number }> {
  let offset = 0
  while (bytes[offset] === 1) offset += 3 + bytes.readUInt16LE(offset + 1)
  if (bytes[offset] !== 2) throw new DocumentError('damaged_document', "its text can't be found")
  const list = bytes.subarray(offset + 5, offset + 5 + bytes.readUInt32LE(offset + 1))
  const count = Math.floor((list.length - 4) / 12)
  for (let index = 0; index < count; index++) {
    const firstCharacter = list.readUInt32LE(4 * index)
    const length = list.readUInt32LE(4 * (index + 1)) - firstCharacter
    if (length < 0) throw new DocumentError('damaged_document', 'its text is out of order')
    yield { firstCharacter, length, offset: list.readUInt32LE(4 * (count + 1) + 8 * index + 2) }
  }
}

function piecesOf(document: Buffer, bytes: Buffer): Piece[] {
  const latin = new TextDecoder('windows-1252')
  const pieces: Piece[] = []
  let characters = 0
  for (const { firstCharacter, length, offset } of pieceRanges(bytes)) {
    const isCompressed = (offset & IS_COMPRESSED) !== 0
    const [start, width] = isCompressed ? [(offset & ~IS_COMPRESSED) >>> 1, 1] : [offset, 2]
    const content = document.subarray(start, start + length * width)
    characters += content.length / width
    // no program writes pieces that share so much of their text
    if (characters > document.length) throw new DocumentError('damaged_document', 'its text is longer than the file')
    pieces.push({
      firstCharacter,
      text: isCompressed ? latin.decode(content) : content.toString('utf16le'),
      start,
      width,
    })
  }
  return pieces
}

function* charactersIn(pieces: Piece[], from: number, to: number): Generator<Located> {
  // a binary search, since a damaged file may have a million pieces and as many stories
  const firstIndex = Math.max(0, countUntil(from, pieces, ({ firstCharacter }) => firstCharacter) - 1)
  for (let number = firstIndex; number < pieces.length; number++) {
    const { firstCharacter, text, start, width } = pieces[number] as Piece
    if (firstCharacter >= to) break
    const end = Math.min(text.length, to - firstCharacter)
    for (let index = Math.max(0, from - firstCharacter); index < end; index++) {
      yield [text.charCodeAt(index), start + index * width]
    }
  }
}

/** Number of entries of a sorted list that begin at or before an offset. */
function countUntil<Entry>(offset: number, entries: Entry[], startOf: (entry: Entry) => number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (startOf(entries[middle] as Entry) <= offset) low = middle + 1
    else high = middle
  }
  return low
}

/** Reads the format of a run on a page. */
type PageReader<Format> = (page: Buffer, run: number, runs: number) => Format | null

/** Formats on the pages that a list refers to. */
function formatsOf<Format>(document: Buffer, list: Buffer, read: PageReader<Format>): Formats<Format> {
  const runs: { from: number; to: number; format: Format }[] = []
  const count = Math.floor((list.length - 4) / 8)
  const pageCount = Math.min(count, Math.floor(document.length / PAGE_BYTES))
  for (let index = 0; index < pageCount; index++) {
    const number = list.readUInt32LE(4 * (count + 1) + 4 * index) & 0x3fffff
    const page = document.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES)
    if (page.length < PAGE_BYTES) continue
    const runCount = Math.min(page[PAGE_BYTES - 1] ?? 0, 126)
    for (let run = 0; run < runCount; run++) {
      const format = read(page, run, runCount)
      if (format !== null) runs.push({ from: page.readUInt32LE(4 * run), to: page.readUInt32LE(4 * run + 4), format })
    }
  }
  runs.sort((one, other) => one.from - other.from)
  return {
    at(offset) {
      const run = runs[countUntil(offset, runs, ({ from }) => from) - 1]
      return run !== undefined && offset < run.to ? run.format : undefined
    },
  }
}

const characterFormats: PageReader<CharacterFormat> = (page, run, runs) => {
  const offset = 2 * (page[4 * (runs + 1) + run] ?? 0)
  if (offset === 0) return null
  const format: CharacterFormat = { isHidden: false, symbol: null }
  for (const [number, value] of propertiesIn(page.subarray(offset + 1, offset + 1 + (page[offset] ?? 0)))) {
    // 0x81 inverts the style's value, which is assumed to be off
    if (number === property.deleted || number === property.hidden) format.isHidden ||= ((value[0] ?? 0) & 1) === 1
    else if (number === property.symbol && value.length === 4)
      format.symbol = String.fromCharCode(value.readUInt16LE(2)).replace(PRIVATE_USE, '')
  }
  return format
}

const paragraphFormats: PageReader<ParagraphFormat> = (page, run, runs) => {
  const offset = 2 * (page[4 * (runs + 1) + 13 * run] ?? 0)
  if (offset === 0) return null
  const words = page[offset] ?? 0
  const content =
    words === 0
      ? page.subarray(offset + 2, offset + 2 + 2 * (page[offset + 1] ?? 0))
      : page.subarray(offset + 1, offset + 2 * words)
  if (content.length < 2) return null
  const style = content.readUInt16LE(0)
  // styles 1 to 6 are always the headings of these levels
  const format = { isInTable: false, isRowEnd: false, level: style >= 1 && style <= 6 ? style : 0 }
  for (const [number, value] of propertiesIn(content.subarray(2))) {
    if (number === property.inTable) format.isInTable = value[0] === 1
    else if (number === property.rowEnd) format.isRowEnd = value[0] === 1
  }
  return format
}

function* propertiesIn(bytes: Buffer): Generator<[number: number, value: Buffer]> {
  for (let offset = 0; offset + 3 <= bytes.length; ) {
    const number = bytes.readUInt16LE(offset)
    const kind = number >>> 13
    offset += 2
    if (number === property.tableDefinition) {
      offset += offset + 2 <= bytes.length ? bytes.readUInt16LE(offset) + 1 : 2
      continue
    }
    const length = kind === OF_ANY_LENGTH ? (bytes[offset++] ?? 0) : (valueBytes[kind] ?? 1)
    yield [number, bytes.subarray(offset, offset + length)]
    offset += length
  }
}

/** Writes paragraphs and rows of a story, without deleted text, hidden text and field instructions. */
function writeStory(
  located: Iterable<Located>,
  { characters, paragraphs }: { characters: Formats<CharacterFormat>; paragraphs: Formats<ParagraphFormat> },
  writer: DocumentWriter,
): void {
  let text = ''
  let cell: string[] = []
  let cells: string[] = []
  /** Fields that are open, the innermost last: true within a field's instructions, false within its result. */
  let fields: boolean[] = []
  let openInstructions = 0
  let previousCode = 0

  const endRow = () => {
    if (cell.length > 0) cells.push(cell.filter(Boolean).join('\n'))
    writer.row(cells)
    cells = []
    cell = []
  }
  const endParagraph = (offset: number) => {
    const { isInTable = false, level = 0 } = paragraphs.at(offset) ?? {}
    if (isInTable) cell.push(text)
    else {
      if (cells.length > 0 || cell.length > 0) endRow()
      if (level > 0) writer.heading(level, text)
      else writer.text(text)
    }
    text = ''
  }
  const endCell = (offset: number) => {
    const isRowEnd = paragraphs.at(offset)?.isRowEnd ?? (text === '' && previousCode === controlCharacter.cell)
    if (isRowEnd) endRow()
    else {
      cells.push([...cell, text].filter(Boolean).join('\n'))
      cell = []
    }
    text = ''
  }

  for (const [code, offset] of located) {
    const { isHidden = false, symbol = null } = characters.at(offset) ?? {}
    if (code === controlCharacter.cell) endCell(offset)
    else if (code === controlCharacter.paragraph || code === controlCharacter.page) {
      // a field's result may contain paragraphs, its instructions can't
      fields = []
      openInstructions = 0
      // a deleted paragraph mark joins two paragraphs
      if (!isHidden) endParagraph(offset)
    } else if (code === FIELD) {
      fields.push(true)
      openInstructions++
    } else if (code === FIELD_RESULT || code === FIELD_END) {
      if (fields.pop()) openInstructions--
      if (code === FIELD_RESULT) fields.push(false)
    } else if (!isHidden && openInstructions === 0) text += symbol ?? displayedText(code)
    previousCode = code
    if (text.length > MAX_PARAGRAPH_CHARACTERS) {
      writer.text(text)
      text = ''
    }
  }
  if (text !== '') endParagraph(-1)
  if (cells.length > 0 || cell.length > 0) endRow()
}

function displayedText(code: number): string {
  if (code === controlCharacter.line || code === controlCharacter.column) return '\n'
  if (code === controlCharacter.hyphen) return '-'
  // soft hyphens and signs of notes, comments and pictures aren't text
  return code === 0x09 || code >= 0x20 ? String.fromCharCode(code) : ''
}
