import type { SearchResponseJson, SearchResultJson, UnderstoodQuery } from '@mira/shared'
import type { UseQueryResult } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { call } from '../../lib/api/client.ts'
import { useFormat } from '../../lib/format/format.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { useItemPeek } from '../../lib/session/navigation-state.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { InlineError } from '../../ui/inline-error.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { LoadingRegion, Skeleton, SkeletonText } from '../../ui/skeleton.tsx'
import { NothingFound } from './nothing-found.tsx'
import { ResultCard } from './result-card.tsx'
import { QueryChips } from './search-form.tsx'

/** An item with its best match and its other matches. */
interface FoundItem {
  result: SearchResultJson
  others: SearchResultJson[]
}

interface GroupedResults {
  /** Certain matches. */
  sure: FoundItem[]
  /** Possible matches. */
  perhaps: FoundItem[]
}

/** Minimum score of a possible result; one that scores lower only shares a word that most texts contain. */
const MIN_POSSIBLE_SCORE = 0.25
/** Maximum number of results by meaning or appearance that are shown whatever their score, as scores mean little in a small library. */
const MAX_SHOWN_ANYWAY = 5

/** Results grouped by item: certain ones, and possible ones (`perhaps`) without those whose score is too low. */
export function groupedResults({ results }: Pick<SearchResponseJson, 'results'>): GroupedResults {
  const sure = groupByItem(results.filter(({ certainty }) => certainty !== 'perhaps'))
  const shownIds = new Set(sure.map(({ result }) => result.media_id))
  const possible = results.filter(({ certainty }) => certainty === 'perhaps')
  const shownAnyway = new Set(possible.filter(({ matched }) => matched !== 'words').slice(0, MAX_SHOWN_ANYWAY))
  const perhaps = groupByItem(possible.filter((result) => isRelevant(result) || shownAnyway.has(result)))
  for (const { result, others } of perhaps.filter(({ result }) => shownIds.has(result.media_id))) {
    sure.find((one) => one.result.media_id === result.media_id)?.others.push(result, ...others)
  }
  return { sure, perhaps: perhaps.filter(({ result }) => !shownIds.has(result.media_id)) }
}

/** True for a result that's relevant enough to show; if the last result isn't, further results won't be either. */
export function isRelevant(result: SearchResultJson | undefined): boolean {
  return result !== undefined && (result.is_guess === true || result.similarity_score >= MIN_POSSIBLE_SCORE)
}

function groupByItem(results: SearchResultJson[]): FoundItem[] {
  const items = new Map<string, FoundItem>()
  for (const result of results) {
    const entry = items.get(result.media_id)
    if (entry) entry.others.push(result)
    else items.set(result.media_id, { result, others: [] })
  }
  return [...items.values()]
}

/** Lists words without matches and their replacements, with a button to search for them as typed. */
function Corrections({ corrections, onExact }: CorrectionsProps) {
  const text = useText('memory')
  const format = useFormat()
  const typedWords = [...new Set(corrections.map(({ from }) => from))]
  return (
    <Banner tone="info" className="mb-4">
      {typedWords.map((word) => {
        const replacements = corrections.flatMap(({ from, to }) =>
          from === word ? [text('corrections.word', { word: to })] : [],
        )
        return (
          <p key={word}>
            {text('corrections.nothing', { word: text('corrections.word', { word }) })}{' '}
            {text('corrections.showing', { words: format.list(replacements) })}
          </p>
        )
      })}
      <Button size="sm" className="mt-2" onClick={onExact}>
        {text('corrections.exact')}
      </Button>
    </Banner>
  )
}

type CorrectionsProps = {
  corrections: NonNullable<UnderstoodQuery['corrections']>
  onExact: () => void
}

/**
 * Index to focus after an arrow key, Home, End or Escape in a grid; `tops` are the top edges of its cells, in order.
 *
 * @returns -1 when the focus leaves the grid upwards, null when the key leads nowhere.
 */
export function nextByArrow(key: string, current: number, tops: readonly number[]): number | null {
  const last = tops.length - 1
  const rowOf = (index: number) => tops.indexOf(tops[index] ?? 0)
  const column = current - rowOf(current)
  if (key === 'ArrowRight') return current < last ? current + 1 : null
  if (key === 'ArrowLeft') return current > 0 ? current - 1 : null
  if (key === 'ArrowUp') {
    const above = rowOf(current) - 1
    return above < 0 ? -1 : Math.min(rowOf(above) + column, above)
  }
  if (key === 'ArrowDown') {
    const below = tops.lastIndexOf(tops[current] ?? 0) + 1
    // to the last cell of a shorter row
    return below > last ? null : Math.min(below + column, tops.lastIndexOf(tops[below] ?? 0))
  }
  if (key === 'Home') return current === 0 ? null : 0
  if (key === 'End') return current === last ? null : last
  if (key === 'Escape') return -1
  return null
}

/**
 * Selector of the elements that the arrow keys focus: visible results, and the toggle that reveals the possible ones. The first
 * match is the target of Down in the search box.
 */
export const RESULT_SELECTOR = 'a[data-result]:not(details:not([open]) *), summary[data-results]'

/** Results with the reason for each, or suggestions when there are none. */
export function SearchResults(props: SearchResultsProps) {
  const { query, literal, search, more, onExact, onLiteral, onWord, onLeaveUpwards } = props
  const text = useText('memory')
  const common = useText('app')
  const errorText = useErrorText()
  const lists = useRef<HTMLDivElement>(null)
  const { data, error, isFetching, isPlaceholderData } = search

  if (error !== null && (data === undefined || !isFetching)) {
    return (
      <Card className="mt-6">
        <InlineError
          text={text('results.failed', { reason: errorText(error) })}
          retryLabel={common('common.retry')}
          retrying={isFetching}
          onRetry={() => void search.refetch()}
        />
      </Card>
    )
  }
  if (data === undefined) return <ResultsSkeleton isFetching={isFetching} />

  const { sure, perhaps } = groupedResults(data)
  const { corrections = [], phrases = [], words = query } = data.understood ?? {}
  const isGuessed = sure.length === 0 && corrections.length > 0 && perhaps.length > 0
  // a time or type alone matches by neither words nor meaning
  const isFilterOnly = words === ''
  const handleKey = (event: KeyboardEvent<HTMLDivElement>) => {
    const links = [...(lists.current?.querySelectorAll<HTMLElement>(RESULT_SELECTOR) ?? [])]
    const current = links.indexOf(document.activeElement as HTMLElement)
    if (current < 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const next = nextByArrow(
      event.key,
      current,
      links.map((link) => (link.closest('li') ?? link).offsetTop),
    )
    if (next === null) return
    event.preventDefault()
    if (next < 0) onLeaveUpwards()
    else links[next]?.focus()
  }
  const cards = {
    searchId: data.search_id,
    isBusy: isPlaceholderData,
    isListing: data.is_listing ?? false,
    isFilterOnly,
  }
  return (
    <section aria-labelledby="results-title" className="mt-6">
      <div role="status" className="mb-3 flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <h2 id="results-title" className="text-16 font-semibold tracking-tight tabular-nums">
          {text('results.title', { count: sure.length })}
        </h2>
        <p className="min-w-0 text-14 break-words text-muted">{text('results.query', { query })}</p>
      </div>
      <QueryChips phrases={phrases} literal={literal} onLiteral={onLiteral} />
      {corrections.length > 0 && <Corrections corrections={corrections} onExact={onExact} />}
      {data.mode === 'words' && !data.is_listing && !isFilterOnly && data.results.length > 0 && (
        <Banner tone="info" className="mb-4">
          {modeText(data, text)}
        </Banner>
      )}
      {sure.length === 0 && !isGuessed && (
        <NothingFound query={query} words={words} isNear={perhaps.length > 0} onChoose={onWord} />
      )}
      {data.results.length > 0 && <p className="sr-only">{text('results.keys')}</p>}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles arrow keys of the links and summary in it */}
      <div ref={lists} onKeyDown={handleKey}>
        {sure.length > 0 && <Cards items={sure} hasBest={!isFilterOnly} {...cards} />}
        {isGuessed && <Cards items={perhaps} {...cards} />}
        {perhaps.length > 0 && !isGuessed && (
          <details key={query} className="group mt-5">
            <summary
              data-results
              className="flex w-fit cursor-pointer list-none items-center gap-1.5 rounded-control py-1.5 pr-2 font-medium text-muted hover:text-text pointer-coarse:py-3"
            >
              <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
              {text('results.perhaps', { count: perhaps.length })}
            </summary>
            <p className="mt-0.5 mb-3 text-14 text-muted">{text('results.perhapsText')}</p>
            <Cards items={perhaps} {...cards} />
          </details>
        )}
      </div>
      {(more || (isPlaceholderData && data.results.length > 0)) && (
        <LoadMore
          className="mt-6"
          label={text('results.more')}
          loading={isPlaceholderData && isFetching}
          onLoadMore={() => more?.()}
        />
      )}
    </section>
  )
}

function Cards({ items, searchId, isBusy, isListing, isFilterOnly, hasBest = false }: CardsProps) {
  const peek = useItemPeek()
  return (
    <ul aria-busy={isBusy || undefined} className="grid gap-3 sm:grid-cols-2 sm:gap-4 xl:grid-cols-3">
      {items.map(({ result, others }, index) => (
        <li key={result.id} className="min-w-0">
          <ResultCard
            result={result}
            others={others}
            isFilterOnly={isFilterOnly}
            fit={isListing ? 'listed' : !hasBest ? null : index === 0 ? 'best' : 'also'}
            onOpen={(event, { id, url }) => {
              peek(url)(event)
              call('POST /memory/opened', { json: { search_id: searchId, result_id: id } }).catch((reason: unknown) =>
                console.warn('Failed to record the opened result', reason),
              )
            }}
          />
        </li>
      ))}
    </ul>
  )
}

function modeText(
  { mode_reason, mode_reason_code }: SearchResponseJson,
  text: ReturnType<typeof useText<'memory'>>,
): string {
  if (mode_reason_code !== undefined) return text(`mode.${mode_reason_code}`)
  return mode_reason ?? text('mode.unknown')
}

function ResultsSkeleton({ isFetching }: { isFetching: boolean }) {
  const text = useText('memory')
  if (!isFetching) return null
  return (
    <LoadingRegion label={text('results.loading')} className="mt-6">
      <Skeleton className="mb-4 h-5 w-48" />
      <div className="grid gap-3 sm:grid-cols-2 sm:gap-4 xl:grid-cols-3">
        {['one', 'two', 'three'].map((name) => (
          <Card key={name} flush className="overflow-hidden">
            <Skeleton className="aspect-video w-full rounded-none" />
            <SkeletonText lines={3} className="p-4" />
          </Card>
        ))}
      </div>
    </LoadingRegion>
  )
}

type SearchResultsProps = {
  query: string
  /** Phrases searched as plain words although they name a time or type. */
  literal: readonly string[]
  /** Searches again with other literal phrases. */
  onLiteral: (literal: readonly string[]) => void
  /** Searches again without corrections. */
  onExact: () => void
  /** Searches for a part of the query. */
  onWord: (word: string) => void
  search: UseQueryResult<SearchResponseJson>
  /** Fetches more results; undefined when there are no more. */
  more?: () => void
  /** Called when an arrow leads above the first row. */
  onLeaveUpwards: () => void
}

type CardsProps = {
  items: FoundItem[]
  searchId: string
  isBusy: boolean
  /** True for a query of filters only: the newest matching items, unranked. */
  isListing: boolean
  /** True when the query is only a time or type. */
  isFilterOnly: boolean
  /** True when the first result is the best overall. */
  hasBest?: boolean
}
