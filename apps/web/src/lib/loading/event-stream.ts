import type { UserEventJson } from '@mira/shared'
import { useEffect, useEffectEvent } from 'react'

/** Event for a tab; `events.resumed` means that some events may have been missed, so the data on screen must be reloaded. */
export type ClientEvent = UserEventJson | { type: 'events.resumed' }

const listeners = new Set<(event: ClientEvent) => void>()
/** Time of the latest event by `performance.now()`; 0, the time when the page began to load, until there is one. */
let lastEventAt = 0

/** Passes an event to this tab's listeners. */
export function notifyThisTab(event: ClientEvent): void {
  lastEventAt = performance.now()
  // early responses that no screen has taken yet are outdated
  window.earlyAnswers = undefined
  for (const listener of [...listeners]) listener(event)
}

/** Milliseconds since this tab's last event, or since the page began to load. */
export const quietMs = (): number => Math.floor(performance.now() - lastEventAt)

/** Calls `listener` for every event of the user; returns a function that stops it. */
export function listenToUserEvents(listener: (event: ClientEvent) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Calls `handler` for every event of the user while the component is shown. */
export function useUserEvents(handler: (event: ClientEvent) => void): void {
  const handle = useEffectEvent(handler)
  useEffect(() => {
    return listenToUserEvents((event) => handle(event))
  }, [])
}
