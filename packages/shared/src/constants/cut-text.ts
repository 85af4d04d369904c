/** UTF-16 units on each side of the cut in which to find where a character begins; longer characters are cut between code points. */
const CONTEXT_UNITS = 32
/** Units after a cut that show whether a character ends there: one character of two units. */
const LOOKAHEAD_UNITS = 2

/** Created at the first cut, since that takes longer than many cuts. */
let segmenter: Intl.Segmenter | undefined

/** Beginning of a text, at most `maxUnits` UTF-16 units long, that doesn't end within a character such as an emoji. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text
  const from = Math.max(0, maxUnits - CONTEXT_UNITS)
  const context = text.slice(from, maxUnits + CONTEXT_UNITS)
  segmenter ??= new Intl.Segmenter()
  const start = segmenter.segment(context).containing(maxUnits - from)?.index ?? 0
  const cut = text.slice(0, start > 0 ? from + start : maxUnits)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** Appends to a text that `cutText` will cut in the end; drops what that doesn't need, so that it can be called very often. */
export function appendUncut(text: string, more: string, maxUnits: number): string {
  const capacity = maxUnits + LOOKAHEAD_UNITS - text.length
  return capacity <= 0 ? text : text + more.slice(0, capacity)
}
