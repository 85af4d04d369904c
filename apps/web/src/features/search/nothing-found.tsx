import { useQueries, useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { Link } from 'react-router-dom'
import { call } from '../../lib/api/client.ts'
import { fetchLibrary } from '../../lib/api/library.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { memoryKey } from '../../lib/loading/query-keys.ts'
import { paths } from '../../lib/session/paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

const MAX_WORDS = 5
const MIN_LETTERS = 3

/** Words of a query that can be searched separately; empty if the query has only one word. */
function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu) ?? []
  const longWords = [...new Set(words)].filter((word) => word.length >= MIN_LETTERS)
  return words.length < 2 ? [] : longWords.slice(0, MAX_WORDS)
}

/** The rest of a query without its words: its times, types and filters; empty when there are none. */
function withoutWords(query: string, words: string): string {
  const queryWords = new Set(words.toLowerCase().split(/\s+/))
  const rest = query.split(/\s+/).filter((part) => !queryWords.has(part.toLowerCase()))
  return rest.length < query.split(/\s+/).length ? rest.join(' ') : ''
}

/** For a query without results: number of items per word, and buttons to search for one word, or for the rest of the query. */
export function QueryParts({ query, words, onChoose }: QueryPartsProps) {
  const text = useText('memory')
  const rest = withoutWords(query, words)
  const counts = useQueries({
    queries: wordsOf(words).map((word) => ({
      queryKey: [...memoryKey, 'word', word],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        fetchLibrary({ query: word, limit: 1, cursor: null }, signal).then(({ total }) => ({ word, total })),
      staleTime: 60_000,
    })),
  })
  const matches = counts.flatMap(({ data }) => (data !== undefined && data.total > 0 ? [data] : []))
  if (matches.length === 0 && rest === '') return null
  return (
    <div className="mt-4 flex flex-wrap items-center justify-center gap-2">
      {matches.length > 0 && <p className="text-14 text-muted">{text('results.alone')}</p>}
      {matches.map(({ word, total }) => (
        <Button key={word} size="sm" onClick={() => onChoose(word)}>
          {text('results.word', { word, count: total })}
        </Button>
      ))}
      {rest !== '' && (
        <Button size="sm" onClick={() => onChoose(rest)}>
          {text('results.rest', { query: rest })}
        </Button>
      )}
    </div>
  )
}

type QueryPartsProps = {
  query: string
  /** Words of the query, without times, types and filters. */
  words: string
  /** Searches for a part of the query: one of the words, or the query without its words. */
  onChoose: (word: string) => void
}

/** Advice after a search without results; for an empty library, to add files. */
export function NothingFound({ query, words, isNear, onChoose }: NothingFoundProps) {
  const text = useText('memory')
  const { data: stats } = useQuery({
    queryKey: ['media', 'stats'],
    queryFn: ({ signal }) => call('GET /media/stats', { signal }),
  })
  const isLibraryEmpty = stats?.total_items === 0
  return (
    <Card>
      <EmptyState
        icon={<SearchX />}
        level={3}
        title={text('results.emptyTitle')}
        text={
          <>
            {text('results.emptyText')}
            {isLibraryEmpty && <span className="block">{text('empty.title')}</span>}
            {!isLibraryEmpty && !isNear && <span className="block">{text('results.nothingNear')}</span>}
          </>
        }
        action={
          isLibraryEmpty && (
            <Link to={paths.upload} className={buttonClass({ variant: 'primary' })}>
              {text('empty.add')}
            </Link>
          )
        }
      />
      <QueryParts query={query} words={words} onChoose={onChoose} />
    </Card>
  )
}

type NothingFoundProps = {
  query: string
  /** Words of the query, without times, types and filters. */
  words: string
  /** True when near results are shown. */
  isNear: boolean
  /** Searches for a part of the query. */
  onChoose: (query: string) => void
}
