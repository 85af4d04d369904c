import type { CandidatesStore, WordStatistics } from './candidates.store.ts'
import type { MomentKind } from './memory.store.ts'

/** Statistics of a user's memory for the rarity of words. */
export interface MemorySize extends WordStatistics {
  /** The share of the moments of a language that hold a word, of words that many do; empty where counting them all is quick. */
  frequent: Map<string, number>
  /** Bytes of what an item holds, but for its name. */
  averageItemBytes: number
}

export type MemorySizes = ReturnType<typeof createMemorySizes>

/** Up to this, every word is counted anew for each search. */
const COUNTED_MOMENTS = 5000
const LIFETIME_MS = 5 * 60_000
/** A word that stands in more of the moments is not worth being counted. */
const FREQUENT_SHARE = 0.04
const MAX_KEPT = 1000

interface Kept {
  size: Promise<MemorySize>
  until: number
  isRenewed: boolean
}

/**
 * Knows how large memories are. What is large changes little in minutes: it is measured again while searches go on with
 * what is known.
 */
export function createMemorySizes({ store }: { store: Pick<CandidatesStore, 'sizes' | 'frequentWords'> }) {
  const kept = new Map<string, Kept>()

  const measure = async (userId: string): Promise<MemorySize> => {
    const parts = await store.sizes(userId)
    const sum = (some: typeof parts) => some.reduce((all, { moments }) => all + moments, 0)
    const moments = sum(parts)
    const languages = new Map(
      parts.map(({ language }) => [language, sum(parts.filter((one) => one.language === language))]),
    )
    const averages = new Map<MomentKind, number>()
    for (const { kind } of parts) {
      const ofKind = parts.filter((one) => one.kind === kind)
      const bytes = ofKind.reduce((all, one) => all + one.averageBytes * one.moments, 0)
      averages.set(kind, bytes / Math.max(1, sum(ofKind)))
    }
    const bytes = parts.reduce(
      (all, { kind, averageBytes, moments }) => all + (kind === 'name' ? 0 : averageBytes * moments),
      0,
    )
    const items = sum(parts.filter(({ kind }) => kind === 'name'))
    const frequent = new Map<string, number>()
    for (const [language, count] of moments > COUNTED_MOMENTS ? languages : []) {
      // what few texts hold is quickly counted, however common it is among them
      if (count < moments * FREQUENT_SHARE) continue
      for (const [word, share] of await store.frequentWords(userId, language, FREQUENT_SHARE))
        frequent.set(word, Math.max(share, frequent.get(word) ?? 0))
    }
    const averageItemBytes = Math.max(1, bytes / Math.max(1, items))
    return {
      moments,
      languages,
      frequent,
      averageItemBytes,
      averageBytes: (kind) => Math.max(1, averages.get(kind) ?? 1),
    }
  }

  const keep = (userId: string, size: Promise<MemorySize>) => {
    kept.delete(userId)
    kept.set(userId, { size, until: Date.now() + LIFETIME_MS, isRenewed: false })
    const oldest = kept.keys().next().value
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
  }

  /** Measures again beside the searches; what is known is gone on with when that fails. */
  const renew = async (userId: string, known: Kept) => {
    known.isRenewed = true
    try {
      keep(userId, Promise.resolve(await measure(userId)))
    } catch {
      known.isRenewed = false
    }
  }

  return {
    async of(userId: string): Promise<MemorySize> {
      const known = kept.get(userId)
      if (known) {
        if (known.until <= Date.now() && !known.isRenewed) void renew(userId, known)
        return known.size
      }
      const measured = await measure(userId)
      if (measured.moments > COUNTED_MOMENTS) keep(userId, Promise.resolve(measured))
      return measured
    },
  }
}
