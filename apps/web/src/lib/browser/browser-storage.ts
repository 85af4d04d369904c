/** Values that couldn't be stored, so that the page works until it's closed. */
const fallback = new Map<string, string>()

/** Reads a text that this browser keeps; null when there is none. */
export function readStored(key: string): string | null {
  try {
    // A value that couldn't be stored is newer than the one that still is.
    return fallback.get(key) ?? localStorage.getItem(key)
  } catch {
    // Storage can be forbidden altogether; what was written since the page opened still counts.
    return fallback.get(key) ?? null
  }
}

/** Keeps a text in this browser, or forgets it (null). False when it holds only until the page is closed. */
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

/** Forgets what could not be stored, except for some keys. */
export function forgetUnstored(isKept: (key: string) => boolean): void {
  for (const key of fallback.keys()) if (!isKept(key)) fallback.delete(key)
}

/** Calls `listener` when another tab changes `key`, or clears everything, and returns how to stop. */
export function watchStored(key: string, listener: () => void): () => void {
  const handle = (event: StorageEvent) => {
    if (event.storageArea !== localStorage) return
    // What another tab stores is newer than what this one couldn't.
    if (event.key === null) fallback.clear()
    else fallback.delete(event.key)
    if (event.key === key || event.key === null) listener()
  }
  window.addEventListener('storage', handle)
  return () => window.removeEventListener('storage', handle)
}
