import { useQuery } from '@tanstack/react-query'
import { History, Lightbulb } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { call } from '../../lib/api/client.ts'
import { useShortcut } from '../../lib/browser/keyboard.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { memoryKey } from '../../lib/loading/query-keys.ts'
import { useUser } from '../../lib/session/session.ts'
import { useSettings } from '../../lib/session/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SearchForm } from './search-form.tsx'
import {
  hasWholeDates,
  hasWrongDates,
  nextLimit,
  type RecentSearches as Recent,
  readSearch,
  type SearchState,
  timeRangeOf,
  useRecentSearches,
  withInitialLimit,
  writeSearch,
} from './search-params.ts'
import { isRelevant, RESULT_SELECTOR, SearchResults } from './search-results.tsx'

/** Recent searches in this browser; hidden when there are none. */
function RecentSearches({ recent, onChoose }: RecentSearchesProps) {
  const text = useText('memory')
  if (recent.queries.length === 0) return null
  return (
    <Card>
      <CardHeader
        title={text('recent.title')}
        description={text('recent.note')}
        actions={
          <Button variant="ghost" size="sm" onClick={recent.clear}>
            {text('recent.clear')}
          </Button>
        }
      />
      <ul className="flex flex-wrap gap-2">
        {recent.queries.map((query) => (
          <li key={query} className="max-w-full min-w-0">
            <button
              type="button"
              aria-label={text('recent.again', { query })}
              onClick={() => onChoose(query)}
              className="inline-flex h-8 max-w-full touch-target items-center gap-1.5 rounded-full border border-border-float bg-control px-3 text-13 shade-on-hover"
            >
              <History aria-hidden className="size-3.5 shrink-0 text-muted" />
              <span className="truncate">{query}</span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

type RecentSearchesProps = { recent: Recent; onChoose: (query: string) => void }

const tips = ['own', 'type', 'before', 'exact', 'tag'] as const

/** Search tips with examples that fill the search box. */
function SearchTips({ onChoose }: { onChoose: (query: string) => void }) {
  const text = useText('memory')
  return (
    <Card>
      <CardHeader
        title={
          <span className="inline-flex items-center gap-2">
            <Lightbulb aria-hidden className="size-4.5 text-muted" />
            {text('tips.title')}
          </span>
        }
      />
      <ul className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        {tips.map((tip) => {
          const query = text(`tips.examples.${tip}`)
          return (
            <li key={tip} className="flex min-w-0 flex-col items-start gap-1.5">
              <span className="text-14">{text(`tips.${tip}`)}</span>
              <button
                type="button"
                aria-label={text('tips.tryOut', { query })}
                onClick={() => onChoose(query)}
                className="max-w-full touch-target rounded-control border border-border-float bg-surface-sunken px-2.5 py-1 text-left font-mono text-13 break-words text-accent-text shade-on-hover"
              >
                {query}
              </button>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

/** Time for which results stay fresh, so that opening a result and coming back doesn't search again. */
const FRESH_MS = 5 * 60_000

/** Search page. */
export function MemoryPage() {
  const text = useText('memory')
  const user = useUser()
  const { timezone } = useSettings()
  const recent = useRecentSearches(user.id)
  const form = useRef<HTMLFormElement>(null)
  const [params, setParams] = useSearchParams()
  const searchQuery = readSearch(params)
  const [draft, setDraft] = useDraft(searchQuery)
  // An emptied search box shows the tips until the next search, or until the address changes.
  const address = writeSearch(searchQuery).toString()
  const [clearedAddress, setClearedAddress] = useState<string | null>(null)
  const showsTips = searchQuery.query === '' || clearedAddress === address

  const search = useQuery({
    queryKey: [...memoryKey, 'search', searchQuery, timezone],
    queryFn: ({ signal }) =>
      call('GET /media/search', {
        query: {
          query: searchQuery.query,
          limit: searchQuery.limit,
          include_frames: searchQuery.includesFrames,
          media_types: searchQuery.types,
          literal: searchQuery.literal,
          ...(searchQuery.isExact && { exact: true }),
          ...timeRangeOf(searchQuery, timezone),
        },
        signal,
      }),
    enabled: searchQuery.query !== '' && !hasWrongDates(searchQuery),
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Fetching more results keeps the current ones; another search starts empty.
    placeholderData: (previous, previousQuery) =>
      isSameSearch(previousQuery?.queryKey[2], searchQuery) ? previous : undefined,
  })

  const field = () => form.current?.elements.namedItem('query') as HTMLInputElement | null
  const submit = (next: SearchState) => {
    const query = next.query.trim()
    // Literal phrases and exact search apply only to the query for which they were chosen.
    const isSame = query === searchQuery.query
    const request = withInitialLimit({
      ...next,
      query,
      literal: isSame ? next.literal : [],
      isExact: isSame && next.isExact,
    })
    setDraft(request)
    setClearedAddress(null)
    if (request.query === '' || !hasWholeDates(request) || hasWrongDates(request)) return
    recent.remember(request.query)
    if (isSameSearch(request, searchQuery)) void search.refetch()
    else setParams(writeSearch(request))
  }
  /** Applies a filter immediately when results are shown. */
  const filter = (next: SearchState) => {
    if (searchQuery.query !== '' && next.query.trim() !== '') submit(next)
    else setDraft(next)
  }
  useShortcut({
    key: '/',
    label: text('shortcuts.focus'),
    group: text('shortcuts.group'),
    onPress: () => {
      field()?.focus()
      field()?.select()
    },
  })

  const more = nextLimit(searchQuery.limit)
  const hasMore =
    more !== null &&
    search.data !== undefined &&
    search.data.results.length >= searchQuery.limit &&
    isRelevant(search.data.results.at(-1))
  return (
    <>
      <PageHeader title={text('title')} subtitle={text('subtitle')} />
      <SearchForm
        form={form}
        search={draft}
        submittedQuery={showsTips ? '' : searchQuery.query}
        // While another query is typed, the button isn't busy with the results of the submitted one.
        isSearching={search.isFetching && draft.query.trim() === searchQuery.query}
        onQueryChange={(query) => {
          setDraft({ ...draft, query })
          if (query === '') setClearedAddress(address)
        }}
        onFilter={filter}
        onSubmit={() => submit(draft)}
        onLeaveDownwards={() => {
          const first = document.querySelector<HTMLElement>(RESULT_SELECTOR)
          first?.focus()
          return first !== null
        }}
      />
      {showsTips ? (
        <div className="mt-6 flex flex-col gap-6">
          <RecentSearches recent={recent} onChoose={(query) => submit({ ...draft, query })} />
          <SearchTips
            onChoose={(query) => {
              setDraft({ ...draft, query })
              field()?.focus()
            }}
          />
        </div>
      ) : (
        <SearchResults
          query={searchQuery.query}
          literal={searchQuery.literal}
          onWord={(word) => submit({ ...searchQuery, query: word })}
          onLiteral={(literal) => submit({ ...searchQuery, literal })}
          onExact={() => submit({ ...searchQuery, isExact: true })}
          search={search}
          more={hasMore ? () => setParams(writeSearch({ ...searchQuery, limit: more }), { replace: true }) : undefined}
          onLeaveUpwards={() => field()?.focus()}
        />
      )}
    </>
  )
}

/** State of the form; follows the address when that changes, such as by going back or following a link. */
function useDraft(search: SearchState): [SearchState, (draft: SearchState) => void] {
  const [draft, setDraft] = useState(search)
  // fetching more results of the same search doesn't reset the form
  const address = writeSearch(withInitialLimit(search)).toString()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address represents the search
  useEffect(() => setDraft(search), [address])
  // If "Back" is pressed before a pushed address is rendered, the rendered address never changes and the effect above doesn't run.
  useEffect(() => {
    const resetToAddress = () => setDraft(readSearch(new URLSearchParams(window.location.search)))
    window.addEventListener('popstate', resetToAddress)
    return () => window.removeEventListener('popstate', resetToAddress)
  }, [])
  return [draft, setDraft]
}

/** True for the same search, ignoring the number of results. */
function isSameSearch(one: unknown, other: SearchState): boolean {
  return (
    typeof one === 'object' &&
    one !== null &&
    writeSearch(withInitialLimit(one as SearchState)).toString() === writeSearch(withInitialLimit(other)).toString()
  )
}
