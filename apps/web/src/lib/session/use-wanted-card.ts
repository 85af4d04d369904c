import { type RefObject, useEffect } from 'react'
import { useLocation } from 'react-router-dom'

/** Events that show that the user is moving around the page. */
const USER_EVENTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Scrolls to the card named in the address, and keeps it in view while the cards above it load, until the user does
 * something.
 */
export function useWantedCard(around: RefObject<HTMLElement | null>, isReady: boolean): void {
  const { hash, key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls again when the link is followed again
  useEffect(() => {
    const card = hash === '' || !isReady ? null : document.getElementById(hash.slice(1))
    if (card === null || around.current === null) return
    // also called for the first size: that's the first scroll, after the page began at its top
    const sizes = new ResizeObserver(() => card.scrollIntoView())
    sizes.observe(around.current)
    const stop = () => sizes.disconnect()
    for (const move of USER_EVENTS) window.addEventListener(move, stop, { once: true, passive: true })
    return () => {
      stop()
      for (const move of USER_EVENTS) window.removeEventListener(move, stop)
    }
  }, [hash, key, isReady])
}
