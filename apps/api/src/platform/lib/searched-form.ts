// A text as its words are looked for: the same rules as in the function searched_form of the database.

/** Stands where a word goes on behind a break that may be part of it: each half is looked for, and both as one. */
export const SEAM = '\u001f'

/** Scripts that put no space between words. */
export const unspacedScripts =
  '\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF\\u3005-\\u3007\\u3040-\\u30FF\\u31F0-\\u31FF\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uAC00-\\uD7AF\\uF900-\\uFAFF\\u{20000}-\\u{3FFFF}'

const LETTER = '[\\p{L}\\p{M}]'
/** Blanks within a line, and what mails put before quoted lines. */
const BLANKS = '[ \\t\\r\\u00A0]*'
const LINE_BREAK = `${BLANKS}\\n${BLANKS}`
/** A hyphen at the end of a line, and the joiner that keeps the parts of an Arabic or Persian word apart. */
const SEAMS = `(?<=${LETTER})[-\\u00AD\\u2010\\u2011]${LINE_BREAK}(?:>${BLANKS})*(?=[\\p{L}\\p{N}])|(?<=[\\u0620-\\u06D3])\\u200C(?=[\\u0620-\\u06D3])`
/** Invisible characters: soft hyphens, joiners, marks of direction, what stretches Arabic words. */
const UNSEEN =
  '[\\u00AD\\u034F\\u061C\\u0640\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u2064\\u2066-\\u2069\\uFE00-\\uFE0F\\uFEFF]+'
/** Raised digits behind a word or a number belong to a footnote or a power, fractions stand behind their whole number. */
const RAISED = `(?:(?<=\\p{L}{4}|\\d)[\\u00B2\\u00B3\\u00B9\\u2070-\\u2079]|(?<=\\d)[\\u00BC-\\u00BE\\u2150-\\u215E])`
/** Characters that may be written in another way: those of one syllable, or one with its marks. */
const COMPATIBLE =
  '[\\uAC00-\\uD7A3]?[\\u1100-\\u11FF\\uA960-\\uA97F\\uD7B0-\\uD7FF\\uFFA0-\\uFFDC]+|[^\\p{ASCII}\\p{M}][\\p{M}\\uFF9E\\uFF9F]*|\\p{ASCII}?\\p{M}+'
const ALTERED = new RegExp(
  `(?<seam>${SEAMS})|(?<unseen>${UNSEEN}|(?<=[${unspacedScripts}])${LINE_BREAK}(?=[${unspacedScripts}]))|(?<raised>${RAISED})|${COMPATIBLE}`,
  'gu',
)
/** Alterations of texts in normal form; most have none, and looking for them is much faster. */
const ALTERED_IN_NORMAL_FORM = new RegExp(
  `[-\\u2010]${LINE_BREAK}|${UNSEEN}|(?<=[${unspacedScripts}])${LINE_BREAK}(?=[${unspacedScripts}])`,
  'u',
)

/** A stretch of a text that is looked for in another form. */
interface Alteration {
  /** Begin and end as it is written, and in its other form. */
  from: number
  to: number
  newFrom: number
  newTo: number
}

/** A text in the form in which its words are looked for. */
interface SearchedForm {
  /** In normal form, without what is not seen. */
  text: string
  /** Place of a stretch of this form in the text as it was written, in UTF-16 units. */
  placeOf(from: number, to: number): { from: number; to: number }
}

const asItIs = (from: number, to: number) => ({ from, to })

/**
 * A text as it is looked for, with the way back to how it is written, which is what is shown and cited.
 * @param joint stands where a word was broken; nothing does when it is empty.
 */
export function searchedForm(input: string, joint: typeof SEAM | '' = SEAM): SearchedForm {
  if (input.normalize('NFKC') === input && !ALTERED_IN_NORMAL_FORM.test(input)) return { text: input, placeOf: asItIs }
  const alterations: Alteration[] = []
  let text = ''
  let index = 0
  for (const match of input.matchAll(ALTERED)) {
    const [stretch] = match
    const { seam, unseen, raised } = match.groups ?? {}
    const form = seam ? joint : unseen ? '' : `${raised ? ' ' : ''}${stretch.normalize('NFKC')}`
    if (form === stretch) continue
    text += input.slice(index, match.index)
    const newFrom = text.length
    text += form
    index = match.index + stretch.length
    alterations.push({ from: match.index, to: index, newFrom, newTo: text.length })
  }
  if (alterations.length === 0) return { text: input, placeOf: asItIs }
  return { text: text + input.slice(index), placeOf: (from, to) => placeIn(alterations, from, to) }
}

/** A text in one piece as it is looked for: words that were broken are whole. */
export function wholeWords(text: string): string {
  return searchedForm(text, '').text
}

function placeIn(alterations: Alteration[], from: number, to: number): { from: number; to: number } {
  const [first, last] = [lastBefore(alterations, from, false), lastBefore(alterations, to, true)]
  return {
    from: first === undefined ? from : from < first.newTo ? first.from : first.to + (from - first.newTo),
    to: last === undefined ? to : to <= last.newTo ? last.to : last.to + (to - last.newTo),
  }
}

/** The last alteration that begins before a place of the new form, or, but for an end, at it. */
function lastBefore(alterations: Alteration[], place: number, isEnd: boolean): Alteration | undefined {
  let [low, high] = [0, alterations.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const { newFrom } = alterations[middle] as Alteration
    if (isEnd ? newFrom < place : newFrom <= place) low = middle + 1
    else high = middle
  }
  return alterations[low - 1]
}
