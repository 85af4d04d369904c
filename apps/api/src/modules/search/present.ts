import { isMarkdownName, partsOf, plainMarkdown, type SearchResult } from '@mira/shared'
import type { ResultRow } from './memory.store.ts'
import { FOUND_PROBABILITY, isGuess, type SearchHit } from './search-hit.ts'
import { type Snippet, snippetOf } from './snippet.ts'
import { wordsOf } from './split-words.ts'

export interface PresentOptions {
  /** Phrases of the query that are looked for letter by letter. */
  phrases: string[]
  /** The words of the query, without its filters, which the page marks where it opens; none marks nothing. */
  typed: string
  /** Makes a path of the API one that a browser can load by itself. */
  sign(path: string): string
}

/** Signs paths of the API, so that a browser can load them without a header. */
export interface PathSigner {
  sign(userId: string, path: string): string
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
export function toldCertainties(hits: Pick<SearchHit, 'probability'>[]): number[] {
  const least = { found: 1, perhaps: 1 }
  return hits.map((hit) => {
    const certainty = certaintyOf(hit)
    least[certainty] = Math.min(least[certainty], hit.probability)
    return least[certainty]
  })
}

/** A hit as the API tells it. */
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

/** Kind and title of a page, unless it's one of a PDF. */
function pageWords(
  page: number | null,
  { contentType, pageTitle }: ResultRow,
): Pick<SearchResult, 'page_kind' | 'page_title'> {
  const kind = partsOf(contentType)
  if (page === null || kind === 'page') return {}
  return { page_kind: kind, ...(pageTitle === null ? {} : { page_title: pageTitle }) }
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
