import { SESSION_QUERY_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useText } from '../../../lib/i18n/i18n.ts'
import { PausingSearchField } from '../../../ui/pausing-search-field.tsx'
import { Select } from '../../../ui/select.tsx'
import type { SessionFilters } from './session-filters.ts'

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
  const appText = useText('app')
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-[minmax(0,1fr)_11rem_14rem]">
      <PausingSearchField
        label={text('tools.search')}
        clearLabel={appText('common.clearSearch')}
        placeholder={text('tools.placeholder')}
        maxLength={SESSION_QUERY_MAX_CHARACTERS}
        query={filters.query}
        onQueryChange={(query) => onChange({ query })}
        className="col-span-2 md:col-span-1"
      />
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

export type SessionToolsProps = { filters: SessionFilters; onChange: (change: Partial<SessionFilters>) => void }
