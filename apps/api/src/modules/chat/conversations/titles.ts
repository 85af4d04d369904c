import { answerIn } from '../../../platform/lib/thinking.ts'

const TITLE_MAX_CHARACTERS = 60
const UNTITLED = 'New conversation'

/** A name for a conversation from its first message: its first words, whole, at most 60 characters. */
export function titleOf(message: string): string {
  const line = message
    // Signs of Markdown say nothing in a list of names.
    .replace(/```\w*|[`*_#>|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return shorten(line) || UNTITLED
}

/** A title as a model wrote it, without what models like to put around one; null when nothing usable is left. */
export function cleanTitle(draft: string): string | null {
  const line =
    withoutThoughts(draft)
      .trim()
      .split('\n')
      // a fence around the title, and the bracket of an object
      .find((one) => one.trim() !== '' && !/^\s*(```\s*\w*|[{[])\s*$/.test(one)) ?? ''
  const bare = line
    .replace(/[*_#`]+/g, ' ')
    .replace(/^\s*(?:\{\s*)?"?(title|titel|título|titre)"?\s*:\s*/i, '')
    .replace(/"\s*,?\s*\}?\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^["'“”„«»‘’]+/, '')
    .replace(/(?<!["'“”„«»‘’.])["'“”„«»‘’.]+$/, '')
    .trim()
  return shorten(bare) || null
}

/** Removes a model's reasoning from its text. */
export function withoutThoughts(text: string): string {
  return (
    answerIn(text)
      // Models that think aloud do so first.
      .replace(/^[\s\S]*<\/think(ing)?>/i, '')
      // One that was cut off while thinking has not come to an end.
      .replace(/<think(ing)?>[\s\S]*$/i, '')
  )
}

function shorten(line: string): string {
  const characters = [...line]
  if (characters.length <= TITLE_MAX_CHARACTERS) return line
  const cut = characters.slice(0, TITLE_MAX_CHARACTERS - 1).join('')
  // A language without spaces has no words to keep whole.
  const words = cut.replace(/(?<!\s)\s+\S*$/, '')
  return `${(words.length > cut.length / 2 ? words : cut).replace(/(?<![\s,;:.–-])[\s,;:.–-]+$/, '')}…`
}
