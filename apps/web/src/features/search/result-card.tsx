import type { SearchResultJson } from '@mira/shared'
import { Clock, Sparkles } from 'lucide-react'
import type { MouseEvent } from 'react'
import { Link } from 'react-router-dom'
import { clock, useFormat } from '../../lib/format/format.ts'
import { type Highlights, highlightedParts } from '../../lib/format/inline-text.ts'
import { firstLines } from '../../lib/format/note-text.ts'
import { pageTextValues, useText } from '../../lib/i18n/i18n.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { MediaIcon } from '../../ui/media-icon.tsx'
import { TextThumbnail } from '../../ui/text-thumbnail.tsx'
import { VisuallyHidden } from '../../ui/visually-hidden.tsx'
import { HitThumbnail, OtherHits, whyFound } from './result-places.tsx'

/** An excerpt with its highlighted ranges. */
interface Excerpt {
  content: string
  highlights: Highlights
}

/** An excerpt that matched by file name, split into that name and the rest. */
interface NameHit {
  /** The file name; null when the excerpt doesn't begin with it. */
  name: Excerpt | null
  rest: Excerpt
}

const SEPARATOR = ' · '

/** Splits an excerpt that matched by file name, so that the name and words that only repeat it aren't shown twice. */
export function nameHit(excerpt: Excerpt, filename: string): NameHit {
  const { content } = excerpt
  if (content !== filename && !content.startsWith(`${filename}${SEPARATOR}`)) return { name: null, rest: excerpt }
  const words = content.slice(filename.length + SEPARATOR.length).split(SEPARATOR)[0] ?? ''
  const isRepeated = lettersOf(words) === lettersOf(filename.replace(/\.[^.]{1,5}$/, ''))
  const from = filename.length + SEPARATOR.length + (isRepeated ? words.length + SEPARATOR.length : 0)
  return { name: sliceExcerpt(excerpt, 0, filename.length), rest: sliceExcerpt(excerpt, from, content.length) }
}

function sliceExcerpt({ content, highlights }: Excerpt, from: number, to: number): Excerpt {
  const within = highlights.filter(([begin, end]) => begin >= from && end <= to)
  return {
    content: content.slice(from, to),
    highlights: within.map(([begin, end]) => [begin - from, end - from] as const),
  }
}

const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')

/** A result with its picture, relevance and reason, linked to its location. */
export function ResultCard({ result, others = [], fit, isFilterOnly = false, onOpen }: ResultCardProps) {
  const text = useText('memory')
  const format = useFormat()
  const percent = format.percent(result.similarity_score * 100, 0)
  const nameMatch: NameHit =
    result.found_in === 'name' ? nameHit(result, result.original_filename) : { name: null, rest: result }
  const snippet = nameMatch.rest.content
  // A caption that the snippet repeats is shown once.
  const caption = result.caption !== snippet ? result.caption : null
  const isText = result.media_type === 'document' && result.thumbnail === null
  const lines = isText ? firstLines(result.extracted_text, result.original_filename) : null
  const extracted = lines === null && result.extracted_text !== snippet ? result.extracted_text : null
  return (
    <Card
      flush
      className="relative flex h-full flex-col overflow-hidden transition-colors focus-within:border-focus hover:border-border-strong has-[a:focus-visible]:outline-2 has-[a:focus-visible]:outline-offset-2 has-[a:focus-visible]:outline-focus"
    >
      <Picture
        result={result}
        lines={lines}
        isRepeated={result.extracted_text === snippet}
        match={fit === 'listed' ? null : text('card.match', { percent })}
      />
      <div className="flex min-w-0 flex-1 flex-col gap-2 p-4">
        <div className="min-w-0">
          <h3 className="truncate text-14 font-semibold">
            <Link
              data-result
              to={result.url}
              title={result.original_filename}
              onClick={(event) => onOpen(event, result)}
              onAuxClick={(event) => event.button === 1 && onOpen(event, result)}
              className="outline-none after:absolute after:inset-0"
            >
              <HighlightedExcerpt excerpt={nameMatch.name ?? { content: result.original_filename, highlights: [] }} />
            </Link>
          </h3>
          <p className="mt-0.5 flex flex-wrap items-center gap-x-1.5 text-12 text-muted">
            <MediaIcon type={result.media_type} className="size-3.5" />
            {text(result.is_video_frame ? 'types.videoFrame' : `types.${result.media_type}`)}
          </p>
        </div>
        {fit !== 'listed' && <MatchReasons result={result} fit={fit} isFilterOnly={isFilterOnly} />}
        {snippet !== '' && (
          <p className="line-clamp-6 text-14">
            <HighlightedExcerpt excerpt={nameMatch.rest} />
          </p>
        )}
        <dl className="flex flex-col gap-1 text-13 text-muted empty:hidden">
          {caption && <Text name={text('card.caption')} value={caption} />}
          {extracted && <Text name={text('card.extractedText')} value={extracted} />}
        </dl>
        <OtherHits results={others} onOpen={onOpen} />
        <p className="mt-auto flex flex-wrap justify-between gap-x-3 pt-1 text-12 text-muted tabular-nums">
          <time dateTime={result.taken_local ?? result.timestamp}>{format.takenDay(result)}</time>
          {fit !== 'listed' && <span>{text('card.score', { percent })}</span>}
        </p>
      </div>
    </Card>
  )
}

function Picture({ result, lines, isRepeated, match }: PictureProps) {
  const text = useText('memory')
  const { thumbnail, media_type, duration, is_video_frame, frame_number, timestamp_seconds } = result
  const fallback =
    lines === null ? (
      <span className="grid size-full place-items-center text-muted">
        <MediaIcon type={media_type} className="size-9" />
      </span>
    ) : (
      <TextThumbnail
        lines={lines}
        name={isRepeated ? undefined : text('card.extractedText')}
        leavesTopFree={match !== null}
      />
    )
  return (
    <div
      className={classNames(
        'relative aspect-video w-full border-b border-border bg-surface-sunken',
        // Full-height icons would make a long column.
        thumbnail === null && lines === null && 'max-sm:aspect-auto max-sm:h-24',
      )}
    >
      <HitThumbnail result={result} hasBadge={match !== null} fallback={fallback} />
      <div className="absolute inset-x-2 top-2 flex flex-wrap justify-between gap-1.5">
        {match !== null && <PictureBadge>{match}</PictureBadge>}
        {is_video_frame && frame_number !== null && (
          <PictureBadge>{text('card.frame', { number: frame_number })}</PictureBadge>
        )}
      </div>
      <div className="absolute inset-x-2 bottom-2 flex flex-wrap justify-between gap-1.5">
        {timestamp_seconds !== null && (
          <PictureBadge name={text('card.at', { time: clock(timestamp_seconds) })}>
            <Clock aria-hidden className="size-3" />
            {clock(timestamp_seconds)}
          </PictureBadge>
        )}
        {duration !== null && (
          <PictureBadge name={text('card.duration', { time: clock(duration) })} isLast>
            {clock(duration)}
          </PictureBadge>
        )}
      </div>
    </div>
  )
}

/** Label on a picture, opaque so that it's readable on any picture. */
function PictureBadge({ name, isLast = false, children }: PictureBadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1 rounded-full border border-border-float bg-surface-overlay px-2 py-0.5 text-12 font-medium tabular-nums',
        isLast && 'ml-auto',
      )}
    >
      {name === undefined ? (
        children
      ) : (
        <>
          <VisuallyHidden>{name}</VisuallyHidden>
          <span aria-hidden className="inline-flex items-center gap-1">
            {children}
          </span>
        </>
      )}
    </span>
  )
}

function MatchReasons({ result, fit, isFilterOnly = false }: Pick<ResultCardProps, 'result' | 'fit' | 'isFilterOnly'>) {
  const text = useText('memory')
  const format = useFormat()
  const time = result.timestamp_seconds === null ? '' : clock(result.timestamp_seconds)
  return (
    <p className="flex flex-wrap gap-1.5">
      {(fit === 'best' || (fit === 'also' && result.matched === 'words')) && (
        <Badge tone={fit === 'best' ? 'success' : 'neutral'}>{text(`fit.${fit}`)}</Badge>
      )}
      <VisuallyHidden>{text('card.why')}: </VisuallyHidden>
      {whyFound(result, isFilterOnly).map((why) => {
        const isMadeByEngine = why === 'meaning' || why === 'looks' || why === 'looksAt'
        return (
          <Badge
            key={why}
            tone={isMadeByEngine ? 'ai' : 'accent'}
            icon={isMadeByEngine ? <Sparkles aria-hidden /> : undefined}
          >
            {text(`why.${why}`, {
              time,
              day: format.takenDay(result),
              ...pageTextValues(result.page ?? 1, result.page_kind, result.page_title),
            })}
          </Badge>
        )
      })}
    </p>
  )
}

/** An excerpt with its matches marked. */
function HighlightedExcerpt({ excerpt }: { excerpt: Excerpt }) {
  return highlightedParts(excerpt.content, excerpt.highlights).map(({ text, isMatch }, index) =>
    isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      <mark key={index} className="rounded-[0.25rem] bg-warning-soft font-medium text-text">
        {text}
      </mark>
    ) : (
      text
    ),
  )
}

function Text({ name, value }: { name: string; value: string }) {
  return (
    <div className="line-clamp-2">
      <dt className="inline font-medium text-text">{name}: </dt>
      <dd className="inline">{value}</dd>
    </div>
  )
}

type ResultCardProps = {
  result: SearchResultJson
  /** Further matches in the same item. */
  others?: readonly SearchResultJson[]
  /** True when the query is only a time or type. */
  isFilterOnly?: boolean
  /**
   * Rank among the results: the best, another that mentions the search words, or merely listed, without a percentage; null
   * for a possible result, and for a query that's only a time or type.
   */
  fit: 'best' | 'also' | 'listed' | null
  onOpen: (event: MouseEvent, result: SearchResultJson) => void
}
type PictureProps = {
  result: SearchResultJson
  /** First lines of a text without a picture. */
  lines: string | null
  /** True when the snippet repeats these lines. */
  isRepeated: boolean
  match: string | null
}
type PictureBadgeProps = {
  /** Accessible name, when the content says too little. */
  name?: string
  isLast?: boolean
  children: React.ReactNode
}
