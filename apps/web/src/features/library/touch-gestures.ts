import { type RefObject, useEffect, useRef } from 'react'

/** A place in the window, in pixels from its top left. */
export interface Point {
  x: number
  y: number
}

interface TouchGestures {
  /** Two fingers move apart or together, or a wheel turns with Control held, as a touchpad's pinch does: the factor since it began. */
  onPinch: (factor: number, middle: Point, isBeginning: boolean) => void
  /** One finger moved sideways: 1 to what follows, -1 to what was before. */
  onSwipe: (direction: 1 | -1) => void
  /** A finger tapped twice at the same place. */
  onDoubleTap: (at: Point) => void
}

const MIN_SWIPE_PIXELS = 60
/** Two taps within so long and so near are one gesture. */
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

/** Hears gestures of fingers on an element; the browser's own zoom of the page does not answer there. */
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
      // A touch goes on with the element that it began on, even when that has left the page: a zoomed picture is another one.
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
      // browsers that make a double click of it would undo it
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
    // React listens passively, and a passive listener cannot keep the browser from zooming the page
    element.addEventListener('touchstart', begin, { passive: true, signal: listening.signal })
    element.addEventListener('wheel', turn, { passive: false, signal: listening.signal })
    return () => listening.abort()
  }, [target])
}
