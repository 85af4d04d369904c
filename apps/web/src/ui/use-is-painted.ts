import { startTransition, useEffect, useState } from 'react'

/**
 * False at first, and true once what is drawn then has been painted: for what is wanted soon, but not before that. What is drawn
 * then is drawn piece by piece, so that presses and what comes in are not held up.
 * @param isDrawn false while what matters is not drawn yet
 */
export function useIsPainted(isDrawn = true): boolean {
  const [isPainted, setIsPainted] = useState(false)
  useEffect(() => {
    if (!isDrawn) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let paints: PerformanceObserver | undefined
    // before the frame is painted; what comes after it is done then, unless it is the first, which may take longer
    const tell = () => startTransition(() => setIsPainted(true))
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => {
        if (isFirstPaintDone()) return tell()
        paints = new PerformanceObserver(() => isFirstPaintDone() && tell())
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
