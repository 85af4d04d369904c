/** Values that couldn't be stored, so that the page works until it's closed. */
const fallback = new Map<string, string>()

/** Reads a text stored in this browser; null when there's none. */
export function readStored(key: string): string | null {
  try {
    // A value that couldn't be stored is newer than the stored one.
    return fallback.get(key) ?? localStorage.getItem(key)
  } catch {
    // Storage may be blocked; values written since the page was opened are still available.
    return fallback.get(key) ?? null
  }
}

/** Stores a text in this browser, or removes it (null). @returns false when the text only lasts until the page is closed. */
export function writeStored(key: string, value: string | null): boolean {
  fallback.delete(key)
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
    return true
  } catch (error) {
    console.error(`Could not store "${key}" in this browser`, error)
    if (value !== null) fallback.set(key, value)
    return false
  }
}

/** Forgets values that couldn't be stored, except those of some keys. */
export function forgetUnstored(isKept: (key: string) => boolean): void {
  for (const key of fallback.keys()) if (!isKept(key)) fallback.delete(key)
}

/** Calls `listener` when another tab changes `key`, or clears everything; returns a function that stops listening. */
export function watchStored(key: string, listener: () => void): () => void {
  const handle = (event: StorageEvent) => {
    if (event.storageArea !== localStorage) return
    // Another tab's value is newer than one that this tab couldn't store.
    if (event.key === null) fallback.clear()
    else fallback.delete(event.key)
    if (event.key === key || event.key === null) listener()
  }
  window.addEventListener('storage', handle)
  return () => window.removeEventListener('storage', handle)
}
