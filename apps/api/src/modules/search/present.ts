import { isMarkdownName, partKindOf, plainMarkdown, type SearchResult } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { searchedForm } from '../../platform/lib/searched-form.ts'
import { FOUND_PROBABILITY, isGuess, type SearchHit } from './hits.ts'
import type { ResultRow } from './memory.store.ts'
import { phraseExpression } from './query-phrases.ts'
import { placedWordsOf, wordsOf } from './terms.ts'

export interface PresentOptions {
  /** Quoted phrases of the query. */
  phrases: string[]
  /** Words of the query without its filters, to be marked in the page that a result opens; empty to mark none. */
  typedText: string
  /** Signs a path of the API, so that a browser can load it without a header. */
  sign(path: string): string
}

const MAX_MARKED_CHARACTERS = 200

/** Certainty of a hit as the API names it. */
export function certaintyOf({ probability }: Pick<SearchHit, 'probability'>): 'found' | 'perhaps' {
  return probability >= FOUND_PROBABILITY ? 'found' : 'perhaps'
}

/**
 * Probabilities to display for hits, in their order. Each is at most that of the hit above with the same certainty: the order
 * depends on more than the probability, but a percentage that rises further down the list would contradict it.
 */
export function shownProbabilities(hits: Pick<SearchHit, 'probability'>[]): number[] {
  const lowest = { found: 1, perhaps: 1 }
  return hits.map((hit) => {
    const certainty = certaintyOf(hit)
    lowest[certainty] = Math.min(lowest[certainty], hit.probability)
    return lowest[certainty]
  })
}

/** A hit as the API returns it. */
export function presentResult(hit: SearchHit, row: ResultRow, options: PresentOptions): SearchResult {
  const { moment, matched, probability } = hit
  const { frameNumber, page, startSeconds } = moment
  return {
    id: moment.id,
    media_id: row.mediaId,
    media_type: row.mediaType,
    similarity_score: probability,
    matched,
    found_in: matched === 'looks' ? 'picture' : hit.foundIn,
    ...(hit.isNamed && { is_named: true }),
    ...(hit.isInDetails && { is_in_details: true }),
    ...(isGuess(hit) && { is_guess: true }),
    thumbnail: thumbnailOf(hit, row, options),
    caption: row.caption,
    extracted_text: row.extractedText || null,
    ...quoteOf(hit, row, options.phrases),
    timestamp: row.timestamp,
    taken_local: row.takenLocal,
    duration: row.durationSeconds,
    is_video_frame: row.mediaType === 'video' && frameNumber !== null,
    frame_number: frameNumber,
    timestamp_seconds: startSeconds,
    page,
    ...pageFields(page, row),
    box: moment.box,
    original_filename: row.originalFilename,
    url: urlOf(hit, options),
    certainty: certaintyOf(hit),
  }
}

/** Excerpt with the most matches. Markdown is shown without its markup, unless only the markup or a link matches. */
function quoteOf({ moment, matchedWords }: SearchHit, { originalFilename }: ResultRow, phrases: string[]): Snippet {
  const verbatim = snippetOf(moment.body, matchedWords, phrases)
  if (moment.kind !== 'text' || !isMarkdownName(originalFilename)) return verbatim
  const plain = snippetOf(plainMarkdown(moment.body), matchedWords, phrases)
  return verbatim.highlights.length > 0 && plain.highlights.length === 0 ? verbatim : plain
}

/** Kind of a page unless it's an ordinary one, and its title. For a page of a PDF, the title is the number printed on it, if different. */
function pageFields(
  page: number | null,
  { contentType, pageTitle }: ResultRow,
): Pick<SearchResult, 'page_kind' | 'page_title'> {
  const kind = partKindOf(contentType)
  if (page === null) return {}
  return { ...(kind === 'page' ? {} : { page_kind: kind }), ...(pageTitle === null ? {} : { page_title: pageTitle }) }
}

function thumbnailOf({ moment }: SearchHit, row: ResultRow, { sign }: PresentOptions): string | null {
  const path = `/api/media/${row.mediaId}`
  if (row.thumbnailPart !== null)
    return sign(`${path}/${moment.page === null ? 'frames' : 'pages'}/${row.thumbnailPart}`)
  return row.hasThumbnail ? sign(`${path}/thumbnail`) : null
}

/** Path of the web app that opens the item at the hit. */
function urlOf({ moment, matched, matchedWords }: SearchHit, { typedText }: PresentOptions): string {
  const parameters = new URLSearchParams()
  if (moment.startSeconds !== null) parameters.set('t', String(Math.round(moment.startSeconds * 100) / 100))
  if (moment.frameNumber !== null) parameters.set('frame', String(moment.frameNumber))
  if (moment.page !== null) parameters.set('page', String(moment.page))
  if (moment.box !== null) parameters.set('box', moment.box.map((side) => Number(side.toFixed(4))).join(','))
  if (matched === 'words' && typedText !== '') parameters.set('q', markedWords(typedText, matchedWords))
  const query = parameters.toString()
  return `/gallery/${moment.mediaId}${query === '' ? '' : `?${query}`}`
}

/** Words to mark: the typed ones, and matched ones that differ, such as the correct spelling of a misspelled word. */
function markedWords(typed: string, matched: Set<string>): string {
  const words = new Set(wordsOf(typed))
  return cutText([typed, ...[...matched].filter((word) => !words.has(word))].join(' '), MAX_MARKED_CHARACTERS)
}

/** A one-line excerpt with the ranges of its matches, in UTF-16 units, ends excluded. */
export interface Snippet {
  content: string
  highlights: [from: number, to: number][]
}

const SNIPPET_CHARACTERS = 240
/** Maximum length of a snippet that is extended to the end of a sentence or by another sentence. */
const MAX_SNIPPET_CHARACTERS = 480
/** Characters of context before the first match. */
const LEAD_CHARACTERS = 60
/** Boundary after which a sentence begins: the end of the sentence before, and white space. */
const SENTENCE_BEGIN = /[.!?…。！？]["'”’»)]*\s+|\n\s*/gu

/**
 * Excerpt of a text: the part with the most matches, and another sentence with matches that this part lacks.
 * @param words matched words, in lower case.
 */
export function snippetOf(text: string, words: Set<string>, phrases: string[]): Snippet {
  const marks = marksIn(text, words, phrases)
  const begins = [0, ...[...text.matchAll(SENTENCE_BEGIN)].map((match) => match.index + match[0].length)]
  const first = mainPart(text, marks, begins)
  const shownKeys = new Set(marks.filter(isWithin(first)).map(({ key }) => key))
  const other = otherSentence(text, marks, { first, shownKeys, begins })
  const parts = (other ? [first, other] : [first]).sort((one, next) => one.from - next.from)
  return writeSnippet(text, parts, marks)
}

interface Part {
  from: number
  to: number
}

const isWithin =
  ({ from, to }: Part) =>
  (mark: Part) =>
    mark.from >= from && mark.to <= to

/** Part with the most matches, up to the end of a sentence if that's near enough. */
function mainPart(text: string, marks: Mark[], begins: number[]): Part {
  const start = startOf(text, marks)
  const end = Math.min(text.length, start + SNIPPET_CHARACTERS)
  const last = marks.findLast(({ from, to }) => from >= start && to <= end)?.to ?? start
  const sentenceEnd = begins.find((begin) => begin >= last && begin > start) ?? text.length
  if (sentenceEnd > end && sentenceEnd <= start + MAX_SNIPPET_CHARACTERS) return { from: start, to: sentenceEnd }
  if (end === text.length) return { from: start, to: end }
  return {
    from: start,
    to: Math.max(text.lastIndexOf(' ', end), start + cutText(text.slice(start), SNIPPET_CHARACTERS / 2).length),
  }
}

/** Sentence with the most matches that the first part lacks; null when no sentence has any, or none fits. */
function otherSentence(
  text: string,
  marks: Mark[],
  { first, shownKeys, begins }: { first: Part; shownKeys: Set<string>; begins: number[] },
): Part | null {
  let [best, max]: [Part | null, number] = [null, 0]
  for (const [index, from] of begins.entries()) {
    const sentence = { from, to: begins[index + 1] ?? text.length }
    if (sentence.from < first.to && sentence.to > first.from) continue
    if (sentence.to - sentence.from + first.to - first.from > MAX_SNIPPET_CHARACTERS) continue
    const missing = new Set(marks.filter(isWithin(sentence)).flatMap(({ key }) => (shownKeys.has(key) ? [] : [key])))
    if (missing.size > max) [best, max] = [sentence, missing.size]
  }
  return best
}

/** Joins the parts in one line, with an ellipsis for omitted text. */
function writeSnippet(text: string, parts: Part[], marks: Mark[]): Snippet {
  let content = ''
  const highlights: [number, number][] = []
  const write = (piece: string) => {
    const line = piece.replace(/\s+/g, ' ')
    content += content === '' || content.endsWith(' ') ? line.trimStart() : line
  }
  for (const [index, part] of parts.entries()) {
    const isCut = part.from > (parts[index - 1]?.to ?? 0)
    if (isCut) write(index === 0 ? '…' : ' … ')
    let end = part.from
    for (const mark of marks.filter(isWithin(part))) {
      if (mark.from < end) continue
      write(text.slice(end, mark.from))
      const from = content.length
      write(text.slice(mark.from, mark.to))
      highlights.push([from, content.length])
      end = mark.to
    }
    write(text.slice(end, part.to))
  }
  content = content.trimEnd()
  if ((parts.at(-1)?.to ?? 0) < text.trimEnd().length) content += '…'
  return { content, highlights }
}

/** A place to mark in a text. `key` is the word or phrase that matched there. */
interface Mark extends Part {
  key: string
}

function marksIn(text: string, words: Set<string>, phrases: string[]): Mark[] {
  const marks: Mark[] = []
  if (phrases.length > 0) {
    const form = searchedForm(text, '')
    for (const phrase of phrases) {
      for (const { 0: match, index } of form.text.matchAll(phraseExpression(phrase)))
        marks.push({ ...form.originalRangeOf(index, index + match.length), key: phrase })
    }
  }
  if (words.size > 0) {
    for (const { word, from, to } of placedWordsOf(text)) if (words.has(word)) marks.push({ from, to, key: word })
  }
  marks.sort((a, b) => a.from - b.from || b.to - a.to)
  return mergeOverlaps(marks)
}

/** Merges overlapping marks. In scripts without spaces, the words are overlapping pairs of characters. */
function mergeOverlaps(marks: Mark[]): Mark[] {
  const merged: Mark[] = []
  for (const mark of marks) {
    const last = merged.at(-1)
    if (last && mark.from < last.to) last.to = Math.max(last.to, mark.to)
    else merged.push({ ...mark })
  }
  return merged
}

/** Start of the part with the most distinct matches. */
function startOf(text: string, marks: Mark[]): number {
  let [best, max] = [marks[0]?.from ?? 0, 0]
  for (const [index, mark] of marks.entries()) {
    const keys = new Set<string>()
    for (let next = index; next < marks.length; next++) {
      const other = marks[next]
      if (!other || other.to > mark.from + SNIPPET_CHARACTERS - LEAD_CHARACTERS) break
      keys.add(other.key)
    }
    if (keys.size > max) [best, max] = [mark.from, keys.size]
  }
  if (best <= LEAD_CHARACTERS || text.length <= SNIPPET_CHARACTERS) return 0
  const space = text.indexOf(' ', best - LEAD_CHARACTERS)
  return space === -1 || space >= best ? best : space + 1
}
