/** UTF-16 units on each side of the cut in which to find where a character begins; longer characters are cut between code points. */
const CONTEXT_UNITS = 32

/** Beginning of a text, at most `maxUnits` UTF-16 units long, that doesn't end within a character such as an emoji. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text
  const from = Math.max(0, maxUnits - CONTEXT_UNITS)
  const context = text.slice(from, maxUnits + CONTEXT_UNITS)
  const start = new Intl.Segmenter().segment(context).containing(maxUnits - from)?.index ?? 0
  const cut = text.slice(0, start > 0 ? from + start : maxUnits)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}
