import { fenceAfter, lineStartOf } from './code-fence.ts'

/**
 * Splits Markdown into parts that don't affect each other, so that only the last part of a growing text is parsed again.
 * Joined, the parts are the original text.
 */
export function splitMarkdown(markdown: string): string[] {
  // Definitions count for the whole text: links and footnotes elsewhere may refer to them.
  if (/^ {0,3}\[[^\]\n]+\]:/m.test(markdown)) return [markdown]
  const blocks: string[] = []
  let block = ''
  let fence = ''
  let isInFormula = false
  let isAfterBlank = false
  for (const line of markdown.match(/[^\n]*\n|[^\n]+/g) ?? []) {
    const isBlank = line.trim() === ''
    if (fence === '' && !isInFormula && isAfterBlank && !isBlank && !continuesBlock(line)) {
      blocks.push(block)
      block = ''
    }
    if (fence === '') isInFormula = isFormulaAfter(isInFormula, line)
    if (!isInFormula) fence = fenceAfter(fence, line)
    block += line
    isAfterBlank = isBlank
  }
  if (block !== '') blocks.push(block)
  return blocks
}

/** True when the formula of a line of `$$` is open after a line; models also end it with `$$` behind its content. */
function isFormulaAfter(isOpen: boolean, line: string): boolean {
  return isOpen ? !line.trimEnd().endsWith('$$') : isFormulaFence(line)
}

/** True for a line that belongs to a list or quote above the preceding blank line, or may belong to one once the line is complete. */
function continuesBlock(line: string): boolean {
  return /^(\s|>|[-*+](\s|$)|\d{1,9}([.)](\s|$)|$))/.test(line)
}

/** True for a line that is only `$$`, which begins or ends a formula. */
export function isFormulaFence(line: string): boolean {
  return line.slice(lineStartOf(line).length).trim() === '$$'
}

/**
 * Prepares an unfinished text for display: closes open formatting marks, and omits an ending that the next characters may
 * turn into something else, such as the beginning of a table or heading.
 */
export function completeMarkdown(markdown: string): string {
  const { fence, formulaStart } = openBlock(markdown)
  if (fence !== '' || formulaStart !== null) return markdown
  const paragraphStart = markdown.lastIndexOf('\n\n') + 1
  const paragraph = markdown.slice(paragraphStart)
  return markdown.slice(0, paragraphStart) + completeParagraph(paragraph)
}

/**
 * Block that is open at the end of a text: the fence of a code block (empty for none), or the index of the line of `$$` that
 * begins a formula. Neither begins inside the other.
 */
function openBlock(markdown: string): { fence: string; formulaStart: number | null } {
  let fence = ''
  let formulaStart: number | null = null
  let position = 0
  for (const line of markdown.split('\n')) {
    const wasOpen: boolean = formulaStart !== null
    if (fence === '' && isFormulaAfter(wasOpen, line) !== wasOpen) formulaStart = wasOpen ? null : position
    if (formulaStart === null) fence = fenceAfter(fence, line)
    position += line.length + 1
  }
  return { fence, formulaStart }
}

function completeParagraph(paragraph: string): string {
  // The header row of a table looks like a paragraph until the line below it is complete.
  if (/^\n?\s*\|[^\n]*(\n\s*\|?[|:\- \t]*)?$/.test(paragraph)) return ''
  const lineStart = paragraph.lastIndexOf('\n') + 1
  const line = paragraph.slice(lineStart)
  // Rows of a table are shown once they're complete, or its columns would move with every letter.
  if (/^\s*\|/.test(line)) return paragraph.slice(0, lineStart)
  // The beginning of a list, a heading or a fence; below text, "-" or "=" would turn that text into a heading.
  if (/^\s*([-*+=]+|#{1,6}|\d{1,9}[.)]?|`{1,2}|~{1,2}|>)[ \t]*$/.test(line)) return paragraph.slice(0, lineStart)
  return paragraph.slice(0, lineStart) + closeMarks(line)
}

/** Closes open code, bold and strikethrough at the end of a line, and hides an unfinished link. */
function closeMarks(line: string): string {
  if ((line.match(/`/g)?.length ?? 0) % 2 === 1) return line.endsWith('`') ? line.slice(0, -1) : `${line}\``
  const withoutLink = line.replace(/!?\[([^\]\n]*)(\](\([^)\n]*)?)?$/, (_match, label: string) => label)
  const mark = /(?<![*_~])[*_~]{1,3}$/.exec(withoutLink)?.[0] ?? ''
  const before = mark === '' ? withoutLink : withoutLink.slice(0, -mark.length).trimEnd()
  const text = mark === '' || isClosing(line.slice(0, before.length), mark) ? withoutLink : before
  const outsideCode = text.replace(/`[^`]*`/g, '')
  return ['**', '__', '~~'].reduce((closed, mark) => {
    const isOpen = (outsideCode.split(mark).length - 1) % 2 === 1
    return isOpen ? closed.trimEnd() + mark : closed
  }, text)
}

/** True when a mark at the end closes one that was opened before it. */
function isClosing(before: string, mark: string): boolean {
  return (before.split(mark).length - 1) % 2 === 1
}
