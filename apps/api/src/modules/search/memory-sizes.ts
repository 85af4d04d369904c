import { setBounded } from '../../platform/lib/bounded-map.ts'
import type { CandidatesStore, WordStatistics } from './candidates.store.ts'
import type { MomentKind } from './memory.store.ts'

/** Statistics of a user's memory for the rarity of words. */
export interface MemorySize extends WordStatistics {
  /** Frequent words, with the share of a language's moments that contain each. Empty for a small memory, whose words are counted. */
  frequent: Map<string, number>
  /** Average bytes of an item's texts, without its name. */
  averageItemBytes: number
}

export type MemorySizes = ReturnType<typeof createMemorySizes>

/** Maximum moments of a memory whose words every search counts. */
const COUNTED_MOMENTS = 1000
const LIFETIME_MS = 5 * 60_000
/** Share of the moments above which a word is frequent. Shares of frequent words are cached, and a search looks up few of them. */
const FREQUENT_SHARE = 0.04
const MAX_CACHED = 1000

interface CacheEntry {
  size: MemorySize
  expiresAt: number
  isRefreshing: boolean
}

/** Statistics of users' memories. For a large memory they change little in minutes, so they're cached and refreshed later. */
export function createMemorySizes({ store }: { store: Pick<CandidatesStore, 'sizes' | 'frequentWords'> }) {
  const cache = new Map<string, CacheEntry>()

  const measure = async (userId: string): Promise<MemorySize> => {
    const parts = await store.sizes(userId)
    const countOf = (some: typeof parts) => some.reduce((sum, { moments }) => sum + moments, 0)
    const moments = countOf(parts)
    const languages = new Map(
      parts.map(({ language }) => [language, countOf(parts.filter((part) => part.language === language))]),
    )
    const averages = new Map<MomentKind, number>()
    for (const { kind } of parts) {
      const ofKind = parts.filter((part) => part.kind === kind)
      const bytes = ofKind.reduce((sum, one) => sum + one.averageBytes * one.moments, 0)
      averages.set(kind, bytes / Math.max(1, countOf(ofKind)))
    }
    const bytes = parts.reduce(
      (sum, { kind, averageBytes, moments }) => sum + (kind === 'name' ? 0 : averageBytes * moments),
      0,
    )
    const items = countOf(parts.filter(({ kind }) => kind === 'name'))
    const frequent = new Map<string, number>()
    for (const [language, count] of moments > COUNTED_MOMENTS ? languages : []) {
      // A language with few moments needs no list of frequent words: counting any word takes little time.
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

  const save = (userId: string, size: MemorySize) =>
    setBounded(cache, userId, { size, expiresAt: performance.now() + LIFETIME_MS, isRefreshing: false }, MAX_CACHED)

  /** Refreshes cached figures; they stay in use when that fails. */
  const refresh = async (userId: string, old: CacheEntry) => {
    old.isRefreshing = true
    try {
      save(userId, await measure(userId))
    } catch {
      old.isRefreshing = false
    }
  }

  return {
    async of(userId: string): Promise<MemorySize> {
      const entry = cache.get(userId)
      if (entry) {
        if (entry.expiresAt <= performance.now() && !entry.isRefreshing) void refresh(userId, entry)
        return entry.size
      }
      const statistics = await measure(userId)
      if (statistics.moments > COUNTED_MOMENTS) save(userId, statistics)
      return statistics
    },
  }
}
