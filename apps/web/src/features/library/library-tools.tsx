import { LIBRARY_QUERY_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { mediaTypes } from '@mira/shared/constants/media'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Upload, X } from 'lucide-react'
import { useRef } from 'react'
import { Link } from 'react-router-dom'
import { useShortcut } from '../../lib/browser/keyboard.ts'
import { useIsWide } from '../../lib/browser/use-is-wide.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { paths } from '../../lib/session/paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { DebouncedSearchField } from '../../ui/debounced-search-field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { clearedFilters, isFiltered, type LibraryFilters, sorts, statuses, tagsQuery } from './library-queries.ts'

/** A native select styled as a chip. It shows the selected value, and is highlighted while it filters the list. */
function FilterChip<Value extends string>({ label, value, options, isOn, onValueChange }: FilterChipProps<Value>) {
  return (
    <span className="relative shrink-0">
      <select
        aria-label={label}
        title={label}
        value={value}
        onChange={(event) => onValueChange(event.target.value as Value)}
        className={classNames(
          'field-sizing-content h-9 max-w-44 min-w-0 touch-target cursor-pointer appearance-none truncate rounded-full border pr-8 pl-3.5 text-13 font-medium transition-colors',
          isOn
            ? 'border-accent bg-accent-soft text-accent-text'
            : 'border-border-float bg-control text-text shade-on-hover',
        )}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} className="bg-surface-overlay text-text">
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className={classNames(
          'pointer-events-none absolute inset-y-0 right-2.5 my-auto size-4',
          isOn ? 'text-accent-text' : 'text-muted',
        )}
      />
    </span>
  )
}

type FilterChipProps<Value extends string> = {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  /** True when a value other than "all" is selected. */
  isOn: boolean
  onValueChange: (value: Value) => void
}

const ALL = ''

/** Sticky toolbar with the search box, filter chips, sort order and upload link. */
export function LibraryTools({ filters, isListed, onChange }: LibraryToolsProps) {
  const text = useText('gallery')
  const common = useText('app')
  const isWide = useIsWide()
  const search = useRef<HTMLElement>(null)
  useShortcut({
    key: '/',
    label: text('tools.search'),
    group: text('title'),
    onPress: () => search.current?.querySelector('input')?.focus(),
  })
  const { data: tags = [] } = useQuery({ ...tagsQuery, enabled: isListed })
  const tagNames = tags.map(({ tag }) => tag)
  // The address may have a tag that's no longer in use.
  const tagChoices = filters.tag === null || tagNames.includes(filters.tag) ? tagNames : [filters.tag, ...tagNames]
  return (
    <div className="sticky top-0 z-20 -mx-4 flex h-14 items-center gap-2 bg-surface px-4 sm:-mx-6 sm:px-6">
      <search ref={search} className="flex min-w-0 flex-1 items-center gap-2">
        <DebouncedSearchField
          label={text('tools.search')}
          clearLabel={common('common.clearSearch')}
          placeholder={text(isWide ? 'tools.searchHint' : 'tools.searchShort')}
          maxLength={LIBRARY_QUERY_MAX_CHARACTERS}
          query={filters.query}
          onQueryChange={(query) => onChange({ query })}
          // on a phone the field covers the chips while it's in use
          className="min-w-34 flex-1 focus-within:min-w-full has-[input:not(:placeholder-shown)]:min-w-52 sm:min-w-56! transition-[min-width]"
        />
        {/* chips beyond the edge are reached by swiping or with Tab */}
        <div className="-my-1 flex min-w-0 scrollbar-none items-center gap-2 overflow-x-auto py-1">
          {isFiltered({ ...filters, query: '' }) && (
            <IconButton
              name={text('tools.clear')}
              icon={<X aria-hidden />}
              className="rounded-full"
              onClick={() => onChange(clearedFilters)}
            />
          )}
          <FilterChip
            label={text('tools.type')}
            value={filters.type ?? ALL}
            isOn={filters.type !== null}
            options={[
              { value: ALL, label: text('tools.allTypes') },
              ...mediaTypes.map((type) => ({ value: type, label: text(`types.${type}`) })),
            ]}
            onValueChange={(type) => onChange({ type: type === ALL ? null : type })}
          />
          <FilterChip
            label={text('tools.tag')}
            value={filters.tag ?? ALL}
            isOn={filters.tag !== null}
            options={[
              { value: ALL, label: text('tools.allTags') },
              ...tagChoices.map((tag) => ({ value: tag, label: tag })),
            ]}
            onValueChange={(tag) => onChange({ tag: tag === ALL ? null : tag })}
          />
          <FilterChip
            label={text('tools.status')}
            value={filters.status ?? ALL}
            isOn={filters.status !== null}
            options={[
              { value: ALL, label: text('tools.allStatuses') },
              ...statuses.map((status) => ({ value: status, label: text(`status.${status}`) })),
            ]}
            onValueChange={(status) => onChange({ status: status === ALL ? null : status })}
          />
          <FilterChip
            label={text('tools.sort')}
            value={filters.sort}
            isOn={false}
            options={sorts.map((sort) => ({ value: sort, label: text(`sort.${sort}`) }))}
            onValueChange={(sort) => onChange({ sort })}
          />
        </div>
      </search>
      <Link
        to={paths.upload}
        title={text('upload')}
        className={buttonClass({ variant: 'primary', className: 'max-sm:px-2.5' })}
      >
        <Upload aria-hidden />
        <span className="max-sm:sr-only">{text('upload')}</span>
      </Link>
    </div>
  )
}

type LibraryToolsProps = {
  filters: LibraryFilters
  /** True once the library is on screen; requests made before would delay it. */
  isListed: boolean
  onChange: (change: Partial<LibraryFilters>) => void
}
