import { isMarkdownName, partsOf, plainMarkdown, type SearchResult } from '@mira/shared'
import { searchedForm } from '../../platform/lib/searched-form.ts'
import { FOUND_PROBABILITY, isGuess, type SearchHit } from './hits.ts'
import type { ResultRow } from './memory.store.ts'
import { phraseExpression } from './query-phrases.ts'
import { placedWordsOf, wordsOf } from './terms.ts'

export interface PresentOptions {
  /** Phrases of the query that are looked for letter by letter. */
  phrases: string[]
  /** Words of the query without its filters, marked in the opened page; none when empty. */
  typed: string
  /** Signs a path of the API, so that a browser can load it without a header. */
  sign(path: string): string
}

const LONGEST_MARKED = 200

/** Wording of a hit's certainty: found, or perhaps meant. */
export function certaintyOf({ probability }: Pick<SearchHit, 'probability'>): 'found' | 'perhaps' {
  return probability >= FOUND_PROBABILITY ? 'found' : 'perhaps'
}

/**
 * Displayed certainties of hits, best first: within each wording none exceeds the one above it. The order knows more
 * than a hit's own certainty, and a percentage that rises on the way down would contradict it.
 */
export function shownCertainties(hits: Pick<SearchHit, 'probability'>[]): number[] {
  const least = { found: 1, perhaps: 1 }
  return hits.map((hit) => {
    const certainty = certaintyOf(hit)
    least[certainty] = Math.min(least[certainty], hit.probability)
    return least[certainty]
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
    ...pageWords(page, row),
    box: moment.box,
    original_filename: row.originalFilename,
    url: addressOf(hit, options),
    certainty: certaintyOf(hit),
  }
}

/**
 * Excerpt with most of the matches. Markdown is quoted without its marks, unless only the marks or an address match.
 */
function quoteOf({ moment, matchedWords }: SearchHit, { originalFilename }: ResultRow, phrases: string[]): Snippet {
  const asItIs = snippetOf(moment.body, matchedWords, phrases)
  if (moment.kind !== 'text' || !isMarkdownName(originalFilename)) return asItIs
  const plain = snippetOf(plainMarkdown(moment.body), matchedWords, phrases)
  return asItIs.highlights.length > 0 && plain.highlights.length === 0 ? asItIs : plain
}

/** Kind and title of a page; a PDF's pages have a title only where another number is printed on them. */
function pageWords(
  page: number | null,
  { contentType, pageTitle }: ResultRow,
): Pick<SearchResult, 'page_kind' | 'page_title'> {
  const kind = partsOf(contentType)
  if (page === null) return {}
  return { ...(kind === 'page' ? {} : { page_kind: kind }), ...(pageTitle === null ? {} : { page_title: pageTitle }) }
}

function thumbnailOf({ moment }: SearchHit, row: ResultRow, { sign }: PresentOptions): string | null {
  const path = `/api/media/${row.mediaId}`
  if (row.thumbnailPart !== null)
    return sign(`${path}/${moment.page === null ? 'frames' : 'pages'}/${row.thumbnailPart}`)
  return row.hasThumbnail ? sign(`${path}/thumbnail`) : null
}

/** Address of the item in the web app, at the hit. */
function addressOf({ moment, matched, matchedWords }: SearchHit, { typed }: PresentOptions): string {
  const parameters = new URLSearchParams()
  if (moment.startSeconds !== null) parameters.set('t', String(Math.round(moment.startSeconds * 100) / 100))
  if (moment.frameNumber !== null) parameters.set('frame', String(moment.frameNumber))
  if (moment.page !== null) parameters.set('page', String(moment.page))
  if (moment.box !== null) parameters.set('box', moment.box.map((side) => Number(side.toFixed(4))).join(','))
  if (matched === 'words' && typed !== '') parameters.set('q', markedWords(typed, matchedWords))
  const query = parameters.toString()
  return `/gallery/${moment.mediaId}${query === '' ? '' : `?${query}`}`
}

/** The typed words, and matches that differ from them: a misspelled word, or a month's name. */
function markedWords(typed: string, matched: Set<string>): string {
  const words = new Set(wordsOf(typed))
  return [typed, ...[...matched].filter((word) => !words.has(word))].join(' ').slice(0, LONGEST_MARKED)
}

/** An excerpt in one line with the ranges of its matches, in UTF-16 units, ends excluded. */
export interface Snippet {
  content: string
  highlights: [from: number, to: number][]
}

const SNIPPET_CHARACTERS = 240
/** Sentences with matches aren't cut before this. */
const LONGEST_CHARACTERS = 480
/** Context before the first matched word. */
const LEAD_CHARACTERS = 60
/** Gaps between sentences. */
const SENTENCE_BEGIN = /[.!?…。！？]["'”’»)]*\s+|\n\s*/gu

/**
 * The part of a text with most of the matches, in whole sentences, and another sentence with matches that this part lacks.
 * @param words that matched, in lower case.
 */
export function snippetOf(text: string, words: Set<string>, phrases: string[]): Snippet {
  const marks = marksIn(text, words, phrases)
  const begins = [0, ...[...text.matchAll(SENTENCE_BEGIN)].map((match) => match.index + match[0].length)]
  const first = stretchAround(text, marks, begins)
  const shownKeys = new Set(marks.filter(isWithin(first)).map(({ key }) => key))
  const other = otherSentence(text, marks, { first, shownKeys, begins })
  const stretches = (other ? [first, other] : [first]).sort((one, next) => one.from - next.from)
  return writeSnippet(text, stretches, marks)
}

interface Part {
  from: number
  to: number
}

const isWithin =
  ({ from, to }: Part) =>
  (mark: Part) =>
    mark.from >= from && mark.to <= to

/** The stretch with most of the words, up to the end of its sentence. */
function stretchAround(text: string, marks: Stretch[], begins: number[]): Part {
  const start = startOf(text, marks)
  const least = Math.min(text.length, start + SNIPPET_CHARACTERS)
  const last = marks.findLast(({ from, to }) => from >= start && to <= least)?.to ?? start
  const sentenceEnd = begins.find((begin) => begin >= last && begin > start) ?? text.length
  if (sentenceEnd > least && sentenceEnd <= start + LONGEST_CHARACTERS) return { from: start, to: sentenceEnd }
  if (least === text.length) return { from: start, to: least }
  return { from: start, to: Math.max(text.lastIndexOf(' ', least), start + SNIPPET_CHARACTERS / 2) }
}

/** The first sentence elsewhere with most of the missing words; null when there is none, or no room. */
function otherSentence(
  text: string,
  marks: Stretch[],
  { first, shownKeys, begins }: { first: Part; shownKeys: Set<string>; begins: number[] },
): Part | null {
  let [best, max]: [Part | null, number] = [null, 0]
  for (const [index, from] of begins.entries()) {
    const sentence = { from, to: begins[index + 1] ?? text.length }
    if (sentence.from < first.to && sentence.to > first.from) continue
    if (sentence.to - sentence.from + first.to - first.from > LONGEST_CHARACTERS) continue
    const missing = new Set(marks.filter(isWithin(sentence)).flatMap(({ key }) => (shownKeys.has(key) ? [] : [key])))
    if (missing.size > max) [best, max] = [sentence, missing.size]
  }
  return best
}

/** The stretches in one line, with an ellipsis for omitted text. */
function writeSnippet(text: string, stretches: Part[], marks: Stretch[]): Snippet {
  let content = ''
  const highlights: [number, number][] = []
  const write = (piece: string) => {
    const line = piece.replace(/\s+/g, ' ')
    content += content === '' || content.endsWith(' ') ? line.trimStart() : line
  }
  for (const [place, stretch] of stretches.entries()) {
    const isCut = stretch.from > (stretches[place - 1]?.to ?? 0)
    if (isCut) write(place === 0 ? '…' : ' … ')
    let at = stretch.from
    for (const mark of marks.filter(isWithin(stretch))) {
      if (mark.from < at) continue
      write(text.slice(at, mark.from))
      const from = content.length
      write(text.slice(mark.from, mark.to))
      highlights.push([from, content.length])
      at = mark.to
    }
    write(text.slice(at, stretch.to))
  }
  content = content.trimEnd()
  if ((stretches.at(-1)?.to ?? 0) < text.trimEnd().length) content += '…'
  return { content, highlights }
}

interface Stretch extends Part {
  key: string
}

function marksIn(text: string, words: Set<string>, phrases: string[]): Stretch[] {
  const marks: Stretch[] = []
  if (phrases.length > 0) {
    const whole = searchedForm(text, '')
    for (const phrase of phrases) {
      for (const { 0: match, index } of whole.text.matchAll(phraseExpression(phrase)))
        marks.push({ ...whole.placeOf(index, index + match.length), key: phrase })
    }
  }
  if (words.size > 0) {
    for (const { word, from, to } of placedWordsOf(text)) if (words.has(word)) marks.push({ from, to, key: word })
  }
  marks.sort((a, b) => a.from - b.from || b.to - a.to)
  return joinedPairs(marks)
}

/** Joins overlapping marks: pairs of characters overlap. */
function joinedPairs(marks: Stretch[]): Stretch[] {
  const joined: Stretch[] = []
  for (const mark of marks) {
    const last = joined.at(-1)
    if (last && mark.from < last.to) last.to = Math.max(last.to, mark.to)
    else joined.push({ ...mark })
  }
  return joined
}

/** Start of the stretch with the most different marked words. */
function startOf(text: string, marks: Stretch[]): number {
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
