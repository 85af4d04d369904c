import { type RefObject, useEffect, useRef } from 'react'

/** Point in the window, in pixels from its top left. */
export interface Point {
  x: number
  y: number
}

interface TouchGestures {
  /** Pinch with two fingers, or Ctrl and the wheel, which a touchpad's pinch triggers; `factor` is relative to its start. */
  onPinch: (factor: number, middle: Point, isStart: boolean) => void
  /** Horizontal swipe: 1 to the next picture, -1 to the previous one. */
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
  const latest = useRef(gestures)
  useEffect(() => {
    latest.current = gestures
  })
  useEffect(() => {
    const element = target.current
    if (!element) return
    const listeners = new AbortController()
    let pinchDistance: number | null = null
    let swipeStart: Point | null = null
    let lastTap: (Point & { atMs: number }) | null = null

    const begin = (event: TouchEvent) => {
      // Touch events go to the element that was touched, even after it's removed, as the picture is when zooming replaces it.
      for (const { target: touched } of event.changedTouches) {
        touched.addEventListener('touchmove', move as EventListener, { passive: false, signal: listeners.signal })
        touched.addEventListener('touchend', end as EventListener, { signal: listeners.signal })
        touched.addEventListener('touchcancel', end as EventListener, { signal: listeners.signal })
      }
      const two = twoOf(event)
      pinchDistance = two && distanceOf(two)
      const [one] = event.touches
      swipeStart = one && !two ? { x: one.clientX, y: one.clientY } : null
      if (two) latest.current.onPinch(1, middleOf(two), true)
    }
    const move = (event: TouchEvent) => {
      const two = twoOf(event)
      if (two === null || pinchDistance === null) return
      event.preventDefault()
      latest.current.onPinch(distanceOf(two) / pinchDistance, middleOf(two), false)
    }
    const end = (event: TouchEvent) => {
      const [lifted] = event.changedTouches
      if (swipeStart && lifted && event.touches.length === 0) {
        const [across, down] = [lifted.clientX - swipeStart.x, lifted.clientY - swipeStart.y]
        if (Math.abs(across) >= MIN_SWIPE_PIXELS && Math.abs(across) > 2 * Math.abs(down))
          latest.current.onSwipe(across < 0 ? 1 : -1)
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
      // Browsers that also fire a double click would undo the zoom.
      event.preventDefault()
      latest.current.onDoubleTap(at)
    }
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return
      event.preventDefault()
      const middle = { x: event.clientX, y: event.clientY }
      latest.current.onPinch(1, middle, true)
      latest.current.onPinch(Math.exp(-event.deltaY / 100), middle, false)
    }
    // React's listeners are passive, which can't prevent the browser from zooming the page
    element.addEventListener('touchstart', begin, { passive: true, signal: listeners.signal })
    element.addEventListener('wheel', onWheel, { passive: false, signal: listeners.signal })
    return () => listeners.abort()
  }, [target])
}
