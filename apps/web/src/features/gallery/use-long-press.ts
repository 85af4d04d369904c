import { useEffect, useRef } from 'react'

const PRESS_MS = 500
/** A finger that moves further scrolls. */
const STILL_PIXELS = 10

/**
 * Hears that a finger rests on something; the click and the browser's own menu that would follow are kept away. Browsers open
 * that menu after a time of their own, on some phones before ours has passed: then the finger has rested long enough.
 */
export function useLongPress(onLongPress: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const start = useRef({ x: 0, y: 0 })
  const wasLong = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  const stop = () => {
    clearTimeout(timer.current)
    timer.current = undefined
  }
  const press = () => {
    stop()
    wasLong.current = true
    navigator.vibrate?.(10)
    onLongPress()
  }
  return {
    onPointerDown: (event: React.PointerEvent) => {
      wasLong.current = false
      stop()
      if (event.pointerType !== 'touch' || !event.isPrimary) return
      start.current = { x: event.clientX, y: event.clientY }
      timer.current = setTimeout(press, PRESS_MS)
    },
    onPointerMove: (event: React.PointerEvent) => {
      if (Math.hypot(event.clientX - start.current.x, event.clientY - start.current.y) > STILL_PIXELS) stop()
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onContextMenu: (event: React.MouseEvent) => {
      if (timer.current !== undefined) press()
      if (wasLong.current) event.preventDefault()
    },
    onClickCapture: (event: React.MouseEvent) => {
      if (!wasLong.current) return
      wasLong.current = false
      event.preventDefault()
      event.stopPropagation()
    },
  }
}
