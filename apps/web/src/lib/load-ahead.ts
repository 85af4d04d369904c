/** It is not waited for any longer than this until there is nothing to do. */
const LATEST_MS = 2_000

/** Loads a part of the app that is wanted soon, but not before what is seen first is there. */
export function loadAhead(load: () => Promise<unknown>): void {
  const act = () => {
    // whoever shows the part tries again, and says what came of it
    if (navigator.onLine) load().catch(() => {})
  }
  // not every browser says when it has nothing to do
  if ('requestIdleCallback' in window) requestIdleCallback(act, { timeout: LATEST_MS })
  else setTimeout(act, LATEST_MS)
}
