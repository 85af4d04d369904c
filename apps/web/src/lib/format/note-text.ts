import { cutText } from '@mira/shared/constants/cut-text'
import { isMarkdownName, plainMarkdown } from '@mira/shared/constants/markdown'

const TITLE_CHARACTERS = 80

/** Text of a note without its first line, when that only repeats the title. */
export function textBelowTitle({ title, text }: { title: string; text: string }): string {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  return first !== -1 && titleOf(lines[first] ?? '') === titleOf(title) && titleOf(title) !== ''
    ? lines.slice(first + 1).join('\n')
    : text
}

/** Title for an untitled text: its first line with words, without Markdown syntax. */
export function titleOf(text: string): string {
  const line = text
    .split('\n')
    .map((row) =>
      row
        .replace(/^[\s#>*+-]+/, '')
        .replaceAll(/[*_`]+/g, '')
        .trim(),
    )
    .find((row) => row !== '')
  if (line === undefined) return ''
  if (line.length <= TITLE_CHARACTERS) return line
  const cut = cutText(line, TITLE_CHARACTERS)
  return `${cutText(cut, Math.max(cut.lastIndexOf(' '), 40)).trimEnd()}…`
}

const PREVIEW_CHARACTERS = 400
/** Characters read for a preview: much of Markdown is URLs, which aren't shown. */
const READ_CHARACTERS = 2_000

/** The beginning of a text, without Markdown syntax if its file name says that it's Markdown. */
export function plainBeginning(text: string, name: string): string {
  const beginning = cutText(text, READ_CHARACTERS)
  return isMarkdownName(name) ? plainMarkdown(beginning) : beginning
}

/** First lines of a text for a preview, without Markdown syntax; null when there are none. */
export function firstLines(text: string | null, name: string): string | null {
  if (text === null) return null
  const lines = cutText(plainBeginning(text, name), PREVIEW_CHARACTERS)
    .split('\n')
    // in a text that may not be Markdown, characters that can mean something else stay
    .map((line) => (isMarkdownName(name) ? line : line.replace(/^\s*(?:#{1,6}|[-*+>])\s+|[*_`]{2,}/g, '')).trim())
  return lines.filter((line, index) => line !== '' && line !== lines[index - 1]).join('\n') || null
}
