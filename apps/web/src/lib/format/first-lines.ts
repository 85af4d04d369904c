import { isMarkdownName, plainMarkdown } from '@mira/shared/constants/markdown'

const CHARACTERS = 400
/** Characters read for them: much of Markdown is URLs, which aren't shown. */
const READ_CHARACTERS = 2_000

/** The beginning of a text without the marks of Markdown where its name says that it is written so; otherwise as it is. */
export function plainBeginning(text: string, name: string): string {
  const beginning = text.slice(0, READ_CHARACTERS)
  return isMarkdownName(name) ? plainMarkdown(beginning) : beginning
}

/** The beginning of a text as a page of it looks; signs of Markdown say nothing there. Null where there is none. */
export function firstLines(text: string | null, name: string): string | null {
  if (text === null) return null
  const lines = plainBeginning(text, name)
    .slice(0, CHARACTERS)
    .split('\n')
    // where nothing says that it is Markdown, what can mean something else stays
    .map((line) => (isMarkdownName(name) ? line : line.replace(/^\s*(?:#{1,6}|[-*+>])\s+|[*_`]{2,}/g, '')).trim())
  return lines.filter((line, at) => line !== '' && line !== lines[at - 1]).join('\n') || null
}
