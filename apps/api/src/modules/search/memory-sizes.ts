import { setBounded } from '../../platform/lib/bounded-map.ts'
import type { CandidatesStore, WordStatistics } from './candidates.store.ts'
import type { MomentKind } from './memory.store.ts'

/** Statistics of a user's memory for the rarity of words. */
export interface MemorySize extends WordStatistics {
  /** Share of a language's moments that hold a word, for frequent words; empty for a small memory, which is counted. */
  frequent: Map<string, number>
  /** Bytes of an item's texts without its name. */
  averageItemBytes: number
}

export type MemorySizes = ReturnType<typeof createMemorySizes>

/** Largest memory, in moments, whose words every search counts. */
const COUNTED_MOMENTS = 1000
const LIFETIME_MS = 5 * 60_000
/** Words in a larger share of the moments are frequent: their counts are kept, and a search looks up few of them. */
const FREQUENT_SHARE = 0.04
const MAX_KEPT = 1000

interface Kept {
  size: Promise<MemorySize>
  until: number
  isRenewed: boolean
}

/**
 * Statistics of memories. A large memory changes little in minutes: its figures are kept and refreshed in the background.
 */
export function createMemorySizes({ store }: { store: Pick<CandidatesStore, 'sizes' | 'frequentWords'> }) {
  const cache = new Map<string, Kept>()

  const measure = async (userId: string): Promise<MemorySize> => {
    const parts = await store.sizes(userId)
    const sum = (some: typeof parts) => some.reduce((all, { moments }) => all + moments, 0)
    const moments = sum(parts)
    const languages = new Map(
      parts.map(({ language }) => [language, sum(parts.filter((part) => part.language === language))]),
    )
    const averages = new Map<MomentKind, number>()
    for (const { kind } of parts) {
      const ofKind = parts.filter((part) => part.kind === kind)
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
      // Words of a small part of the memory are quickly counted, however common they are in it.
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

  const keep = (userId: string, size: Promise<MemorySize>) =>
    setBounded(cache, userId, { size, until: performance.now() + LIFETIME_MS, isRenewed: false }, MAX_KEPT)

  /** Refreshes kept figures; they stay in use when that fails. */
  const renew = async (userId: string, old: Kept) => {
    old.isRenewed = true
    try {
      keep(userId, Promise.resolve(await measure(userId)))
    } catch {
      old.isRenewed = false
    }
  }

  return {
    async of(userId: string): Promise<MemorySize> {
      const entry = cache.get(userId)
      if (entry) {
        if (entry.until <= performance.now() && !entry.isRenewed) void renew(userId, entry)
        return entry.size
      }
      const statistics = await measure(userId)
      if (statistics.moments > COUNTED_MOMENTS) keep(userId, Promise.resolve(statistics))
      return statistics
    },
  }
}
