import { useEffect, useEffectEvent, useState } from 'react'
import { useText } from '../../lib/i18n.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Select } from '../../ui/select.tsx'
import type { SessionFilters } from './session-filters.ts'

const TYPING_PAUSE_MS = 250

type SortChoice = `${SessionFilters['sort']}-${SessionFilters['order']}`

const sortChoices: readonly SortChoice[] = [
  'updated-desc',
  'updated-asc',
  'name-asc',
  'name-desc',
  'messages-desc',
  'messages-asc',
  'tokens-desc',
  'tokens-asc',
  'response_time-desc',
  'response_time-asc',
]

/** Search, status and order of the list. */
export function SessionTools({ filters, onChange }: SessionToolsProps) {
  const text = useText('chat-logs')
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-[minmax(0,1fr)_11rem_14rem]">
      <Search query={filters.query} onQueryChange={(query) => onChange({ query })} />
      <Select
        label={text('tools.status')}
        labelHidden
        value={filters.status ?? 'all'}
        onValueChange={(status) => onChange({ status: status === 'all' ? null : status })}
        options={[
          { value: 'all', label: text('tools.anyStatus') },
          { value: 'active', label: text('statuses.active') },
          { value: 'completed', label: text('statuses.completed') },
        ]}
      />
      <Select<SortChoice>
        label={text('tools.sort')}
        labelHidden
        value={`${filters.sort}-${filters.order}`}
        onValueChange={(choice) => {
          const [sort, order] = choice.split('-') as [SessionFilters['sort'], SessionFilters['order']]
          onChange({ sort, order })
        }}
        options={sortChoices.map((value) => ({ value, label: text(`sorts.${value}`) }))}
      />
    </div>
  )
}

/** Asks once the person pauses, not at each key. */
function Search({ query, onQueryChange }: { query: string; onQueryChange: (query: string) => void }) {
  const text = useText('chat-logs')
  const appText = useText('app')
  const [typed, setTyped] = useState(query)
  const [lastQuery, setLastQuery] = useState(query)
  // The address changed by other means, such as a button that clears it or the way back.
  if (query !== lastQuery) {
    setLastQuery(query)
    if (query !== typed.trim()) setTyped(query)
  }

  const ask = useEffectEvent(() => {
    if (typed.trim() !== query) onQueryChange(typed.trim())
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the clock starts anew at each key
  useEffect(() => {
    const timer = setTimeout(() => ask(), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])

  return (
    <SearchField
      label={text('tools.search')}
      clearLabel={appText('common.clearSearch')}
      placeholder={text('tools.placeholder')}
      maxLength={200}
      value={typed}
      onValueChange={setTyped}
      className="col-span-2 md:col-span-1"
    />
  )
}

export type SessionToolsProps = { filters: SessionFilters; onChange: (change: Partial<SessionFilters>) => void }
