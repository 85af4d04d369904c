import type { UserEventJson } from '@mira/shared'
import { useEffect, useEffectEvent } from 'react'

/** Event for a tab; `events.resumed` means that some may have been missed, so reload the data on screen. */
export type ClientEvent = UserEventJson | { type: 'events.resumed' }

const listeners = new Set<(event: ClientEvent) => void>()
/** By `performance.now()`: what was told before this page began to load, it doesn't know. */
let lastToldAt = 0

/** Gives an event to what this tab shows. */
export function tellThisTab(event: ClientEvent): void {
  lastToldAt = performance.now()
  // what no screen has taken yet is out of date
  window.earlyAnswers = undefined
  for (const listener of [...listeners]) listener(event)
}

/** Milliseconds since this tab's last event, or since the page began to load. */
export const quietMs = (): number => Math.floor(performance.now() - lastToldAt)

/** Calls `listener` for every event of the user and returns how to stop. */
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
