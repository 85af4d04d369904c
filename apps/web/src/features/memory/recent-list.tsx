import { History } from 'lucide-react'
import { useText } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import type { RecentSearches as Recent } from './recent-searches.ts'

/** Recent searches in this browser; hidden when there are none. */
export function RecentSearches({ recent, onChoose }: RecentSearchesProps) {
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
