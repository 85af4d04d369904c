import { type RefObject, useEffect } from 'react'
import { useLocation } from 'react-router-dom'

/** Events that show that the user is moving around the page. */
const OWN_MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Scrolls to the card that the address names, and keeps it in sight while those above it are being filled, until the person
 * does something.
 */
export function useWantedCard(around: RefObject<HTMLElement | null>, isReady: boolean): void {
  const { hash, key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: who follows the link again wants to be there again
  useEffect(() => {
    const card = hash === '' || !isReady ? null : document.getElementById(hash.slice(1))
    if (card === null || around.current === null) return
    // tells of the first size, too: that is when it scrolls first, after the page began at its top
    const sizes = new ResizeObserver(() => card.scrollIntoView())
    sizes.observe(around.current)
    const stop = () => sizes.disconnect()
    for (const move of OWN_MOVES) window.addEventListener(move, stop, { once: true, passive: true })
    return () => {
      stop()
      for (const move of OWN_MOVES) window.removeEventListener(move, stop)
    }
  }, [hash, key, isReady])
}
