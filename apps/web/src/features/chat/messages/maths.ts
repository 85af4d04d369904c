import { fenceAfter, lineStartOf } from '../../../lib/format/code-fence.ts'
import { isFormulaFence } from '../../../lib/format/markdown-blocks.ts'
import { isNeedlesslyEscaped, looksLikeDisplayFormula, looksLikeFormula } from './formula-source.ts'

/** True when a text may contain formulas, so that their renderer is worth loading. */
export function mayContainMaths(markdown: string): boolean {
  return /\$\$|\\\(|\\\[|\$[^\s$]/.test(markdown)
}

/**
 * Converts formulas to the renderer's notation from those that models use: \(…\), \[…\], $…$ and $$…$$. Amounts of money and
 * code are left unchanged. A formula stays in its list item or quote.
 */
export function normaliseMaths(markdown: string): string {
  return convert(markdown).markdown
}

/** Longer text after an opening mark isn't an unfinished formula. */
const OPEN_FORMULA_MAX_CHARACTERS = 500

/**
 * Removes a formula, in any notation, that is still being written at the end of a text. Half a formula would be shown as
 * other text, which would then turn into the formula in front of the reader.
 */
export function withoutOpenFormula(markdown: string): string {
  const { openStart } = convert(markdown)
  if (openStart === null || markdown.length - openStart > OPEN_FORMULA_MAX_CHARACTERS) return markdown
  return markdown.slice(0, openStart)
}

/** Markdown with its formulas converted, and the index in the original of an unfinished formula at its end. */
interface Conversion {
  markdown: string
  openStart: number | null
}

interface Line {
  /** Its indentation and the marks of quotes and list items. */
  start: string
  /** Spaces and quote marks that keep another line in its list item or quote. */
  indent: string
}

/** Lines up to a blank one or a code block, which no formula crosses, except one between lines of `$$`. */
interface Paragraph {
  text: string
  lines: Line[]
  isAfterFormula: boolean
  /** True when a following line of `$$` ends a formula. */
  isInFormula: boolean
}

function convert(markdown: string): Conversion {
  const lines = markdown.match(/[^\n]*\n|[^\n]+/g) ?? []
  const indentOf = indentReader()
  let result = ''
  let position = 0
  let fence = ''
  let paragraph: Paragraph = { text: '', lines: [], isAfterFormula: false, isInFormula: false }
  const endParagraph = (): number | null => {
    const { markdown: converted, openStart } = convertParagraph(paragraph)
    const start = position - paragraph.text.length
    result += converted
    paragraph = { text: '', lines: [], isAfterFormula: false, isInFormula: false }
    return openStart === null ? null : start + openStart
  }
  for (let index = 0; index < lines.length; index += 1) {
    let source = lines[index] ?? ''
    const start = lineStartOf(source)
    const indent = fence === '' ? indentOf(source, start) : ''
    const isInCode = fence !== ''
    fence = fenceAfter(fence, source)
    // More may follow a list mark at the end, which then doesn't end the paragraph.
    const isBlank = source.slice(start.length).trim() === '' && (start.trim() === '' || source.endsWith('\n'))
    if (isInCode || fence !== '' || isBlank) {
      endParagraph()
      result += source
    } else if (isFormulaFence(source) && !paragraph.isInFormula && !isPriceLevel(lines, index, start)) {
      endParagraph()
      let end = index + 1
      while (end < lines.length && !endsFormula(lines[end] ?? '')) end += 1
      // The rest of the text is the formula.
      if (end === lines.length) return { markdown: result + lines.slice(index).join(''), openStart: position }
      source = lines.slice(index, end + 1).join('')
      const formula = source.slice(source.indexOf('$$') + 2, source.lastIndexOf('$$'))
      result +=
        (start.trim() === '' ? indent : start) + displayBlock(formula, indent) + (source.endsWith('\n') ? '\n' : '')
      index = end
      paragraph.isAfterFormula = true
    } else {
      paragraph.text += source
      if (hasOddMarks(source)) paragraph.isInFormula = !paragraph.isInFormula
      paragraph.lines.push({ start, indent })
    }
    position += source.length
  }
  const openStart = endParagraph()
  return { markdown: result, openStart }
}

/** True for a line that ends a formula: `$$`, alone or behind the end of its content. */
function endsFormula(line: string): boolean {
  return /^(?:(?!\$\$)[^\n])*(?<!\\)\$\$\s*$/.test(line)
}

/** True for `$$` in a list of price levels. */
function isPriceLevel(lines: string[], index: number, start: string): boolean {
  if (start.trim() === '') return false
  return [lines[index - 1], lines[index + 1]].some((line = '') =>
    /^[ \t]*[-*+\d.)]{1,10}[ \t]+\$(?:\${2,})?\s*$/.test(line),
  )
}

/** True for a line that begins a formula or ends one. */
function hasOddMarks(text: string): boolean {
  return (text.match(/(?<![\\$])\$\$(?!\$)/g)?.length ?? 0) % 2 === 1
}

/** Reader of the indentation of consecutive lines outside code. */
function indentReader(): (line: string, start: string) => string {
  /** Columns at which the contents of the open list items begin. */
  let items: number[] = []
  let isAfterBlank = false
  return (line, start) => {
    const wasAfterBlank = isAfterBlank
    isAfterBlank = line.trim() === ''
    if (isAfterBlank) return ''
    if (start.includes('>')) return start.replace(/[^\s>]/g, ' ')
    const column = widthOf(/^\s*/.exec(start)?.[0] ?? '')
    const isItem = start.trim() !== ''
    if (wasAfterBlank || isItem) items = items.filter((item) => item <= column)
    const width = widthOf(start)
    if (isItem) items.push(width)
    return ' '.repeat(Math.max(0, ...items.filter((item) => item <= width)))
  }
}

/** Width of the beginning of a line, with tab stops every four columns. */
function widthOf(start: string): number {
  return [...start].reduce((width, character) => (character === '\t' ? width + 4 - (width % 4) : width + 1), 0)
}

/** A formula as a block. Its first line isn't indented. */
function displayBlock(formula: string, indent: string): string {
  let lines = formula.split('\n').map((line) => line.trim())
  for (const mark of indent.replace(/\s/g, '')) {
    lines = lines.map((line, index) => (index > 0 && line.startsWith(mark) ? line.slice(1).trim() : line))
  }
  const content = lines.join('\n').trim().split('\n')
  return ['$$', ...[...content, '$$'].map((line) => (indent + line).trimEnd())].join('\n')
}

/** Places where code, an escaped character or a formula may begin. */
const MARK = /`+|\\[^\n]?|\$+/g
// Escaped characters are read in pairs, so that `\\[4pt]` opens nothing.
const BRACKETS = /\\\[((?:\\[^[\]\n]|\\?\n|[^\\\n])+)\\\]/y
const PARENTHESES = /\\\(((?:\\[^()\n]|[^\\\n])+)\\\)/y
const DOUBLE_DOLLARS = /\$\$(?!\$)((?:\\[^\n]|\\?\n|\$(?!\$)|[^\\$\n])+)\$\$(?!\$)/y
// A formula touches its dollar signs; no digit ("$5 and $10" is money) or shell variable name follows the closing one.
const DOLLARS = /\$(?![\s$])((?:\\[^\n]|[^\\$\n])*(?:\\[^\n]|[^\\$\s]))\$(?![A-Z_{(\d$])/y
/** Rest of a line that belongs to the formula before it. */
const LINE_END = /([.,;:]?)[ \t\r]*(?=\n|$)/y
const SPACES = /[ \t]*/y

/** Unfinished formulas at the end of a text. Single dollars count only when no amount of money follows. */
const unfinishedFormulas = [
  /\\\[(?:\\[^[\]\n]|\\?\n|[^\\\n])*\\?$/y,
  /\\\((?:\\[^()\n]|[^\\\n])*\\?$/y,
  /\$\$(?![$ \t])(?:\\[^\n]|\\?\n|\$(?!\$)|[^\\$\n])*\\?$/y,
  /(?<!\w)\$[a-zA-Z\\|](?:\\\$|[^$\n]){0,80}$/y,
  /(?:\\|\$\$?)$/y,
]
/** Double dollars at the beginning of a line, where a space may follow them. */
const UNFINISHED_LINE = /\$\$(?!\$|[ \t]+\p{L}{2})(?:\\[^\n]|\\?\n|\$(?!\$)|[^\\$\n])*\\?$/uy

/** A part of a paragraph and the Markdown in its place, or a formula that becomes a block. */
type Piece = { source: string; markdown: string } | { source: string; formula: string; hasBlankLines: boolean }

function convertParagraph({ text, lines, isAfterFormula }: Paragraph): Conversion {
  let wasFormula = isAfterFormula
  let markdown = ''
  let openStart: number | null = null
  let isInOpenCode = false
  let position = 0
  let lineIndex = 0
  let lineBegin = 0
  const skip = (source: string) => {
    const newlines = source.split('\n').length - 1
    lineIndex += newlines
    if (newlines > 0) lineBegin = position + source.lastIndexOf('\n') + 1
    position += source.length
  }
  for (;;) {
    const next = matchAt(MARK, text, position)
    const between = text.slice(position, next?.index)
    markdown += wasFormula ? outdent(between, lines[lineIndex + (between.startsWith('\n') ? 1 : 0)]) : between
    wasFormula = false
    skip(between)
    if (next === null) return { markdown, openStart }
    const { start, indent } = lines[lineIndex] ?? { start: '', indent: '' }
    const isFirst = position === lineBegin + start.length
    const isRow = text[lineBegin + start.length] === '|'
    const piece = pieceAt(text, position, next[0], { isFirst, isRow })
    if (piece === null) {
      if (next[0].startsWith('`')) isInOpenCode = true
      else if (!isInOpenCode && isUnfinished(text, position, isFirst)) openStart ??= position
      // Two of several would be the ends of a formula: price levels.
      const hasOther = next[0].startsWith('$$') && text.includes('$$', position + next[0].length)
      const isEscaped = hasOther || (next[0].startsWith('$$') && text.slice(0, position).includes('$$'))
      markdown += isEscaped ? next[0].replaceAll('$', '\\$') : next[0]
      skip(next[0])
    } else if ('markdown' in piece) {
      markdown += piece.markdown
      skip(piece.source)
    } else {
      const isSpaced = piece.hasBlankLines && indent === ''
      if (isFirst && start.trim() === '') markdown = markdown.slice(0, markdown.lastIndexOf('\n') + 1) + indent
      markdown += isFirst && !isSpaced ? '' : `\n${indent}`
      skip(piece.source)
      const end = matchAt(LINE_END, text, position)
      markdown += displayBlock(piece.formula + (end?.[1] ?? ''), indent)
      if (end === null || isSpaced) markdown += `\n${indent}`
      skip(end?.[0] ?? matchAt(SPACES, text, position)?.[0] ?? '')
      wasFormula = end !== null
    }
  }
}

/** Text that begins with a line below a formula, where four spaces would make the line code. */
function outdent(text: string, line: Line | undefined): string {
  return line?.start.trim() === '' ? text.replace(/^(\n?)[ \t]+/, `$1${line.indent}`) : text
}

/** Part that begins with a mark; null when it's neither code nor a formula. */
function pieceAt(text: string, position: number, mark: string, { isFirst, isRow }: Place): Piece | null {
  const verbatim = (end: number): Piece => ({ source: text.slice(position, end), markdown: text.slice(position, end) })
  if (mark.startsWith('`')) {
    const end = codeEnd(text, position, mark.length)
    return end === null ? null : verbatim(end)
  }
  if (mark === '\\[') {
    const [source, formula = ''] = matchAt(BRACKETS, text, position) ?? ['']
    if (source === '' || isNeedlesslyEscaped(formula)) return null
    return isRow ? { source, markdown: inline(formula, isRow) } : { source, formula, hasBlankLines: true }
  }
  if (mark === '\\(') {
    const [source, formula = ''] = matchAt(PARENTHESES, text, position) ?? ['']
    return source === '' ? null : { source, markdown: inline(formula, isRow) }
  }
  if (mark.length === 2 && mark.startsWith('\\')) return verbatim(position + 2)
  if (mark.startsWith('$') && isInAddress(text, position)) return verbatim(position + mark.length)
  if (mark === '$') {
    const [source, formula = ''] = matchAt(DOLLARS, text, position) ?? ['']
    // In a row of a table, bars without LaTeX separate its cells.
    const isCut = isRow && /(?<!\\)\|/.test(formula) && !/\\[a-zA-Z]/.test(formula)
    // Variables of a shell or of code: $user@$host, '$a'.
    const next = text.charAt(position + source.length)
    // An apostrophe may also precede a formula: l'$n$.
    const isQuoted = /(?<!\p{L})'$/u.test(text.slice(0, position)) && formula.includes("'")
    const isCode = isQuoted || (/[.@%?]$/.test(formula) && /[a-z]/.test(next))
    if (source === '' || isCut || isCode || /\w/.test(text.charAt(position - 1)) || !looksLikeFormula(formula))
      return null
    return { source, markdown: inline(formula, isRow) }
  }
  if (mark !== '$$') return null
  const [source, formula = ''] = matchAt(DOUBLE_DOLLARS, text, position) ?? ['']
  if (source === '') return null
  if (formula.includes('\n')) {
    const endsFirst = /\n[ \t>]*$/.test(formula)
    const isBlock = endsFirst && /^[ \t]*\n/.test(formula)
    const isLine = (isFirst || endsFirst) && matchAt(LINE_END, text, position + source.length) !== null
    const hasCommand = /\\[a-zA-Z]/.test(formula)
    const hasItems = /\n[ \t>]*(?:[-*+•]|\d{1,9}[.)])[ \t]/.test(formula)
    const isDisplay = !isRow && (hasCommand || isBlock || (isLine && !hasItems)) && looksLikeDisplayFormula(formula)
    return isDisplay ? { source, formula, hasBlankLines: false } : null
  }
  if (isRow && /(?<!\\)\|/.test(formula) && !/\\[a-zA-Z]/.test(formula)) return null
  const isAlone = isFirst && matchAt(LINE_END, text, position + source.length)?.[1] === ''
  if (isAlone) return { source, formula, hasBlankLines: false }
  return looksLikeFormula(formula.trim()) ? { source, markdown: isRow ? inline(formula, isRow) : source } : null
}

/** True within the address of a link. */
function isInAddress(text: string, position: number): boolean {
  return /(?:\]\([^\s)]*|:\/\/[^\s)\]>"，。、；：（）]*)$/.test(text.slice(Math.max(0, position - 300), position))
}

interface Place {
  /** True when nothing but its indentation and list marks precedes it in its line. */
  isFirst: boolean
  /** True in a row of a table. */
  isRow: boolean
}

/** Formula within text; in a table's row, its bars are written as commands, because they would begin a cell. */
function inline(formula: string, isRow: boolean): string {
  const content = isRow ? formula.replace(/(?<!\\)\|/g, '\\vert ') : formula
  const line = content
    .split('\n')
    .map((part) => part.trim())
    .join(' ')
    .trim()
  return /^\$|\$$/.test(line) ? `$$ ${line} $$` : `$$${line}$$`
}

/** Index after the inline code that begins at an index; null when nothing closes it. */
function codeEnd(text: string, position: number, markLength: number): number | null {
  for (const { 0: mark, index } of text.slice(position + markLength).matchAll(/`+/g)) {
    if (mark.length === markLength) return position + markLength + index + markLength
  }
  return null
}

function isUnfinished(text: string, position: number, isFirst: boolean): boolean {
  if (isFirst && matchAt(UNFINISHED_LINE, text, position) !== null) return true
  return unfinishedFormulas.some((pattern) => matchAt(pattern, text, position) !== null)
}

/** Finds a pattern with the flag `g` from an index on, or one with the flag `y` at an index. */
function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index
  return pattern.exec(text)
}
