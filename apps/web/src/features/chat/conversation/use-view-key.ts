import { useState } from 'react'

/** Changes when another conversation is opened, not when a new one gets its id. */
export function useViewKey(sessionId: string | null): string {
  const [shown, setShown] = useState({ sessionId, number: 0 })
  if (shown.sessionId === sessionId) return String(shown.number)
  const isSame = shown.sessionId === null && sessionId !== null
  const next = { sessionId, number: isSame ? shown.number : shown.number + 1 }
  setShown(next)
  return String(next.number)
}
