import { searchedForm } from '../../lib/searched-form.ts'
import { phraseExpression } from './quoted-phrases.ts'
import { placedWordsOf } from './split-words.ts'

/** Matched words of a snippet stand between these. */
export const [MARK, UNMARK] = ['\u0002', '\u0003']
const SNIPPET_CHARACTERS = 240
/** What stands before the first matched word. */
const LEAD_CHARACTERS = 60

/**
 * The part of a text where most of what was looked for stands, in one line, with the words marked.
 * @param words that matched, in lower case.
 */
export function snippetOf(body: string, words: Set<string>, phrases: string[]): string {
  const text = body.replaceAll(MARK, '').replaceAll(UNMARK, '')
  const marks = marksIn(text, words, phrases)
  const start = startOf(text, marks)
  let end = Math.min(text.length, start + SNIPPET_CHARACTERS)
  if (end < text.length) end = Math.max(text.lastIndexOf(' ', end), start + SNIPPET_CHARACTERS / 2)
  let snippet = start > 0 ? '…' : ''
  let at = start
  for (const mark of marks) {
    if (mark.from < at || mark.to > end) continue
    snippet += `${text.slice(at, mark.from)}${MARK}${text.slice(mark.from, mark.to)}${UNMARK}`
    at = mark.to
  }
  snippet += text.slice(at, end) + (end < text.length ? '…' : '')
  return snippet.replace(/\s+/g, ' ').trim()
}

interface Stretch {
  from: number
  to: number
  key: string
}

function marksIn(text: string, words: Set<string>, phrases: string[]): Stretch[] {
  const marks: Stretch[] = []
  if (phrases.length > 0) {
    const whole = searchedForm(text, '')
    for (const phrase of phrases) {
      for (const { 0: found, index } of whole.text.matchAll(phraseExpression(phrase)))
        marks.push({ ...whole.placeOf(index, index + found.length), key: phrase })
    }
  }
  if (words.size > 0) {
    for (const { word, from, to } of placedWordsOf(text)) if (words.has(word)) marks.push({ from, to, key: word })
  }
  marks.sort((a, b) => a.from - b.from || b.to - a.to)
  return joinedPairs(marks)
}

/** Pairs of characters overlap: what is marked of them is one stretch. */
function joinedPairs(marks: Stretch[]): Stretch[] {
  const joined: Stretch[] = []
  for (const mark of marks) {
    const last = joined.at(-1)
    if (last && mark.from < last.to) last.to = Math.max(last.to, mark.to)
    else joined.push({ ...mark })
  }
  return joined
}

/** Where the stretch begins that holds the most different marked words. */
function startOf(text: string, marks: Stretch[]): number {
  let [best, most] = [marks[0]?.from ?? 0, 0]
  for (const [at, mark] of marks.entries()) {
    const held = new Set<string>()
    for (let next = at; next < marks.length; next++) {
      const other = marks[next]
      if (!other || other.to > mark.from + SNIPPET_CHARACTERS - LEAD_CHARACTERS) break
      held.add(other.key)
    }
    if (held.size > most) [best, most] = [mark.from, held.size]
  }
  if (best <= LEAD_CHARACTERS || text.length <= SNIPPET_CHARACTERS) return 0
  const space = text.indexOf(' ', best - LEAD_CHARACTERS)
  return space === -1 || space >= best ? best : space + 1
}
