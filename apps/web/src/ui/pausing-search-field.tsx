import { useEffect, useEffectEvent, useState } from 'react'
import { SearchField, type SearchFieldProps } from './search-field.tsx'

const TYPING_PAUSE_MS = 250

/** Debounced search box; trims the query. */
export function PausingSearchField({ query, onQueryChange, ...field }: PausingSearchFieldProps) {
  const [typed, setTyped] = useState(query)
  const [previousQuery, setPreviousQuery] = useState(query)
  const [latestQuery, setLatestQuery] = useState(query)
  if (query !== previousQuery) {
    setPreviousQuery(query)
    setLatestQuery(query)
    // Changed from outside, such as by a "clear" button or "back". This box's own query may arrive late,
    // after more has been typed.
    if (query !== latestQuery) setTyped(query)
  }

  const ask = useEffectEvent(() => {
    setLatestQuery(typed.trim())
    onQueryChange(typed.trim())
  })
  useEffect(() => {
    if (typed.trim() === query) return
    const timer = setTimeout(() => ask(), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, query])

  return <SearchField {...field} value={typed} onValueChange={setTyped} />
}

export type PausingSearchFieldProps = Omit<SearchFieldProps, 'value' | 'onValueChange'> & {
  query: string
  onQueryChange: (query: string) => void
}
