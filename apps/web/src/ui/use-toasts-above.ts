import { type RefObject, useLayoutEffect } from 'react'

/** Keeps toasts above an element at the bottom of the screen, however high it grows, as long as it is shown. */
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
