import { LIBRARY_QUERY_MAX_CHARACTERS } from '@mira/shared/words/limits'
import { useQuery } from '@tanstack/react-query'
import { useText } from '../../lib/i18n.ts'
import { PausingSearchField } from '../../ui/pausing-search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { type LibraryFilters, mediaTypes, sorts, statuses } from './library-filters.ts'
import { tagsQuery } from './library-queries.ts'

const ALL = ''

/** What is listed and in which order: search box, filters, sort. */
export function LibraryTools({ filters, onChange }: LibraryToolsProps) {
  const text = useText('gallery')
  const common = useText('app')
  const { data: tags = [] } = useQuery(tagsQuery)
  const listed = tags.map(({ tag }) => tag)
  // An address may name a tag that nothing carries any more.
  const offered = filters.tag === null || listed.includes(filters.tag) ? listed : [filters.tag, ...listed]
  return (
    <search className="mb-6 grid grid-cols-2 gap-3 lg:grid-cols-[minmax(14rem,1fr)_repeat(4,minmax(8rem,11rem))]">
      <PausingSearchField
        label={text('tools.search')}
        clearLabel={common('common.clearSearch')}
        placeholder={text('tools.searchHint')}
        maxLength={LIBRARY_QUERY_MAX_CHARACTERS}
        query={filters.query}
        onQueryChange={(query) => onChange({ query })}
        className="col-span-2 lg:col-span-1"
      />
      <Select
        label={text('tools.type')}
        labelHidden
        value={filters.type ?? ALL}
        options={[
          { value: ALL, label: text('tools.allTypes') },
          ...mediaTypes.map((type) => ({ value: type, label: text(`types.${type}`) })),
        ]}
        onValueChange={(type) => onChange({ type: type === ALL ? null : type })}
      />
      <Select
        label={text('tools.tag')}
        labelHidden
        value={filters.tag ?? ALL}
        options={[{ value: ALL, label: text('tools.allTags') }, ...offered.map((tag) => ({ value: tag, label: tag }))]}
        onValueChange={(tag) => onChange({ tag: tag === ALL ? null : tag })}
      />
      <Select
        label={text('tools.status')}
        labelHidden
        value={filters.status ?? ALL}
        options={[
          { value: ALL, label: text('tools.allStatuses') },
          ...statuses.map((status) => ({ value: status, label: text(`status.${status}`) })),
        ]}
        onValueChange={(status) => onChange({ status: status === ALL ? null : status })}
      />
      <Select
        label={text('tools.sort')}
        labelHidden
        value={filters.sort}
        options={sorts.map((sort) => ({ value: sort, label: text(`sort.${sort}`) }))}
        onValueChange={(sort) => onChange({ sort })}
      />
    </search>
  )
}

type LibraryToolsProps = { filters: LibraryFilters; onChange: (change: Partial<LibraryFilters>) => void }
