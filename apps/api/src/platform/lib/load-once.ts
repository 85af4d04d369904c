/**
 * Loads something with its first use, and keeps it; where that failed, the next use tries again.
 * @returns what loads it, and in `loaded` what is there or on its way.
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
