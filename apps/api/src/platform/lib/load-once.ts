/**
 * Loads something on first use and caches it; after a failure the next use tries again.
 * @returns the loader, with the cached promise as `loaded`.
 */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): (() => Promise<Loaded>) & { loaded?: Promise<Loaded> } {
  const once: (() => Promise<Loaded>) & { loaded?: Promise<Loaded> } = () => {
    once.loaded ??= load().catch((error: unknown) => {
      delete once.loaded
      throw error
    })
    return once.loaded
  }
  return once
}
