/** True for Markdown, such as notes and saved pages, by file name. */
export function isMarkdownName(name: string): boolean {
  return /\.(?:md|markdown)$/i.test(name)
}

/** A line of Markdown without heading, quote and list markers, and with links replaced by their text. */
export function withoutLineMarks(line: string): string {
  return line
    .replace(/^\s*(?:#{1,6}\s+|>+\s?|[-*+]\s+(?:\[[ xX]\]\s+)?)+/, '')
    .replace(/!\[([^\][\n]{0,500})\]\([^)\s]{0,1000}(?:\s[^)\n]{0,200})?\)/g, '$1')
    .replace(/\[([^\][\n]{1,500})\]\([^)\s]{0,1000}(?:\s[^)\n]{0,200})?\)/g, '$1')
}

/** A line of Markdown without emphasis, strikethrough and code marks, and with escapes resolved; `snake_case` stays. */
export function withoutEmphasis(line: string): string {
  return line
    .replace(/(?<!\\)(\*\*|__|~~|`)/g, '')
    .replace(/(^|[\s(“"'])[*_](?=\S)/g, '$1')
    .replace(/([^\s\\])[*_](?=[\s.,;:!?)”"']|$)/g, '$1')
    .replace(/\\([\\`*_[\]<>|~#.!+-])/g, '$1')
}

/** Markdown as plain text for quoting: same lines without syntax; code stays as it is. */
export function plainMarkdown(markdown: string): string {
  let isCode = false
  const lines = markdown.split('\n').flatMap((line) => {
    const isFence = /^\s{0,3}(```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    // fences, rules and table delimiter rows
    if (isFence || (!isCode && /^\s*[-|:*_=][\s|:*_=-]*$/.test(line))) return []
    return isCode ? line : withoutEmphasis(withoutLineMarks(line))
  })
  return lines.join('\n')
}
