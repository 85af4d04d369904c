import { useQueries } from '@tanstack/react-query'
import { fetchLibrary } from '../../api/media.ts'
import { useText } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'

const MOST_WORDS = 5
const LEAST_LETTERS = 3

/** The words of a query that can be looked for alone: none where it has only one. */
function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu) ?? []
  const long = [...new Set(words)].filter((word) => word.length >= LEAST_LETTERS)
  return words.length < 2 ? [] : long.slice(0, MOST_WORDS)
}

/** In how many items each word of a query stands that found nothing, and a way to search for it alone. */
export function WordsAlone({ query, onChoose }: WordsAloneProps) {
  const text = useText('memory')
  const words = wordsOf(query)
  const counts = useQueries({
    queries: words.map((word) => ({
      queryKey: ['memory', 'word', word],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        fetchLibrary({ query: word, limit: 1, cursor: null }, signal).then(({ total }) => ({ word, total })),
      staleTime: 60_000,
    })),
  })
  const found = counts.flatMap(({ data }) => (data !== undefined && data.total > 0 ? [data] : []))
  if (found.length === 0) return null
  return (
    <div className="mt-4 flex flex-wrap items-center justify-center gap-2">
      <p className="text-14 text-muted">{text('results.alone')}</p>
      {found.map(({ word, total }) => (
        <Button key={word} size="sm" onClick={() => onChoose(word)}>
          {text('results.word', { word, count: total })}
        </Button>
      ))}
    </div>
  )
}

type WordsAloneProps = {
  query: string
  /** Searches for one of them. */
  onChoose: (word: string) => void
}
