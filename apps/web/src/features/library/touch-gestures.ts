import { type RefObject, useEffect, useRef } from 'react'

/** Point in the window, in pixels from its top left. */
export interface Point {
  x: number
  y: number
}

interface TouchGestures {
  /** Pinch by two fingers, or by Ctrl and the wheel as touchpads send it; the factor is relative to its beginning. */
  onPinch: (factor: number, middle: Point, isBeginning: boolean) => void
  /** Horizontal swipe: 1 to the next, -1 to the previous. */
  onSwipe: (direction: 1 | -1) => void
  onDoubleTap: (at: Point) => void
}

const MIN_SWIPE_PIXELS = 60
/** Maximum time and distance between the taps of a double tap. */
const DOUBLE_TAP_MS = 300
const DOUBLE_TAP_PIXELS = 30
const TAP_PIXELS = 10

const middleOf = ([one, other]: [Touch, Touch]): Point => ({
  x: (one.clientX + other.clientX) / 2,
  y: (one.clientY + other.clientY) / 2,
})

const distanceOf = ([one, other]: [Touch, Touch]) =>
  Math.max(1, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY))

function twoOf({ touches: [one, other] }: TouchEvent): [Touch, Touch] | null {
  return one && other ? [one, other] : null
}

/** Handles touch gestures on an element and disables the browser's own page zoom there. */
export function useTouchGestures(target: RefObject<HTMLElement | null>, gestures: TouchGestures): void {
  const current = useRef(gestures)
  useEffect(() => {
    current.current = gestures
  })
  useEffect(() => {
    const element = target.current
    if (!element) return
    const listening = new AbortController()
    let pinchDistance: number | null = null
    let swipeStart: Point | null = null
    let lastTap: (Point & { atMs: number }) | null = null

    const begin = (event: TouchEvent) => {
      // Touch events go to the element that was touched, even after its removal: zooming replaces the picture.
      for (const { target: touched } of event.changedTouches) {
        touched.addEventListener('touchmove', move as EventListener, { passive: false, signal: listening.signal })
        touched.addEventListener('touchend', end as EventListener, { signal: listening.signal })
        touched.addEventListener('touchcancel', end as EventListener, { signal: listening.signal })
      }
      const two = twoOf(event)
      pinchDistance = two && distanceOf(two)
      const [one] = event.touches
      swipeStart = one && !two ? { x: one.clientX, y: one.clientY } : null
      if (two) current.current.onPinch(1, middleOf(two), true)
    }
    const move = (event: TouchEvent) => {
      const two = twoOf(event)
      if (two === null || pinchDistance === null) return
      event.preventDefault()
      current.current.onPinch(distanceOf(two) / pinchDistance, middleOf(two), false)
    }
    const end = (event: TouchEvent) => {
      const [lifted] = event.changedTouches
      if (swipeStart && lifted && event.touches.length === 0) {
        const [across, down] = [lifted.clientX - swipeStart.x, lifted.clientY - swipeStart.y]
        if (Math.abs(across) >= MIN_SWIPE_PIXELS && Math.abs(across) > 2 * Math.abs(down))
          current.current.onSwipe(across < 0 ? 1 : -1)
        if (Math.hypot(across, down) <= TAP_PIXELS) tap(event, { x: lifted.clientX, y: lifted.clientY })
      }
      pinchDistance = null
      swipeStart = null
    }
    const tap = (event: TouchEvent, at: Point) => {
      const isSecond =
        lastTap !== null &&
        event.timeStamp - lastTap.atMs <= DOUBLE_TAP_MS &&
        Math.hypot(at.x - lastTap.x, at.y - lastTap.y) <= DOUBLE_TAP_PIXELS
      lastTap = isSecond ? null : { ...at, atMs: event.timeStamp }
      if (!isSecond) return
      // browsers that also fire a double click would undo it
      event.preventDefault()
      current.current.onDoubleTap(at)
    }
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey) return
      event.preventDefault()
      const middle = { x: event.clientX, y: event.clientY }
      current.current.onPinch(1, middle, true)
      current.current.onPinch(Math.exp(-event.deltaY / 100), middle, false)
    }
    // React's listeners are passive, which can't prevent the browser from zooming the page
    element.addEventListener('touchstart', begin, { passive: true, signal: listening.signal })
    element.addEventListener('wheel', turn, { passive: false, signal: listening.signal })
    return () => listening.abort()
  }, [target])
}
