import { useEffect, useRef } from 'react'

const SOON_MS = 500

/** A function that does `action` soon: once for all calls until then, and not put off by each of them. */
export function useSoon(action: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const act = useRef(action)
  useEffect(() => {
    act.current = action
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      act.current()
    }, SOON_MS)
  }
}
