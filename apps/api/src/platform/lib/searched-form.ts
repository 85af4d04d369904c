// Normalises text for search, with the same rules as the database function searched_form.

/** Marks a possible hyphenation in a word: each half is searchable, and both as one word. */
export const SEAM = '\u001f'

/** Scripts without spaces between words. */
export const unspacedScripts =
  '\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF\\u3005-\\u3007\\u3040-\\u30FF\\u31F0-\\u31FF\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uAC00-\\uD7AF\\uF900-\\uFAFF\\u{20000}-\\u{3FFFF}'

const LETTER = '[\\p{L}\\p{M}]'
/** Whitespace within a line. */
const BLANKS = '[ \\t\\r\\u00A0]*'
const LINE_BREAK = `${BLANKS}\\n${BLANKS}`
/** A hyphen at the end of a line, also of one quoted in a mail (`>`), and the zero-width non-joiner within Arabic or Persian words. */
const SEAMS = `(?<=${LETTER})[-\\u00AD\\u2010\\u2011]${LINE_BREAK}(?:>${BLANKS})*(?=[\\p{L}\\p{N}])|(?<=[\\u0620-\\u06D3])\\u200C(?=[\\u0620-\\u06D3])`
/** Invisible characters: soft hyphens, joiners, direction marks, Arabic tatweel. */
const INVISIBLE =
  '[\\u00AD\\u034F\\u061C\\u0640\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u2064\\u2066-\\u2069\\uFE00-\\uFE0F\\uFEFF]+'
/** Superscript digits after a word or number, of a footnote or power, and fractions after their whole number. */
const RAISED = `(?:(?<=\\p{L}{4}|\\d)[\\u00B2\\u00B3\\u00B9\\u2070-\\u2079]|(?<=\\d)[\\u00BC-\\u00BE\\u2150-\\u215E])`
/** Characters that NFKC may change: Hangul syllables, or a character with its combining marks. */
const COMPATIBLE =
  '[\\uAC00-\\uD7A3]?[\\u1100-\\u11FF\\uA960-\\uA97F\\uD7B0-\\uD7FF\\uFFA0-\\uFFDC]+|[^\\p{ASCII}\\p{M}][\\p{M}\\uFF9E\\uFF9F]*|\\p{ASCII}?\\p{M}+'
const ALTERED = new RegExp(
  `(?<seam>${SEAMS})|(?<invisible>${INVISIBLE}|(?<=[${unspacedScripts}])${LINE_BREAK}(?=[${unspacedScripts}]))|(?<raised>${RAISED})|${COMPATIBLE}`,
  'gu',
)
/** Characters that have to be altered even in a text in NFKC. Most texts have none, and this test is much faster than `ALTERED`. */
const ALTERED_IN_NORMAL_FORM = new RegExp(
  `[-\\u2010]${LINE_BREAK}|${INVISIBLE}|(?<=[${unspacedScripts}])${LINE_BREAK}(?=[${unspacedScripts}])`,
  'u',
)

/** A changed range of a text. */
interface TextChange {
  /** Start and end in the original, and in the normalised text. */
  from: number
  to: number
  newFrom: number
  newTo: number
}

/** A text normalised for search. */
interface SearchedForm {
  /** In NFKC, without invisible characters. */
  text: string
  /** Maps a range of the normalised text to the original, in UTF-16 units. */
  originalRangeOf(from: number, to: number): { from: number; to: number }
}

const unchanged = (from: number, to: number) => ({ from, to })

/**
 * Normalises a text for search, with a mapping back to the original, which is shown and cited.
 * @param joint replaces a break within a word; '' joins its halves.
 */
export function searchedForm(input: string, joint: typeof SEAM | '' = SEAM): SearchedForm {
  if (input.normalize('NFKC') === input && !ALTERED_IN_NORMAL_FORM.test(input))
    return { text: input, originalRangeOf: unchanged }
  const changes: TextChange[] = []
  let text = ''
  let index = 0
  for (const match of input.matchAll(ALTERED)) {
    const [stretch] = match
    const { seam, invisible, raised } = match.groups ?? {}
    const form = seam ? joint : invisible ? '' : `${raised ? ' ' : ''}${stretch.normalize('NFKC')}`
    if (form === stretch) continue
    text += input.slice(index, match.index)
    const newFrom = text.length
    text += form
    index = match.index + stretch.length
    changes.push({ from: match.index, to: index, newFrom, newTo: text.length })
  }
  if (changes.length === 0) return { text: input, originalRangeOf: unchanged }
  return { text: text + input.slice(index), originalRangeOf: (from, to) => rangeIn(changes, from, to) }
}

/** A text normalised for search, with broken words joined. */
export function wholeWords(text: string): string {
  return searchedForm(text, '').text
}

function rangeIn(changes: TextChange[], from: number, to: number): { from: number; to: number } {
  const [first, last] = [lastBefore(changes, from, false), lastBefore(changes, to, true)]
  return {
    from: first === undefined ? from : from < first.newTo ? first.from : first.to + (from - first.newTo),
    to: last === undefined ? to : to <= last.newTo ? last.to : last.to + (to - last.newTo),
  }
}

/** The last change that starts before a position of the normalised text, or exactly at it unless the position ends a range. */
function lastBefore(changes: TextChange[], position: number, isEnd: boolean): TextChange | undefined {
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const { newFrom } = changes[middle] as TextChange
    if (isEnd ? newFrom < position : newFrom <= position) low = middle + 1
    else high = middle
  }
  return changes[low - 1]
}
