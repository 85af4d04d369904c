import { type RefObject, useLayoutEffect } from 'react'

/** Keeps toasts above an element at the bottom of the screen while it's shown, following its height. */
export function useToastsAbove(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => style.setProperty('--toasts-bottom', `${current.offsetHeight}px`))
    observer.observe(current)
    return () => {
      observer.disconnect()
      style.removeProperty('--toasts-bottom')
    }
  }, [element])
}
