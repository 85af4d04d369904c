/** Time for which a tab keeps the lock, so that other tabs don't repeat its message. */
const LOCK_MS = 60_000
const VISIBLE_DELAY_MS = 100
const HIDDEN_DELAY_MS = 400

/**
 * Runs work in a single tab of this browser when all of them call this: in the focused tab, or else a visible one,
 * or else any.
 * Without the Web Locks API, every tab runs it.
 */
export async function onceInBrowser(name: string, work: () => void): Promise<void> {
  if (!navigator.locks) {
    work()
    return
  }
  const delayMs = document.hasFocus() ? 0 : document.visibilityState === 'visible' ? VISIBLE_DELAY_MS : HIDDEN_DELAY_MS
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  await navigator.locks.request(`mira-told-${name}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return
    work()
    await new Promise((resolve) => setTimeout(resolve, LOCK_MS))
  })
}
