import { useState } from 'react'
import type { ConversationState } from './conversation-state.ts'

/** Changes when another conversation is opened, not when a new one gets its id. */
export function useViewKey({ sessionId, status }: Pick<ConversationState, 'sessionId' | 'status'>): string {
  const [view, setView] = useState({ sessionId, number: 0 })
  if (view.sessionId === sessionId) return String(view.number)
  // A conversation that is opened begins with loading, unlike a new one that gets its id.
  const isSame = view.sessionId === null && status !== 'loading'
  const next = { sessionId, number: isSame ? view.number : view.number + 1 }
  setView(next)
  return String(next.number)
}
