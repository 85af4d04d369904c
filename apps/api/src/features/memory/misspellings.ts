/** From this length, two letters may be wrong: pieces of the word are enough for a lookup. */
const PIECES_FROM = 8
/** Shorter pieces stand in too many texts. */
const SHORTEST_PIECE = 5
/** The rest of a long word tells no more. */
const MOST_LETTERS = 24
/** Shortest contiguous pattern that a trigram index can use. */
const INDEXED_LETTERS = 3

/**
 * Patterns of LIKE that texts match which hold a word that is spelled nearly so: few, each with enough letters in a row
 * that an index of trigrams finds only few texts, and cheap to compare with these. What is found has still to be judged.
 * @param word of letters and digits, in lower case.
 */
export function misspellingPatterns(word: string): string[] {
  const letters = [...word].slice(0, MOST_LETTERS)
  const patterns = letters.length < PIECES_FROM ? oneMistake(letters) : pieces(letters)
  return [...new Set([`%${letters.join('')}%`, ...patterns])]
}

/** A short word with each letter changed, added, dropped or swapped with the next. */
function oneMistake(letters: string[]): string[] {
  return letters.flatMap((letter, at) => {
    const [before, after, next] = [letters.slice(0, at).join(''), letters.slice(at + 1).join(''), letters[at + 1]]
    const changed = Math.max(at, letters.length - at - 1) >= INDEXED_LETTERS
    return [
      // without three letters in a row, the index needs the beginning of the word
      ...(changed ? [`%${before}_${after}%`] : [`${before}_${after}%`, `% ${before}_${after}%`]),
      ...(at > 0 ? [`%${before}_${letter}${after}%`] : []),
      `%${before}${after}%`,
      ...(next !== undefined && next !== letter
        ? [`%${before}${next}${letter}${letters.slice(at + 2).join('')}%`]
        : []),
    ]
  })
}

/** A long word without two neighbours, wherever these stand, and each half of it. */
function pieces(letters: string[]): string[] {
  const piece = (from: number, to = letters.length) => letters.slice(from, to).join('')
  const half = Math.max(SHORTEST_PIECE, Math.ceil(letters.length / 2))
  const gaps = letters.slice(1).map((_, at) => `%${piece(0, at)}%${piece(at + 2)}%`.replace('%%', '%'))
  const halves = letters.slice(half - 1).map((_, at) => `%${piece(at, at + half)}%`)
  return [...gaps, ...halves]
}
