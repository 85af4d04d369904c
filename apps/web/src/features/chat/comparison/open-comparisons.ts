const KEY = 'mira-comparisons'
const MOST_KEPT = 20

/** The answer whose comparison was open in a conversation when this tab showed it last; null for none. */
export function openComparison(sessionId: string): string | null {
  return new Map(read()).get(sessionId) ?? null
}

/** Remembers in this tab, for as long as it is open, what is compared in a conversation; null for nothing any more. */
export function keepComparison(sessionId: string, answerId: string | null): void {
  const others = read().filter(([id]) => id !== sessionId)
  const entries = answerId === null ? others : [...others, [sessionId, answerId] as const].slice(-MOST_KEPT)
  try {
    sessionStorage.setItem(KEY, JSON.stringify(entries))
  } catch (error) {
    // without room it is only not shown again after a reload
    console.warn('An open comparison could not be remembered', error)
  }
}

function read(): (readonly [string, string])[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string')
}
