import { SEAM, searchedForm, unspacedScripts } from '../../platform/lib/searched-form.ts'

const UNSPACED = new RegExp(`[${unspacedScripts}]`, 'u')
const STRETCHES = new RegExp(`[${unspacedScripts}]+|[^${unspacedScripts}]+`, 'gu')
const WORD = '[\\p{L}\\p{N}\\p{M}]+'
/** Words, the parts of one that was broken together. */
const WORDS = new RegExp(`${WORD}(?:${SEAM}${WORD})*`, 'gu')

/** A word of a text with where it stands, in UTF-16 units. */
export interface PlacedWord {
  word: string
  from: number
  to: number
}

/** True for a piece of a script without spaces: one or two characters. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word)
}

/**
 * Lower-cased words of a text, as the index has them. Of a stretch of a script without spaces they are each pair of
 * neighbours and the last character, so that one character alone is the beginning of some word, too. A word that was
 * broken at the end of a line counts as its parts and as a whole.
 */
export function wordsOf(text: string): string[] {
  const { text: form } = searchedForm(text)
  const words = form.toLowerCase().match(WORDS) ?? []
  const all = form.includes(SEAM) ? words.flatMap((word) => [...partsOf(word), ...wholeOf(word)]) : words
  return isUnspaced(form) ? all.flatMap((word) => (isUnspaced(word) ? stretchesOf(word) : [word])) : all
}

/** The words that are looked for: a stretch of several characters is told by its pairs, a broken word by its parts. */
export function askedWordsOf(text: string): string[] {
  const words = searchedForm(text).text.toLowerCase().match(WORDS) ?? []
  return words
    .flatMap(partsOf)
    .flatMap((word) =>
      isUnspaced(word)
        ? (word.match(STRETCHES) ?? []).flatMap((stretch) => (isUnspaced(stretch) ? pairsOf(stretch) : [stretch]))
        : [word],
    )
}

/** The words of a text with their places, to be marked. */
export function placedWordsOf(body: string): PlacedWord[] {
  const { text, placeOf } = searchedForm(body)
  return [...text.matchAll(WORDS)].flatMap(({ 0: match, index }) => {
    const placed: PlacedWord[] = wholeOf(match).map((word) => ({
      word: word.toLowerCase(),
      ...placeOf(index, index + match.length),
    }))
    let start = index
    for (const part of partsOf(match)) {
      for (const { word, from } of isUnspaced(part) ? placedStretches(part, start) : [{ word: part, from: start }])
        placed.push({ word: word.toLowerCase(), ...placeOf(from, from + word.length) })
      start += part.length + SEAM.length
    }
    return placed
  })
}

const partsOf = (word: string): string[] => word.split(SEAM)

/** A word that was broken in one piece; nothing of another. */
const wholeOf = (word: string): string[] => (word.includes(SEAM) ? [word.replaceAll(SEAM, '')] : [])

/** Words of what holds a script without spaces, each with where it begins. */
function placedStretches(word: string, start: number): { word: string; from: number }[] {
  return [...word.matchAll(STRETCHES)].flatMap(({ 0: stretch, index }) =>
    isUnspaced(stretch) ? placedPairs(stretch, start + index) : [{ word: stretch, from: start + index }],
  )
}

function stretchesOf(word: string): string[] {
  return (word.match(STRETCHES) ?? []).flatMap((stretch) =>
    isUnspaced(stretch) ? [...pairsOf(stretch), lastOf(stretch)] : [stretch],
  )
}

/** Each pair of neighbours; the character itself where there is one only. */
function pairsOf(stretch: string): string[] {
  const characters = [...stretch]
  return characters.length < 2 ? characters : characters.slice(1).map((next, index) => `${characters[index]}${next}`)
}

function lastOf(stretch: string): string {
  return [...stretch].at(-1) ?? ''
}

function placedPairs(stretch: string, start: number): { word: string; from: number }[] {
  const characters = [...stretch]
  let from = start
  return characters.map((character, index) => {
    const placed = { word: `${character}${characters[index + 1] ?? ''}`, from }
    from += character.length
    return placed
  })
}

/** True for a word with a digit, such as the number of an invoice or a model. */
export const hasDigit = (word: string): boolean => /\p{N}/u.test(word)
