import {
  type ReactNode,
  type RefCallback,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'

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

/** Distance from the visible area beyond which messages are removed from the page. */
const KEPT_PX = 2_000

type Near = (element: Element, onChange: (entry: IntersectionObserverEntry) => void) => () => void

/** Tells elements inside a scroller when they come near its visible part and when they leave it; one watcher for all. */
export function useNearness(scroller: RefObject<Element | null>): Near {
  const watched = useRef(new Map<Element, (entry: IntersectionObserverEntry) => void>())
  const observer = useRef<IntersectionObserver>(undefined)
  useEffect(() => () => observer.current?.disconnect(), [])
  return useCallback(
    (element, onChange) => {
      observer.current ??= new IntersectionObserver(
        (entries) => {
          for (const entry of entries) watched.current.get(entry.target)?.(entry)
        },
        { root: scroller.current, rootMargin: `${KEPT_PX}px 0px` },
      )
      const current = observer.current
      watched.current.set(element, onChange)
      current.observe(element)
      return () => {
        watched.current.delete(element)
        current.unobserve(element)
      }
    },
    [scroller],
  )
}

/**
 * Something in a long list that leaves the page while it is far from what is seen. What was drawn once keeps its
 * height, so nothing moves when it goes or returns; what is being used stays.
 */
export function Windowed({ near, isOn, children }: WindowedProps) {
  const place = useRef<HTMLDivElement>(null)
  const [keptHeight, setKeptHeight] = useState<number | null>(null)
  useEffect(() => {
    const element = place.current
    if (!element || !isOn) return
    return near(element, ({ isIntersecting, boundingClientRect }) => {
      if (isIntersecting) setKeptHeight(null)
      else if (!isInUse(element)) setKeptHeight((height) => height ?? boundingClientRect.height)
    })
  }, [near, isOn])
  const isAway = isOn && keptHeight !== null
  return (
    <div ref={place} className="flex flex-col" style={isAway ? { height: keptHeight } : undefined}>
      {!isAway && children}
    </div>
  )
}

/** True while somebody types, reads something unfolded, or has marked something in it. */
function isInUse(element: Element): boolean {
  const selection = getSelection()
  return (
    element.contains(document.activeElement) ||
    element.querySelector('textarea, details[open]') !== null ||
    (selection !== null && !selection.isCollapsed && selection.containsNode(element, true))
  )
}

type WindowedProps = { near: Near; isOn: boolean; children: ReactNode }
