import { useSyncExternalStore } from 'react'

const query = '(min-width: 64rem)'

function subscribe(listener: () => void): () => void {
  const list = matchMedia(query)
  list.addEventListener('change', listener)
  return () => list.removeEventListener('change', listener)
}

/** True when the window has room for a table (1024 px). */
export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
