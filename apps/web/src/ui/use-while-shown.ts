import { type RefObject, useEffect, useRef } from 'react'

/** The latest value while the component is on the page, and null afterwards: for what is done once an answer came. */
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

/** Closes a dialog as long as it is shown: an answer that comes later doesn't close what was opened after it. */
export function useCloseWhileShown(onClose: () => void): () => void {
  const close = useWhileShown(onClose)
  return () => close.current?.()
}
