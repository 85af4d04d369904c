import type { SearchResult } from '@mira/shared'
import { snippetOf } from './matching.ts'
import type { ResultRow } from './memory.store.ts'
import type { FoundPlace } from './ranking.ts'
import type { Term } from './terms.ts'

export interface PresentOptions {
  terms: Term[]
  /** The words of the query, without its filters. */
  typed: string
  /** Makes a path of the API one that a browser can load by itself. */
  sign(path: string): string
}

const LONGEST_MARKED = 200

/** A place that was found as the API tells it. */
export function presentResult(place: FoundPlace, row: ResultRow, options: PresentOptions): SearchResult {
  const { moment, matched, score, matchedWords } = place
  const { frameNumber, page, startSeconds } = moment
  return {
    id: moment.id,
    media_id: row.mediaId,
    media_type: row.mediaType,
    similarity_score: score,
    matched,
    found_in: matched === 'looks' ? 'picture' : moment.kind,
    thumbnail: thumbnailOf(place, row, options),
    caption: row.caption,
    extracted_text: row.extractedText || null,
    content: snippetOf(moment.body, matchedWords, options.terms),
    timestamp: row.timestamp,
    duration: row.durationSeconds,
    is_video_frame: row.mediaType === 'video' && frameNumber !== null,
    frame_number: frameNumber,
    timestamp_seconds: startSeconds,
    page,
    box: moment.box,
    original_filename: row.originalFilename,
    url: addressOf(place, options.typed),
  }
}

function thumbnailOf({ moment }: FoundPlace, row: ResultRow, { sign }: PresentOptions): string | null {
  const path = `/api/media/${row.mediaId}`
  if (row.thumbnailPart !== null)
    return sign(`${path}/${moment.page === null ? 'frames' : 'pages'}/${row.thumbnailPart}`)
  return row.hasThumbnail ? sign(`${path}/thumbnail`) : null
}

/** Where the web app opens the item at the place. */
function addressOf({ moment, matched }: FoundPlace, typed: string): string {
  const place = new URLSearchParams()
  if (moment.startSeconds !== null) place.set('t', String(Math.round(moment.startSeconds * 100) / 100))
  if (moment.frameNumber !== null) place.set('frame', String(moment.frameNumber))
  if (moment.page !== null) place.set('page', String(moment.page))
  if (moment.box !== null) place.set('box', moment.box.map((side) => Number(side.toFixed(4))).join(','))
  if (matched === 'words' && typed !== '') place.set('q', typed.slice(0, LONGEST_MARKED))
  const query = place.toString()
  return `/gallery/${moment.mediaId}${query === '' ? '' : `?${query}`}`
}
