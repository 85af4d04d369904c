import { type RefObject, useEffect, useRef } from 'react'

/** The latest value while the component is mounted, null afterwards: for callbacks after a response. */
export function useWhileShown<Value>(value: Value): RefObject<Value | null> {
  const shown = useRef<Value | null>(value)
  useEffect(() => {
    shown.current = value
    return () => {
      shown.current = null
    }
  }, [value])
  return shown
}

/** Closes a dialog only while it's mounted, so that a late response doesn't close one opened after it. */
export function useCloseWhileShown(onClose: () => void): () => void {
  const close = useWhileShown(onClose)
  return () => close.current?.()
}
