import { type RefObject, useEffect } from 'react'
import { useLocation } from 'react-router-dom'

/** Events that show that the user is moving around the page. */
const USER_EVENTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Scrolls to the card named in the address, and keeps it in view while the cards above it load, until the user does
 * something.
 */
export function useRequestedCard(container: RefObject<HTMLElement | null>, isReady: boolean): void {
  const { hash, key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls again when the link is followed again
  useEffect(() => {
    const card = hash === '' || !isReady ? null : document.getElementById(hash.slice(1))
    if (card === null || container.current === null) return
    // also called with the initial size: this first scroll comes after the new page has scrolled to its top
    const observer = new ResizeObserver(() => card.scrollIntoView())
    observer.observe(container.current)
    const stop = () => observer.disconnect()
    for (const eventType of USER_EVENTS) window.addEventListener(eventType, stop, { once: true, passive: true })
    return () => {
      stop()
      for (const eventType of USER_EVENTS) window.removeEventListener(eventType, stop)
    }
  }, [hash, key, isReady])
}
