import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { appendUncut, cutText } from '@mira/shared/constants/cut-text'
import { withBytes } from '../../file-bytes.ts'
import type { DocumentMetadata, DocumentParser } from '../document-parser.ts'
import { DocumentError } from '../document-types.ts'
import { DocumentFullError, type DocumentWriter, LIMITS, MAX_CELLS } from '../document-writer.ts'
import { codePageByCharset, decoderOfCodePage } from './compound-file.ts'

/** Files above this size contain pictures as digits; they're read up to it. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_DEPTH = 1_000
/** Larger pictures inside documents are not read anyway. */
const MAX_PICTURE_BYTES = 20 * 1024 * 1024
const FIRST_PICTURE_BYTES = 64 * 1024
const TOKENS_AT_ONCE = 50_000
/** Longer paragraphs are written in pieces. */
const MAX_PARAGRAPH_CHARACTERS = 100_000
const MAX_FACT_CHARACTERS = 1_000
/** Bytes of text decoded at once. */
const DECODED_BYTES = 64 * 1024

/** Groups that aren't text of the document. */
const skippedGroups = new Set([
  ...[
    'fonttbl',
    'colortbl',
    'stylesheet',
    'listtable',
    'listoverridetable',
    'rsidtbl',
    'generator',
    'themedata',
    'latentstyles',
  ],
  ...['objdata', 'objclass', 'atnid', 'atnauthor', 'atnref', 'atndate', 'atntime'],
  ...[
    'fldinst',
    'xmlnstbl',
    'datastore',
    'colorschememapping',
    'revtbl',
    'pntext',
    'listtext',
    'nonshppict',
    'nonesttables',
  ],
])
/** Groups outside the text, by kind. */
const asides: Record<string, Aside['kind']> = {
  header: 'head',
  headerl: 'head',
  headerr: 'head',
  headerf: 'head',
  footer: 'foot',
  footerl: 'foot',
  footerr: 'foot',
  footerf: 'foot',
  footnote: 'note',
  annotation: 'note',
  shptxt: 'box',
}
const symbols: Record<string, string> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  '~': ' ',
  _: '-',
}
const infoNames: Record<string, 'title' | 'author'> = { title: 'title', author: 'author' }

/** Text outside the body, and the paragraph that it interrupts. */
interface Aside {
  kind: 'head' | 'foot' | 'note' | 'box'
  lines: string[]
  text: string
  gap: string
  cells: string[] | null
}

interface Group {
  /** True in a group that isn't text of the document. */
  isHidden: boolean
  /** True in text formatted as hidden. */
  isConcealed: boolean
  /** True in a tracked deletion. */
  isDeleted: boolean
  aside: Aside | null
  info: 'title' | 'author' | null
  /** Fallback characters to skip after each Unicode character. */
  skipAfter: number
  font: number
  picture: Picture | null
}

/** A picture being collected from its digits. */
interface Picture {
  /** True for a readable picture format; Windows metafiles aren't. */
  isReadable: boolean
  /** With spare room: lines are short, and a buffer for each would cost more than its bytes. */
  content: Buffer
  sizeBytes: number
}

/** Adds a line of digits; a picture that grows too large is dropped. */
function addDigits(picture: Picture, digits: string): void {
  const needed = picture.sizeBytes + digits.length / 2
  if (needed > MAX_PICTURE_BYTES) {
    picture.isReadable = false
    picture.content = Buffer.alloc(0)
  } else {
    if (needed > picture.content.length) {
      picture.content = Buffer.concat([picture.content], Math.max(FIRST_PICTURE_BYTES, Math.ceil(needed) * 2))
    }
    picture.sizeBytes += picture.content.write(digits, picture.sizeBytes, 'hex')
  }
}

/** A token of RTF: `\word-12 `, a symbol such as `\~`, two hex digits of a byte, a brace, or text up to the next token. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\/giy

/** Documents in Rich Text Format; objects in them are skipped. */
export const readRtf: DocumentParser = async (filename, writer, report) => {
  const { whole, isCut } = await withBytes(filename, async ({ sizeBytes, read }) => ({
    whole: (await read(0, MAX_BYTES)).toString('latin1'),
    isCut: sizeBytes > MAX_BYTES,
  }))
  if (!whole.startsWith('{\\rtf')) throw new DocumentError('damaged_document', "it doesn't begin like RTF")
  const { facts, isFull } = await readTokens(whole, writer)
  report(facts)
  if (isFull) throw new DocumentFullError('it is too long to be read in full')
  if (isCut) writer.text('…')
}

async function readTokens(
  whole: string,
  writer: DocumentWriter,
): Promise<{ facts: DocumentMetadata; isFull: boolean }> {
  const groups: Group[] = [
    {
      isHidden: false,
      isConcealed: false,
      isDeleted: false,
      aside: null,
      info: null,
      skipAfter: 1,
      font: 0,
      picture: null,
    },
  ]
  const facts = { title: '', author: '' }
  let defaultCodePage = 1252
  const codePageByFont = new Map<number, number>()
  let text = ''
  /** Separator between the paragraphs or nested rows of a cell, added before the next text. */
  let gap = ''
  /** Text bytes that aren't decoded yet, each as one character. */
  let bytes = ''
  let skip = 0
  // Counted here, since notes are only written at the end of the document, and cells at the end of a row.
  let remainingCharacters = LIMITS.characters
  let cells: string[] | null = null
  const writtenHeaders = new Set<string>()
  const atEnd = { foot: new Set<string>(), note: [] as string[] }
  const group = () => groups.at(-1) as Group

  const flush = ({ isCut = false } = {}) => {
    if (bytes === '') return
    const decoder = decoderOf(codePageByFont.get(group().font) ?? defaultCodePage)
    const decoded = decoder.decode(Buffer.from(bytes, 'latin1'), { stream: isCut })
    bytes = ''
    append(decoded)
  }
  const addBytes = (more: string) => {
    // pictures and objects in hidden groups are millions of digits
    if (more === '' || (group().isHidden && group().info === null)) return
    if (bytes.length > DECODED_BYTES) flush({ isCut: true })
    bytes += more
  }
  const append = (more: string) => {
    if (more === '') return
    const { isHidden, isConcealed, isDeleted, info } = group()
    if (info !== null) facts[info] = appendUncut(facts[info], more, MAX_FACT_CHARACTERS)
    else if (!isHidden && !isConcealed && !isDeleted) {
      if (text !== '') text += gap
      gap = ''
      text += more
      remainingCharacters -= more.length
      if (text.length > MAX_PARAGRAPH_CHARACTERS) {
        if (cells !== null) endCell(cells)
        else endParagraph()
      }
    }
  }
  const endCell = (row: string[]) => {
    // trimming also joins the pieces that the text consists of
    if (row.length < MAX_CELLS) row.push(text.trim())
    text = ''
    gap = ''
  }
  const endParagraph = () => {
    if (cells !== null) gap ||= ' '
    else {
      const { aside } = group()
      if (aside === null) writer.text(text)
      else if (text.trim() !== '') aside.lines.push(text)
      text = ''
    }
  }
  /** Writes the cells of an unfinished row. */
  const endCells = () => {
    if (cells !== null && cells.length > 0) {
      writer.row([...cells, text])
      text = ''
    }
    gap = ''
    cells = null
  }
  const beginAside = (kind: Aside['kind']) => {
    // nested groups of a hidden group are hidden, too
    if (groups.at(-2)?.isHidden && kind !== 'box') return
    group().aside = { kind, lines: [], text, gap, cells }
    group().isHidden = false
    text = ''
    gap = ''
    cells = null
  }
  const endAside = ({ kind, lines, cells: row, ...interrupted }: Aside) => {
    text = interrupted.text
    gap = interrupted.gap
    cells = row
    for (const line of lines) {
      if (kind === 'foot') atEnd.foot.add(line)
      else if (kind === 'note') atEnd.note.push(line)
      else if (kind === 'box' || !writtenHeaders.has(line)) writer.text(line)
      if (kind === 'head') writtenHeaders.add(line)
    }
  }
  const applyControlWord = (name: string, value: number | undefined) => {
    const aside = Object.hasOwn(asides, name) ? asides[name] : undefined
    if (/^(?:par|sect|page|nestcell)$/.test(name)) endParagraph()
    else if (name === 'nestrow') gap = '; '
    else if (name === 'intbl') cells ??= []
    else if (name === 'pard' && cells?.length === 0) cells = null
    else if (name === 'cell') {
      cells ??= []
      endCell(cells)
    } else if (name === 'row') {
      writer.row(cells ?? [])
      cells = null
    } else if (name === 'u' && value !== undefined) {
      append(String.fromCharCode(value & 0xffff))
      skip = group().skipAfter
    } else if (name === 'f') group().font = value ?? 0
    else if (name === 'fcharset') {
      const page = codePageByCharset[value ?? 0]
      if (page !== undefined) codePageByFont.set(group().font, page)
    } else if (name === 'uc') group().skipAfter = Math.max(0, Math.min(8, value ?? 1))
    else if (name === 'ansicpg') defaultCodePage = value ?? defaultCodePage
    else if (name === 'mac') defaultCodePage = 10000
    else if (name === 'v') group().isConcealed = value !== 0
    else if (name === 'deleted') group().isDeleted = value !== 0
    else if (name === 'plain') group().isConcealed = group().isDeleted = false
    else if (name === 'mr') group().isHidden = false
    else if (aside !== undefined) beginAside(aside)
    else if (name === 'pict') {
      group().isHidden = true
      group().picture = { isReadable: false, content: Buffer.alloc(0), sizeBytes: 0 }
    } else if (name === 'pngblip' || name === 'jpegblip') {
      const { picture } = group()
      if (picture !== null) picture.isReadable = true
    } else if (skippedGroups.has(name)) group().isHidden = true
    else if (name === 'info') group().isHidden = true
    else if (Object.hasOwn(infoNames, name) && group().isHidden) group().info = infoNames[name] as 'title' | 'author'
    else if (Object.hasOwn(symbols, name)) append(symbols[name] ?? '')
  }

  TOKEN.lastIndex = 0
  for (let count = 1; TOKEN.lastIndex < whole.length && remainingCharacters > 0; count++) {
    if (count % TOKENS_AT_ONCE === 0) await yieldToEventLoop()
    const index = TOKEN.lastIndex
    const match = TOKEN.exec(whole)
    if (match === null) break
    const [, name, number, byte, sign, brace, plain] = match
    if (byte !== undefined) {
      if (skip > 0) skip--
      else addBytes(String.fromCharCode(Number.parseInt(byte, 16)))
      continue
    }
    // a character's two bytes may be written as hex digits and a letter, and on two lines
    const written = sign !== undefined && '\\{}'.includes(sign) ? sign : plain
    if (written !== undefined && group().picture === null) {
      addBytes(written.slice(skip))
      skip = Math.max(0, skip - written.length)
      continue
    }
    if (/^[\r\n]/.test(match[0])) continue
    flush()
    // fallback characters are in the same group
    if (brace !== undefined) skip = 0
    if (brace === '{') {
      if (groups.length > MAX_DEPTH) throw new DocumentError('damaged_document', 'its groups are nested too deep')
      groups.push({ ...group() })
    } else if (brace === '}') {
      const { picture, aside } = group()
      if (aside !== null && aside !== groups.at(-2)?.aside) {
        endCells()
        endParagraph()
        endAside(aside)
      }
      if (groups.length > 1) groups.pop()
      if (picture?.isReadable && picture !== group().picture) {
        writer.picture(Uint8Array.from(picture.content.subarray(0, picture.sizeBytes)))
      }
      // whatever follows the document isn't part of it
      if (groups.length === 1) break
    } else if (name === 'bin') TOKEN.lastIndex = Math.max(index + 1, TOKEN.lastIndex + Math.max(0, Number(number ?? 0)))
    else if (name !== undefined) applyControlWord(name, number === undefined ? undefined : Number(number))
    else if (sign === '*') {
      // Elsewhere `\*` only concerns the next word, as in OpenOffice's character styles.
      if (!isGroupStart(whole, index)) continue
      group().isHidden = true
      // metadata of a picture
      group().picture = null
    } else if (sign === '\n' || sign === '\r') endParagraph()
    else if (sign !== undefined) append(symbols[sign] ?? '')
    else if (plain !== undefined && group().picture?.isReadable) addDigits(group().picture as Picture, plain.trim())
  }
  flush()
  endCells()
  endParagraph()
  for (const line of [...atEnd.foot, ...atEnd.note]) writer.text(line)
  const title = cutText(facts.title, MAX_FACT_CHARACTERS)
  const author = cutText(facts.author, MAX_FACT_CHARACTERS)
  return { facts: { title, author }, isFull: remainingCharacters <= 0 }
}

function isGroupStart(whole: string, index: number): boolean {
  let before = index - 1
  while (whole[before] === '\n' || whole[before] === '\r') before--
  return whole[before] === '{'
}

const decoders = new Map<number, InstanceType<typeof TextDecoder>>()

function decoderOf(codePage: number): InstanceType<typeof TextDecoder> {
  const decoder = decoders.get(codePage) ?? decoderOfCodePage(codePage)
  decoders.set(codePage, decoder)
  return decoder
}
