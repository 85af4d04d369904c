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
export function useOnSeen(scroller: RefObject<HTMLElement | null>, onSeen: () => void): RefCallback<HTMLElement> {
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
const KEEP_WITHIN_PX = 2_000

/** Observes an element; returns a function that stops observing it. */
type ObserveNear = (element: Element, onChange: (entry: IntersectionObserverEntry) => void) => () => void

/** Calls back when elements come near a scroller's visible part or move away from it, with one observer for all. */
export function useNearObserver(scroller: RefObject<Element | null>): ObserveNear {
  const callbacks = useRef(new Map<Element, (entry: IntersectionObserverEntry) => void>())
  const observer = useRef<IntersectionObserver>(undefined)
  useEffect(() => () => observer.current?.disconnect(), [])
  return useCallback(
    (element, onChange) => {
      observer.current ??= new IntersectionObserver(
        (entries) => {
          for (const entry of entries) callbacks.current.get(entry.target)?.(entry)
        },
        { root: scroller.current, rootMargin: `${KEEP_WITHIN_PX}px 0px` },
      )
      const current = observer.current
      callbacks.current.set(element, onChange)
      current.observe(element)
      return () => {
        callbacks.current.delete(element)
        current.unobserve(element)
      }
    },
    [scroller],
  )
}

/**
 * Part of a long list that is removed from the page while it's far from the visible area. Its height is kept, so nothing
 * moves when it's removed or restored; parts in use stay.
 */
export function Windowed({ observeNear, isOn, children }: WindowedProps) {
  const container = useRef<HTMLDivElement>(null)
  const [keptHeight, setKeptHeight] = useState<number | null>(null)
  useEffect(() => {
    const element = container.current
    if (!element || !isOn) return
    return observeNear(element, ({ isIntersecting, boundingClientRect }) => {
      if (isIntersecting) setKeptHeight(null)
      else if (!isInUse(element)) setKeptHeight((height) => height ?? boundingClientRect.height)
    })
  }, [observeNear, isOn])
  const isRemoved = isOn && keptHeight !== null
  return (
    <div ref={container} className="flex flex-col" style={isRemoved ? { height: keptHeight } : undefined}>
      {!isRemoved && children}
    </div>
  )
}

/** True while the user is typing in an element, or has opened details or selected text in it. */
function isInUse(element: Element): boolean {
  const selection = getSelection()
  return (
    element.contains(document.activeElement) ||
    element.querySelector('textarea, details[open]') !== null ||
    (selection !== null && !selection.isCollapsed && selection.containsNode(element, true))
  )
}

type WindowedProps = { observeNear: ObserveNear; isOn: boolean; children: ReactNode }
