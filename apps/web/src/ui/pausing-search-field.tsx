import { useEffect, useEffectEvent, useState } from 'react'
import { SearchField, type SearchFieldProps } from './search-field.tsx'

const TYPING_PAUSE_MS = 250

/** A search box that asks once the person pauses, not at each key; what it asks for has no spaces around it. */
export function PausingSearchField({ query, onQueryChange, ...field }: PausingSearchFieldProps) {
  const [typed, setTyped] = useState(query)
  const [previousQuery, setPreviousQuery] = useState(query)
  const [latestQuery, setLatestQuery] = useState(query)
  if (query !== previousQuery) {
    setPreviousQuery(query)
    setLatestQuery(query)
    // Changed by other means, such as a button that clears it or the way back. What this box asked for may arrive late,
    // when more is typed already.
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
