import { useEffect, useEffectEvent, useState } from 'react'
import { SearchField, type SearchFieldProps } from './search-field.tsx'

const TYPING_PAUSE_MS = 250

/** Debounced search box; trims the query. */
export function DebouncedSearchField({ query, onQueryChange, ...field }: DebouncedSearchFieldProps) {
  const [typed, setTyped] = useState(query)
  const [previousQuery, setPreviousQuery] = useState(query)
  const [latestQuery, setLatestQuery] = useState(query)
  if (query !== previousQuery) {
    setPreviousQuery(query)
    setLatestQuery(query)
    // The query was changed from outside, such as by a "clear" button or "back". A query that this box reported itself
    // may arrive after more has been typed, and must not replace that.
    if (query !== latestQuery) setTyped(query)
  }

  const submit = useEffectEvent(() => {
    setLatestQuery(typed.trim())
    onQueryChange(typed.trim())
  })
  useEffect(() => {
    if (typed.trim() === query) return
    const timer = setTimeout(() => submit(), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, query])

  return <SearchField {...field} value={typed} onValueChange={setTyped} />
}

export type DebouncedSearchFieldProps = Omit<SearchFieldProps, 'value' | 'onValueChange'> & {
  query: string
  onQueryChange: (query: string) => void
}
