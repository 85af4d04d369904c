import { startTransition, useEffect, useState } from 'react'

/**
 * False at first, true after the first paint, to defer less urgent work. The render that follows is a transition, so that it
 * doesn't block input and other updates.
 * @param isDrawn false while the main content isn't rendered yet
 */
export function useIsPainted(isDrawn = true): boolean {
  const [isPainted, setIsPainted] = useState(false)
  useEffect(() => {
    if (!isDrawn) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let paints: PerformanceObserver | undefined
    // The callback runs before a frame is painted, so a task queued in it runs after that frame; the page's first paint may come later.
    const markPainted = () => startTransition(() => setIsPainted(true))
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => {
        if (isFirstPaintDone()) return markPainted()
        paints = new PerformanceObserver(() => isFirstPaintDone() && markPainted())
        paints.observe({ type: 'paint', buffered: true })
      })
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      paints?.disconnect()
    }
  }, [isDrawn])
  return isPainted
}

/** True once anything has been painted since the page was opened; always true in browsers that don't report it. */
function isFirstPaintDone(): boolean {
  if (!PerformanceObserver.supportedEntryTypes.includes('paint')) return true
  return performance.getEntriesByName('first-contentful-paint').length > 0
}
