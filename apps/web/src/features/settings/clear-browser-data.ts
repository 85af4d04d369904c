/** Empties everything that this browser keeps for this page; false when a part of it could not be emptied, which is logged. */
export async function clearBrowserData(): Promise<boolean> {
  const results = await Promise.allSettled([
    attempt(() => localStorage.clear()),
    attempt(() => sessionStorage.clear()),
    attempt(clearDatabases),
    attempt(clearCaches),
  ])
  const refusals = results.filter((result) => result.status === 'rejected')
  for (const { reason } of refusals) console.error('A part of the browser’s storage could not be cleared', reason)
  return refusals.length === 0
}

/** Turns what is thrown at once, as by a forbidden storage, into a rejection. */
async function attempt(clear: () => void | Promise<void>): Promise<void> {
  await clear()
}

async function clearDatabases(): Promise<void> {
  const databases = await indexedDB.databases()
  await Promise.all(databases.map(({ name }) => (name === undefined ? undefined : deleteDatabase(name))))
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    // Open in a tab: the browser deletes it as soon as the tab lets go of it.
    request.onblocked = () => resolve()
    request.onerror = () => reject(request.error)
  })
}

async function clearCaches(): Promise<void> {
  // There are none on pages that are neither https nor localhost.
  if (!('caches' in window)) return
  for (const name of await caches.keys()) await caches.delete(name)
}
