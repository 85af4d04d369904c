import { type RefObject, useEffect, useRef } from 'react'

/** Ref of the latest value while the component is mounted, null afterwards; for code that runs after a response. */
export function useCurrentIfMounted<Value>(value: Value): RefObject<Value | null> {
  const shown = useRef<Value | null>(value)
  useEffect(() => {
    shown.current = value
    return () => {
      shown.current = null
    }
  }, [value])
  return shown
}

/** A function that closes a dialog only while it's mounted, so that a late response doesn't close a dialog opened after it. */
export function useCloseIfMounted(onClose: () => void): () => void {
  const close = useCurrentIfMounted(onClose)
  return () => close.current?.()
}
