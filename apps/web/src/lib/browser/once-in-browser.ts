/** Time for which a tab keeps the lock, so that other tabs don't repeat its message. */
const KEPT_MS = 60_000
const DELAY_OF_VISIBLE_MS = 100
const DELAY_OF_HIDDEN_MS = 400

/**
 * Has one tab of this browser do something that all of them are told of: the one that has the focus, else one that can be
 * seen, else any. Where the browser has no locks every tab does it.
 */
export async function onceInBrowser(name: string, work: () => void): Promise<void> {
  if (!navigator.locks) {
    work()
    return
  }
  const delayMs = document.hasFocus()
    ? 0
    : document.visibilityState === 'visible'
      ? DELAY_OF_VISIBLE_MS
      : DELAY_OF_HIDDEN_MS
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  await navigator.locks.request(`mira-told-${name}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return
    work()
    await new Promise((resolve) => setTimeout(resolve, KEPT_MS))
  })
}
