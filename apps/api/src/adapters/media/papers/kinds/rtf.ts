import { readFile, stat } from 'node:fs/promises'
import { setImmediate as giveWay } from 'node:timers/promises'
import type { PaperFacts, PaperKind } from '../paper-kind.ts'
import { PaperProblem } from '../paper-problem.ts'
import type { PaperWriter } from '../paper-writer.ts'

/** Larger ones hold pictures as digits, and are read from their beginning. */
const MOST_BYTES = 64 * 1024 * 1024
const DEEPEST = 1_000
const TOKENS_AT_ONCE = 50_000

/** Groups that are no text of the document. */
const passedOver = new Set([
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
  ...[
    'pict',
    'object',
    'objdata',
    'header',
    'headerl',
    'headerr',
    'headerf',
    'footer',
    'footerl',
    'footerr',
    'footerf',
  ],
  ...[
    'fldinst',
    'xmlnstbl',
    'datastore',
    'colorschememapping',
    'revtbl',
    'annotation',
    'pntext',
    'listtext',
    'nonshppict',
  ],
])
const signs: Record<string, string> = {
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

interface Group {
  isHidden: boolean
  info: 'title' | 'author' | null
  /** How many characters stand after one of Unicode for programs that do not know it. */
  skipAfter: number
}

/** A word of RTF: `\word-12 `, a sign such as `\~`, two digits of a byte, a brace, or text up to the next of these. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\/giy

/** Documents in Rich Text Format; objects and pictures in them are passed over. */
export const readRtf: PaperKind = async (filename, writer, tell) => {
  const { size } = await stat(filename)
  const whole = (await readFile(filename)).toString('latin1').slice(0, MOST_BYTES)
  if (!whole.startsWith('{\\rtf')) throw new PaperProblem('damaged_document', 'it does not begin as it should')
  tell(await readTokens(whole, writer))
  if (size > MOST_BYTES) writer.text('…')
}

async function readTokens(whole: string, writer: PaperWriter): Promise<PaperFacts> {
  const groups: Group[] = [{ isHidden: false, info: null, skipAfter: 1 }]
  const facts = { title: '', author: '' }
  let decoder = new TextDecoder('windows-1252')
  let text = ''
  let bytes: number[] = []
  let skip = 0
  let cells: string[] | null = null
  const group = () => groups.at(-1) as Group

  const flush = () => {
    if (bytes.length === 0) return
    const decoded = decoder.decode(Uint8Array.from(bytes))
    bytes = []
    put(decoded)
  }
  const put = (more: string) => {
    const { isHidden, info } = group()
    if (info !== null) facts[info] = (facts[info] + more).slice(0, 1_000)
    else if (!isHidden) text += more
  }
  const endParagraph = () => {
    if (cells !== null) text += ' '
    else {
      writer.text(text)
      text = ''
    }
  }
  const word = (name: string, value: number | undefined) => {
    if (name === 'par' || name === 'sect' || name === 'page') endParagraph()
    else if (name === 'intbl') cells ??= []
    else if (name === 'pard' && cells?.length === 0) cells = null
    else if (name === 'cell') {
      cells = [...(cells ?? []), text]
      text = ''
    } else if (name === 'row') {
      writer.row(cells ?? [])
      cells = null
    } else if (name === 'u' && value !== undefined) {
      put(String.fromCharCode(value & 0xffff))
      skip = group().skipAfter
    } else if (name === 'uc') group().skipAfter = Math.max(0, Math.min(8, value ?? 1))
    else if (name === 'ansicpg') decoder = decoderOf(value)
    else if (name === 'v' && value !== 0) group().isHidden = true
    else if (passedOver.has(name)) group().isHidden = true
    else if (name === 'info') group().isHidden = true
    else if (infoNames[name] !== undefined && group().isHidden) group().info = infoNames[name] as 'title' | 'author'
    else if (signs[name] !== undefined) put(signs[name])
  }

  TOKEN.lastIndex = 0
  for (let count = 1; TOKEN.lastIndex < whole.length; count++) {
    if (count % TOKENS_AT_ONCE === 0) await giveWay()
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(whole)
    if (match === null) break
    const [, name, number, byte, sign, brace, plain] = match
    if (byte !== undefined) {
      if (skip > 0) skip--
      else bytes.push(Number.parseInt(byte, 16))
      continue
    }
    flush()
    if (brace === '{') {
      if (groups.length > DEEPEST) throw new PaperProblem('damaged_document', 'its groups lie too deep in one another')
      groups.push({ ...group() })
    } else if (brace === '}') {
      if (groups.length > 1) groups.pop()
    } else if (name === 'bin') TOKEN.lastIndex = Math.max(at + 1, TOKEN.lastIndex + Math.max(0, Number(number ?? 0)))
    else if (name !== undefined) word(name, number === undefined ? undefined : Number(number))
    else if (sign === '*') group().isHidden = true
    else if (sign !== undefined) put(signs[sign] ?? ('\\{}'.includes(sign) ? sign : ''))
    else if (plain !== undefined) {
      const shown = plain.slice(skip)
      skip = Math.max(0, skip - plain.length)
      for (const character of shown) bytes.push(character.charCodeAt(0))
    }
  }
  flush()
  endParagraph()
  return facts
}

function decoderOf(codePage: number | undefined): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(codePage === 65001 ? 'utf-8' : codePage === 932 ? 'shift_jis' : `windows-${codePage}`)
  } catch {
    return new TextDecoder('windows-1252')
  }
}
