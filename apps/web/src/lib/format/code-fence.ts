/** Beginning of a line: its indentation, and the marks of the quotes and list items that begin in it. */
export function lineStartOf(line: string): string {
  return /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*[ \t]*/.exec(line)?.[0] ?? ''
}

/**
 * Fence of the code block that is open after a line, behind as many columns and quote marks as where the block begins. Empty
 * when none is open.
 */
export function fenceAfter(fence: string, line: string): string {
  const fenceStart = lineStartOf(fence)
  // A quote's code block ends with the quote.
  if (fenceStart.includes('>') && !line.trimStart().startsWith('>')) return fenceAfter('', line)
  const lineStart = lineStartOf(line)
  const marks = /^(`{3,}|~{3,})(.*)$/.exec(line.slice(lineStart.length).trimEnd())
  if (!marks) return fence
  const [, mark, rest] = marks as unknown as [string, string, string]
  if (fence === '') return mark.startsWith('`') && rest.includes('`') ? '' : lineStart.replace(/[^\s>]/g, ' ') + mark
  const isClosing =
    mark.startsWith(fence.slice(fenceStart.length)) &&
    rest.trim() === '' &&
    lineStart.length <= fenceStart.length + 3 &&
    lineStart.replace(/\s/g, '') === fenceStart.replace(/\s/g, '')
  return isClosing ? '' : fence
}
