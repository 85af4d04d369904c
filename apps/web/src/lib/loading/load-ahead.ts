/** So long nothing has come any more when what is seen first is there. */
const QUIET_MS = 1_000

/** Loads a part of the app that is wanted soon, but not before what is seen first is there, pictures included. Returns how to stop. */
export function loadAhead(load: () => Promise<unknown>): () => void {
  const act = () => {
    stop()
    // whoever shows the part tries again, and says what came of it
    if (navigator.onLine) load().catch(() => {})
  }
  let timer = setTimeout(act, QUIET_MS)
  const arrivals = new PerformanceObserver(() => {
    clearTimeout(timer)
    timer = setTimeout(act, QUIET_MS)
  })
  arrivals.observe({ type: 'resource' })
  const stop = () => {
    clearTimeout(timer)
    arrivals.disconnect()
  }
  return stop
}
