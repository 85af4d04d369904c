/** Scripts that put no space between words; the same ranges as in the function moment_words of the database. */
const unspaced =
  '\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF\\u3005-\\u3007\\u3040-\\u30FF\\u31F0-\\u31FF\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uAC00-\\uD7AF\\uF900-\\uFAFF\\u{20000}-\\u{3FFFF}'
const UNSPACED = new RegExp(`[${unspaced}]`, 'u')
const STRETCHES = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu')
const WORDS = /[\p{L}\p{N}\p{M}]+/gu

/** A word of a text with where it stands, in UTF-16 units. */
export interface PlacedWord {
  word: string
  from: number
  to: number
}

/** Whether a word is a piece of a script that has no spaces: a pair of characters, or a single one. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word)
}

/**
 * Lower-cased words of a text, as the index has them. Of a stretch of a script without spaces they are each pair of
 * neighbours and the last character, so that one character alone is the beginning of some word, too.
 */
export function wordsOf(text: string): string[] {
  const words = text.normalize('NFC').toLowerCase().match(WORDS) ?? []
  return isUnspaced(text) ? words.flatMap((word) => (isUnspaced(word) ? stretchesOf(word) : [word])) : words
}

/** The words that are looked for: a stretch of several characters is told by its pairs. */
export function askedWordsOf(text: string): string[] {
  const words = text.normalize('NFC').toLowerCase().match(WORDS) ?? []
  return words.flatMap((word) =>
    isUnspaced(word)
      ? (word.match(STRETCHES) ?? []).flatMap((stretch) => (isUnspaced(stretch) ? pairsOf(stretch) : [stretch]))
      : [word],
  )
}

/** The words of a text with their places, to be marked. */
export function placedWordsOf(text: string): PlacedWord[] {
  const placed: PlacedWord[] = []
  for (const { 0: found, index } of text.matchAll(WORDS)) {
    if (!isUnspaced(found)) {
      placed.push({ word: found.normalize('NFC').toLowerCase(), from: index, to: index + found.length })
      continue
    }
    for (const { 0: stretch, index: within } of found.matchAll(STRETCHES)) {
      const from = index + within
      if (isUnspaced(stretch)) placed.push(...placedPairs(stretch, from))
      else placed.push({ word: stretch.normalize('NFC').toLowerCase(), from, to: from + stretch.length })
    }
  }
  return placed
}

function stretchesOf(word: string): string[] {
  return (word.match(STRETCHES) ?? []).flatMap((stretch) =>
    isUnspaced(stretch) ? [...pairsOf(stretch), lastOf(stretch)] : [stretch],
  )
}

/** Each pair of neighbours; the character itself where there is one only. */
function pairsOf(stretch: string): string[] {
  const characters = [...stretch]
  return characters.length < 2 ? characters : characters.slice(1).map((next, at) => `${characters[at]}${next}`)
}

function lastOf(stretch: string): string {
  return [...stretch].at(-1) ?? ''
}

function placedPairs(stretch: string, start: number): PlacedWord[] {
  const characters = [...stretch]
  let from = start
  return characters.flatMap((character, at) => {
    const placed = { from, to: from + character.length + (characters[at + 1]?.length ?? 0) }
    from += character.length
    return [{ word: `${character}${characters[at + 1] ?? ''}`, ...placed }]
  })
}

/** Whether a word is a number, or has one in it, as those of invoices and models have. */
export const hasDigit = (word: string): boolean => /\p{N}/u.test(word)
