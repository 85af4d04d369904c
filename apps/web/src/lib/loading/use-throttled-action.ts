import { useEffect, useRef } from 'react'

const DELAY_MS = 500

/** A function that runs `action` after `DELAY_MS`. Further calls within that time neither run it again nor postpone it. */
export function useThrottledAction(action: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latestAction = useRef(action)
  useEffect(() => {
    latestAction.current = action
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      latestAction.current()
    }, DELAY_MS)
  }
}
