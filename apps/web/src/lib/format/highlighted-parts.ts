/** A piece of an excerpt, and whether it is what was searched for. */
export interface ExcerptPart {
  text: string
  isMatch: boolean
}

/** From the first until before the second, in UTF-16 units, in their order. */
export type Highlights = readonly (readonly [from: number, to: number])[]

/** Cuts an excerpt where what was found begins and ends in it. */
export function highlightedParts(text: string, highlights: Highlights = []): ExcerptPart[] {
  let at = 0
  const parts = highlights.flatMap(([from, to]) => {
    const pieces = [
      { text: text.slice(at, from), isMatch: false },
      { text: text.slice(from, to), isMatch: true },
    ]
    at = to
    return pieces
  })
  return [...parts, { text: text.slice(at), isMatch: false }].filter((part) => part.text !== '')
}
