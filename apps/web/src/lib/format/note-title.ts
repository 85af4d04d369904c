import { NOTE_TITLE_MAX_CHARACTERS } from '@mira/shared/constants/limits'

const USUAL_CHARACTERS = 80

/** Text of a note without its first line, when that only repeats the title. */
export function textBelowTitle({ title, text }: { title: string; text: string }): string {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  return first !== -1 && titleOf(lines[first] ?? '') === titleOf(title) && titleOf(title) !== ''
    ? lines.slice(first + 1).join('\n')
    : text
}

/** A title for what has none: its first line with words, without the marks of Markdown. */
export function titleOf(text: string): string {
  const line = text
    .split('\n')
    .map((one) =>
      one
        .replace(/^[\s#>*+-]+/, '')
        .replaceAll(/[*_`]+/g, '')
        .trim(),
    )
    .find((one) => one !== '')
  if (line === undefined) return ''
  if (line.length <= USUAL_CHARACTERS) return line
  const cut = line.slice(0, USUAL_CHARACTERS).toWellFormed()
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 40)).trimEnd()}…`.slice(0, NOTE_TITLE_MAX_CHARACTERS)
}
