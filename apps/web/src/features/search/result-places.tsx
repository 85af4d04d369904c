import type { SearchResultJson } from '@mira/shared'
import { type MouseEvent, type ReactNode, useState } from 'react'
import { Link } from 'react-router-dom'
import { clock } from '../../lib/format/format.ts'
import { pageTextValues, useText } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { DocumentThumbnail } from '../../ui/document-thumbnail.tsx'

/** Reason for a result; each has a text under `why` with the result's time and page filled in. */
type Why =
  | 'saidAt'
  | 'said'
  | 'onScreenAt'
  | 'seenAt'
  | 'page'
  | 'inPicture'
  | 'inText'
  | 'caption'
  | 'name'
  | 'details'
  | 'looks'
  | 'looksAt'
  | 'meaning'
  | 'guess'
  | 'taken'
  | 'dated'

type Match = Pick<
  SearchResultJson,
  'matched' | 'found_in' | 'media_type' | 'timestamp_seconds' | 'page' | 'is_named' | 'is_in_details' | 'is_guess'
>

/**
 * Reasons for a result: first how it matched, unless by words, then where.
 * @param isFilterOnly true when the query is only a time or type.
 */
export function whyFound(result: Match, isFilterOnly = false): Why[] {
  if (isFilterOnly) return [result.media_type === 'image' || result.media_type === 'video' ? 'taken' : 'dated']
  if (result.matched === 'looks') return [result.timestamp_seconds === null ? 'looks' : 'looksAt']
  const where = whereFound(result)
  const how: Why[] = result.is_guess ? ['guess'] : result.matched === 'meaning' ? ['meaning'] : []
  const name: Why = result.is_in_details ? 'details' : 'name'
  return [...how, where, ...(result.is_named && where !== name ? [name] : [])]
}

function whereFound({ found_in, media_type, timestamp_seconds, page, is_in_details }: Match): Why {
  const hasTime = timestamp_seconds !== null
  if (found_in === 'name') return is_in_details ? 'details' : 'name'
  if (found_in === 'speech') return hasTime ? 'saidAt' : 'said'
  if (found_in === 'caption') return hasTime ? 'seenAt' : 'caption'
  if (found_in === 'picture') return hasTime ? 'looksAt' : 'looks'
  if (page !== null) return 'page'
  if (hasTime) return 'onScreenAt'
  return media_type === 'image' ? 'inPicture' : 'inText'
}

/** Further matches in an item, collapsed under its card. */
export function OtherHits({ results, onOpen }: OtherHitsProps) {
  const text = useText('memory')
  if (results.length === 0) return null
  return (
    // above the link that covers the card
    <details className="relative z-1 w-fit max-w-full text-13">
      <summary className="cursor-pointer rounded-control py-0.5 font-medium text-muted hover:text-text pointer-coarse:py-2">
        {text('card.others', { count: results.length })}
      </summary>
      <ul className="mt-1 flex flex-col gap-1.5">
        {results.map((result) => (
          <li key={result.id} className="min-w-0">
            <Link to={result.url} onClick={(event) => onOpen(event, result)} className="line-clamp-2 hover:underline">
              <span className="font-medium">
                {text(`why.${whyFound(result).find((why) => why !== 'meaning') ?? 'inText'}`, {
                  time: result.timestamp_seconds === null ? '' : clock(result.timestamp_seconds),
                  ...pageTextValues(result.page ?? 1, result.page_kind, result.page_title),
                })}
              </span>{' '}
              {result.content}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  )
}

type OtherHitsProps = {
  results: readonly SearchResultJson[]
  onOpen: (event: MouseEvent, result: SearchResultJson) => void
}

interface Size {
  width: number
  height: number
}

/**
 * `object-position` for a picture with `object-fit: cover` that puts a point as close to the centre as the picture's
 * edges allow.
 */
export function objectPositionFor([x, y]: [number, number], picture: Size, frame: Size): string {
  const scale = Math.max(frame.width / picture.width, frame.height / picture.height)
  return [
    alongOneAxis(x, frame.width / (picture.width * scale)),
    alongOneAxis(y, frame.height / (picture.height * scale)),
  ]
    .map((share) => `${Math.round(share * 100)}%`)
    .join(' ')
}

function alongOneAxis(point: number, visiblePart: number): number {
  // fully visible, apart from rounding errors
  if (!(visiblePart < 0.999)) return 0.5
  return Math.min(1, Math.max(0, (point - visiblePart / 2) / (1 - visiblePart)))
}

type Box = NonNullable<SearchResultJson['box']>

/** Picture of a result, positioned so that the match is visible; for a document, enlarged to the part with text. */
export function HitThumbnail({ result: { thumbnail, media_type, box }, hasBadge, fallback }: HitThumbnailProps) {
  const [isFailed, setIsFailed] = useState(false)
  const [position, setPosition] = useState<string>()
  if (thumbnail === null || isFailed) return fallback
  if (media_type === 'document') {
    return (
      <span className="absolute inset-0 bg-paper">
        <span className={classNames('absolute inset-0', hasBadge && 'top-8')}>
          <DocumentThumbnail src={thumbnail} fallback={fallback} onFailed={() => {}} />
        </span>
      </span>
    )
  }
  return (
    <img
      src={thumbnail}
      alt=""
      loading="lazy"
      decoding="async"
      draggable={false}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight, clientWidth, clientHeight } }) => {
        if (!box) return
        const picture = { width: naturalWidth, height: naturalHeight }
        setPosition(objectPositionFor(middleOf(box), picture, { width: clientWidth, height: clientHeight }))
      }}
      onError={() => setIsFailed(true)}
      className="absolute inset-0 size-full object-cover"
      style={{ objectPosition: position }}
    />
  )
}

const middleOf = ([x, y, width, height]: Box): [number, number] => [x + width / 2, y + height / 2]

type HitThumbnailProps = {
  result: Pick<SearchResultJson, 'thumbnail' | 'media_type' | 'box'>
  /** True when a badge covers the picture's upper edge. */
  hasBadge: boolean
  fallback: ReactNode
}
