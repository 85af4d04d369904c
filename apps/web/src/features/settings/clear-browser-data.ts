/** Empties everything that this browser keeps for this page; what cannot be emptied is logged and left. */
export async function clearBrowserData(): Promise<void> {
  const results = await Promise.allSettled([
    attempt(() => localStorage.clear()),
    attempt(() => sessionStorage.clear()),
    attempt(clearDatabases),
    attempt(clearCaches),
  ])
  for (const result of results) {
    if (result.status === 'rejected')
      console.error('A part of the browser’s storage could not be cleared', result.reason)
  }
}

/** Turns what is thrown at once, as by a forbidden storage, into a rejection. */
async function attempt(clear: () => void | Promise<void>): Promise<void> {
  await clear()
}

async function clearDatabases(): Promise<void> {
  for (const { name } of await indexedDB.databases()) {
    if (name !== undefined) indexedDB.deleteDatabase(name)
  }
}

async function clearCaches(): Promise<void> {
  // There are none on pages that are neither https nor localhost.
  if (!('caches' in window)) return
  for (const name of await caches.keys()) await caches.delete(name)
}
