import { useEffect, useRef } from 'react'

const SOON_MS = 500

/** A function that runs `action` soon: once for all calls until then, and not delayed by later ones. */
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
