/** Weights of a misspelled word and of a compound. */
const NEAR_WEIGHT = 0.8
const COMPOUND_WEIGHT = 0.7
/** Fewer letters beside a word make no compound of it: “please” holds no lease. */
const MIN_OTHER_PART = 3
/** Shorter words are like too many others. */
export const SHORTEST_MISSPELLED = 5
/** As long as this, two letters may be wrong. */
const TWO_MISTAKES_FROM = 8

const folded = new Map<string, string>()
const MAX_FOLDED = 50_000

/** A word without accents. */
export function fold(word: string): string {
  let plain = folded.get(word)
  if (plain === undefined) {
    plain = word.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
    if (folded.size > MAX_FOLDED) folded.clear()
    folded.set(word, plain)
  }
  return plain
}

/** Weight of a compound that has the wanted word behind another part; 0 for any other word. */
export function compoundWeight(word: string, wanted: string): number {
  return fold(word).lastIndexOf(fold(wanted)) >= MIN_OTHER_PART ? COMPOUND_WEIGHT : 0
}

/** Weight of a word that begins with the wanted one, as German compounds do; in other languages it's likely another word. */
export function beginningWeight(word: string, wanted: string): number {
  const [one, other] = [fold(word), fold(wanted)]
  return one.startsWith(other) && one.length - other.length >= MIN_OTHER_PART ? COMPOUND_WEIGHT : 0
}

/**
 * Likelihood that a word was meant by one that is spelled otherwise, 0 to 1. The first letter is seldom wrong, unless it's
 * swapped with the next.
 */
export function misspellingWeight(word: string, wanted: string): number {
  const [one, other] = [fold(word), fold(wanted)]
  const isSwapped = one[0] === other[1] && one[1] === other[0]
  if (one[0] !== other[0] && !isSwapped) return 0
  const mistakes = other.length >= TWO_MISTAKES_FROM ? 2 : 1
  if (Math.abs(one.length - other.length) > mistakes) return 0
  const distance = editDistance(one, other, mistakes)
  return distance > mistakes ? 0 : NEAR_WEIGHT * (1 - (distance - 1) * 0.15)
}

/** Three rows of the table that a distance is reckoned in, used again and again: a search compares thousands of words. */
let rows: [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)]

/** Letters to add, drop, change or swap with a neighbour to make one word of the other; more than `most` is not counted. */
function editDistance(one: string, other: string, most: number): number {
  const tooMany = most + 1
  if (Math.abs(one.length - other.length) > most) return tooMany
  if (other.length >= rows[0].length) {
    const room = 2 * other.length
    rows = [new Uint8Array(room), new Uint8Array(room), new Uint8Array(room)]
  }
  let [before, last, current] = rows
  for (let column = 0; column <= other.length; column++) last[column] = Math.min(column, tooMany)
  for (let row = 1; row <= one.length; row++) {
    // further from the diagonal there are more mistakes than count
    const first = Math.max(1, row - most)
    const end = Math.min(other.length, row + most)
    current[first - 1] = first === 1 ? Math.min(row, tooMany) : tooMany
    let least = current[first - 1] as number
    for (let column = first; column <= end; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const above = column === row + most ? tooMany : (last[column] as number)
      let cost = Math.min(
        above + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (isSame ? 0 : 1),
      )
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isSwapped) cost = Math.min(cost, (before[column - 2] as number) + 1)
      current[column] = Math.min(cost, tooMany)
      least = Math.min(least, cost)
    }
    if (least > most) return tooMany
    ;[before, last, current] = [last, current, before]
  }
  return last[other.length] as number
}
