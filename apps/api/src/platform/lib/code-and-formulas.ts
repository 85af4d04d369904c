import { cutText } from '@mira/shared/constants/cut-text'

/** Code and formulas aren't searched for their end any further than this, since a stream waits for it. */
const MAX_AHEAD_CHARACTERS = 600
/** Limit for a formula between single dollar signs, which may be amounts of money. */
const MAX_DOLLARS_CHARACTERS = 100
const MAX_FENCE_INFO_CHARACTERS = 100
/** A line's further list markers don't count. */
const MAX_ITEMS_IN_LINE = 100

/** Beginning of a line: quotation marks, indentation, list markers and the fence of a code block. */
const LINE_START =
  /^(?<quotes>(?:[ \t]*>)*)(?<indent>[ \t]*)(?<bullets>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?<fence>`{3,}|~{3,})?(?<rest>.*)/su
/** Rest of an unfinished line that may become a list marker or a fence. */
const UNFINISHED_LINE_START = /^(?:[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2})?$/
const FENCE_END = /^[ \t>]*(`{3,}|~{3,})[ \t\r]*$/
const UNFINISHED_FENCE_END = /^[ \t>]*(?:[`~]+[ \t\r]*)?$/

const BLANK_LINE = /\n[ \t\r>]*\n/
/** End of a paragraph, and with it of code in backticks: a blank line or the next item of a list. */
const PARAGRAPH_END = /\n[ \t\r>]*(?:\n|(?:[-*+]|\d{1,9}[.)])[ \t])/
const FORMULA_ENVIRONMENT =
  /^\\begin\{((?:equation|align|alignat|aligned|flalign|gather|gathered|multline|eqnarray|split|cases|array|[bBpvV]?matrix)\*?)\}$/

/** Code in backticks, or a formula, that is open. */
interface Span {
  /** Mark that closes it. */
  close: string
  /** Text after a single dollar sign so far. */
  content: string
}

const isCode = (span: Span | null) => span?.close.startsWith('`') === true

/**
 * Follows a growing Markdown text, and knows what of it is code or a formula: fenced and indented blocks, backticks, `$…$`,
 * `$$…$$`, `\(…\)`, `\[…\]` and environments such as `align`. Amounts in dollars aren't formulas.
 */
export function trackCodeAndFormulas() {
  /** Fence that opened the current code block, and what it takes to close it; '' for none. */
  let fence = ''
  let fenceEnd = ''
  let isCodeLine = false
  let isIndentedCode = false
  let isAfterBlank = true
  /** Columns of the text of the list items that a line may continue. */
  let itemColumns: number[] = []
  let span: Span | null = null

  return {
    /**
     * Reads the beginning of a line.
     * @param text everything from there on
     * @returns false when that depends on text that is still to come
     */
    beginLine(text: string, isLast: boolean): boolean {
      const lineEnd = text.indexOf('\n')
      const line = lineEnd === -1 ? text : text.slice(0, lineEnd)
      const isWhole = isLast || lineEnd !== -1
      if (fence !== '') {
        if (!isWhole && UNFINISHED_FENCE_END.test(line)) return false
        isCodeLine = true
        if (FENCE_END.exec(line)?.[1]?.startsWith(fence)) {
          fence = ''
          fenceEnd = ''
        }
        return true
      }
      const groups = LINE_START.exec(line)?.groups ?? {}
      const { quotes = '', indent = '', bullets = '', rest = '' } = groups
      // Text with another backtick in the same line is code within a paragraph.
      const opensFence = groups.fence !== undefined && !(groups.fence.startsWith('`') && rest.includes('`'))
      if (!isWhole) {
        if (groups.fence === undefined && UNFINISHED_LINE_START.test(rest)) return false
        if (opensFence && (rest === '' || (groups.fence?.startsWith('`') && rest.length < MAX_FENCE_INFO_CHARACTERS)))
          return false
      }
      if (groups.fence === undefined && bullets === '' && rest.trim() === '') {
        isCodeLine = isIndentedCode
        isAfterBlank = true
        span = null
        return true
      }
      const column = columnAfter(indent)
      if (isAfterBlank || bullets !== '') itemColumns = itemColumns.filter((itemColumn) => itemColumn <= column)
      const isIndented = quotes === '' && bullets === '' && column - (itemColumns.at(-1) ?? 0) >= 4
      isIndentedCode = isIndented && (isAfterBlank || isIndentedCode)
      isCodeLine = isIndentedCode
      isAfterBlank = false
      if (isIndentedCode) return true
      addItems(indent, bullets)
      if (opensFence) {
        fence = groups.fence ?? ''
        fenceEnd = `${quotes}${indent}${' '.repeat(bullets.length)}${fence}`
        isCodeLine = true
      }
      if (opensFence || (bullets !== '' && isCode(span))) span = null
      return true
    },

    /** True when the current line is part of a code block. */
    isCodeLine: () => isCodeLine,

    /** Line that would close the fenced code block; '' outside of one. */
    fenceEnd: () => fenceEnd,

    /** True after backticks that may open code. */
    isInTicks: () => isCode(span),

    /** Reads a piece of text outside of code blocks, which has all of a mark: backticks, dollar signs or a LaTeX command. */
    read(piece: string, previousCharacter: string, nextCharacter: string): void {
      if (piece.startsWith('`')) {
        if (span?.close === piece) span = null
        else if (!isCode(span)) span = { close: piece, content: '' }
      } else if (isCode(span)) return
      else if (piece === '$') {
        const isClosed = span?.close === '$' && closesFormula(span.content, nextCharacter)
        if (span?.close === '$') span = null
        const mayOpen = span === null && !/[\w\\$]/.test(previousCharacter) && /[^\s$]/.test(nextCharacter)
        if (!isClosed && mayOpen) span = { close: '$', content: '' }
      } else if (piece === span?.close) span = null
      else if (span === null || span.close === '$') {
        const close = formulaEnd(piece)
        if (close !== null) span = { close, content: '' }
        else if (piece === '\n') span = null
        else if (span !== null) span.content += piece
      }
    },

    /**
     * Checks if the text from here on is inside of code or a formula, which must then be closed.
     * @param length characters of the piece that begins the text
     * @returns null when that depends on text that is still to come
     */
    contains(text: string, length: number, isLast: boolean): boolean | null {
      if (span === null) return false
      const limit = length + (span.close === '$' ? MAX_DOLLARS_CHARACTERS : MAX_AHEAD_CHARACTERS)
      const ahead = cutText(text, limit)
      const isCut = text.length >= limit
      const isInside =
        span.close === '$'
          ? isInDollars(span.content, ahead, length, isLast || isCut)
          : isBefore(span.close, ahead, length, isLast || isCut)
      // Whatever is cut off at the end of an answer is left unchanged, unless it may be an amount of money.
      if (isInside === null) {
        if (isCut) span = null
        return isCut ? false : isLast ? span?.close !== '$' : null
      }
      if (!isInside) span = null
      return isInside
    },
  }

  /** Adds the columns at which the text of a line's list items begins. */
  function addItems(indent: string, bullets: string): void {
    let before = indent
    let count = 0
    for (const [bullet, mark = '', space = ''] of bullets.matchAll(/([-*+]|\d{1,9}[.)])([ \t]+)/g)) {
      count += 1
      if (count > MAX_ITEMS_IN_LINE) return
      // More than four spaces after the marker are the indentation of code.
      const isFar = columnAfter(before + bullet) - columnAfter(before + mark) > 4
      itemColumns.push(columnAfter(isFar ? `${before + mark} ` : before + mark + space))
      before += bullet
    }
  }
}

/** Column after a text of one line; tabs reach the next multiple of four. */
function columnAfter(text: string): number {
  let column = 0
  for (const character of text) column += character === '\t' ? 4 - (column % 4) : 1
  return column
}

/** Mark that closes a formula; null for text that doesn't open one. */
function formulaEnd(piece: string): string | null {
  if (piece === '$$') return '$$'
  if (piece === '\\(') return '\\)'
  if (piece === '\\[') return '\\]'
  const environment = FORMULA_ENVIRONMENT.exec(piece)?.[1]
  return environment === undefined ? null : `\\end{${environment}}`
}

/** Checks that a mark follows in the same paragraph; null when the text ends before that's certain. */
function isBefore(close: string, text: string, start: number, isWhole: boolean): boolean | null {
  const end = (close.startsWith('`') ? PARAGRAPH_END : BLANK_LINE).exec(text.slice(start))
  const paragraph = end === null ? text : text.slice(0, start + end.index)
  if (!close.startsWith('`')) {
    if (paragraph.indexOf(close, start) !== -1) return true
  } else {
    for (const { 0: ticks, index } of paragraph.slice(start).matchAll(/`+/g)) {
      const isGrowing = !isWhole && start + index + ticks.length === text.length
      if (ticks === close && !isGrowing) return true
    }
  }
  return end === null ? null : false
}

/** Checks that a formula that began with a dollar sign is closed in the same line; null when the text ends before. */
function isInDollars(content: string, text: string, start: number, isWhole: boolean): boolean | null {
  if (startsLikePrice(content)) return false
  const rest = text.slice(start)
  const { 0: mark = '', index = -1 } = /(?<![\\$])\$+|\n/.exec(rest) ?? {}
  if (index === -1) return null
  const end = index + mark.length
  if (mark === '\n') return false
  if (end === rest.length && !isWhole) return null
  return mark === '$' && closesFormula(content + text.slice(0, start + index), rest.slice(end, end + 1))
}

/** Checks that a dollar sign ends a formula rather than beginning an amount of money or the name of a variable. */
function closesFormula(content: string, nextCharacter: string): boolean {
  if (content === '' || /[\s\\]$/.test(content) || /[A-Z_{(\d]/.test(nextCharacter)) return false
  const plain = content.replace(/\\[a-zA-Z]+\*?(?:\s*\{[^{}]*\})?/g, 'x')
  const isProse = /(?<![\p{L}\d])\p{L}{2,}[,;]? \p{L}{2,}(?!\p{L})|["`]/u.test(plain)
  const isPrice = /^\d/.test(plain) && /\p{L}{3}/u.test(plain)
  return !isProse && !isPrice
}

/** True when a number follows a dollar sign, and no sign of mathematics yet. */
function startsLikePrice(content: string): boolean {
  return /^\d/.test(content) && !/[\\^_=<>*{}∈≤≥≈]/.test(content)
}
