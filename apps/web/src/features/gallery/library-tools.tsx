import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useText } from '../../lib/i18n.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { type LibraryFilters, mediaTypes, sorts, statuses } from './library-filters.ts'
import { tagsQuery } from './library-queries.ts'

const SEARCH_DELAY_MS = 250
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
      <SearchBox
        label={text('tools.search')}
        clearLabel={common('common.clearSearch')}
        placeholder={text('tools.searchHint')}
        query={filters.query}
        onQueryChange={(query) => onChange({ query })}
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

/** Keeps what is written at once, and tells it when nobody has written for a moment. */
function SearchBox({ query, onQueryChange, ...field }: SearchBoxProps) {
  const [written, setWritten] = useState(query)
  const [known, setKnown] = useState(query)
  if (known !== query) {
    // The address changed from elsewhere, as on the way back; what this box told comes back unchanged.
    setKnown(query)
    if (written.trim() !== query) setWritten(query)
  }
  const tell = useEffectEvent(onQueryChange)
  useEffect(() => {
    if (written.trim() === query) return
    const timer = setTimeout(() => tell(written.trim()), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [written, query])
  return (
    <SearchField
      {...field}
      value={written}
      onValueChange={setWritten}
      maxLength={500}
      className="col-span-2 lg:col-span-1"
    />
  )
}

type SearchBoxProps = {
  label: string
  clearLabel: string
  placeholder: string
  query: string
  onQueryChange: (query: string) => void
}
type LibraryToolsProps = { filters: LibraryFilters; onChange: (change: Partial<LibraryFilters>) => void }
