import { setBounded } from '../../platform/lib/bounded-map.ts'
import type { CandidatesStore, WordStatistics } from './candidates.store.ts'
import type { MomentKind } from './memory.store.ts'

/** Statistics of a user's memory from which the rarity of words is computed. */
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

/** Statistics of users' memories. Those of a large memory hardly change within minutes, so they're cached. */
export function createMemorySizes({ store }: { store: Pick<CandidatesStore, 'sizes' | 'frequentWords'> }) {
  const cache = new Map<string, CacheEntry>()

  const measure = async (userId: string): Promise<MemorySize> => {
    const groups = await store.sizes(userId)
    const countOf = (some: typeof groups) => some.reduce((sum, { moments }) => sum + moments, 0)
    const moments = countOf(groups)
    const languages = new Map(
      groups.map(({ language }) => [language, countOf(groups.filter((group) => group.language === language))]),
    )
    const averages = new Map<MomentKind, number>()
    for (const { kind } of groups) {
      const ofKind = groups.filter((group) => group.kind === kind)
      const bytes = ofKind.reduce((sum, one) => sum + one.averageBytes * one.moments, 0)
      averages.set(kind, bytes / Math.max(1, countOf(ofKind)))
    }
    const bytes = groups.reduce(
      (sum, { kind, averageBytes, moments }) => sum + (kind === 'name' ? 0 : averageBytes * moments),
      0,
    )
    const items = countOf(groups.filter(({ kind }) => kind === 'name'))
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
