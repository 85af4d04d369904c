import { type RefCallback, type RefObject, useCallback, useEffectEvent } from 'react'

/** Distance from the visible area at which elements count as seen. */
const AHEAD_PX = 400

/** A ref for an element: `onSeen` is called whenever the element comes near the visible part of its scroller. */
export function useSeen(scroller: RefObject<HTMLElement | null>, onSeen: () => void): RefCallback<HTMLElement> {
  const handleSeen = useEffectEvent(onSeen)
  return useCallback(
    (element: HTMLElement | null) => {
      if (!element) return
      const observer = new IntersectionObserver(
        (entries) => {
          if (entries.some((entry) => entry.isIntersecting)) handleSeen()
        },
        { root: scroller.current, rootMargin: `${AHEAD_PX}px 0px` },
      )
      observer.observe(element)
      return () => observer.disconnect()
    },
    [scroller],
  )
}
