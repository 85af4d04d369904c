import { expect, test } from 'vitest'
import { createLog } from '../../log.ts'
import type { MomentRow } from './memory.store.ts'
import type { MemorySize } from './memory-sizes.ts'
import type { SearchScope } from './scope.ts'
import { noStems, type Term } from './terms.ts'
import { createWordSearch, rarityOf, type WordSearchDeps } from './word-search.ts'

const scope: SearchScope = {
  ...{ userId: 'ada', types: null, tags: [], from: null, to: null, timeZone: 'UTC', phrases: [], excluded: null },
  includesFrames: true,
}
const moment = { id: '1' } as MomentRow
const termOf = (word: string): Term => ({ word, stems: noStems, weight: 1, isOpen: false, isJoining: false })
/** Words that stand nowhere. */
function misspelt(...words: string[]): [rare: Set<Term>, unknown: Set<Term>] {
  const terms = new Set(words.map(termOf))
  return [terms, terms]
}
const sizeOf = (moments: number, frequent: [string, number][] = []): MemorySize => ({
  ...{ languages: new Map([['english', moments]]), moments },
  ...{ averageBytes: () => 100, averageItemBytes: 100, frequent: new Map(frequent) },
})

function searchWith({ candidates, ...store }: Partial<WordSearchDeps['store'] & WordSearchDeps> = {}) {
  return createWordSearch({
    candidates: candidates ?? {
      withWords: async (_scope, asked) => ({ moments: [moment], counts: asked.map(() => 1), held: asked.map(() => 1) }),
      itemBytes: async () => new Map(),
    },
    store: { findLike: async () => [], findTagged: async () => [], ...store },
    stems: { stemsOf: async () => new Map(), joiningOf: () => new Set() },
    log: createLog('silent'),
  })
}

test('a search goes on when looking for words spelled nearly so fails', async () => {
  const { findMisspelled } = searchWith({
    findLike: async () => {
      throw new Error('Query read timeout')
    },
  })
  expect(await findMisspelled(scope, ...misspelt('lighthouse'))).toEqual([])
})

test('looking for words spelled nearly so ends when it has taken long, however many patterns are left', async () => {
  let asked = 0
  const { findMisspelled } = searchWith({
    findLike: async () => {
      asked++
      await new Promise((resolve) => setTimeout(resolve, 200))
      return []
    },
  })
  await findMisspelled(scope, ...misspelt('lightouse', 'restaurnt', 'stromrechnugsbetrag'))
  expect(asked).toBe(2)
})

test('a word that most texts of a large memory hold is not looked up beside rarer ones, and tells little', async () => {
  const asked: string[][] = []
  const { find } = searchWith({
    candidates: {
      async withWords(_scope, words) {
        asked.push(words.map(({ tsquery }) => tsquery))
        return { moments: [moment], counts: words.map(() => 3), held: words.map(() => 3) }
      },
      itemBytes: async () => new Map(),
    },
  })
  const size = sizeOf(100_000, [['the', 0.8]])
  const { rarities } = await find(scope, ['the', 'lighthouse'].map(termOf), size, 300, 'en')
  expect(asked).toEqual([[`'lighthouse'`]])
  expect(rarities).toEqual([rarityOf(80_000, 100_000), rarityOf(3, 100_000)])
  expect(rarities[0]).toBeLessThan((rarities[1] ?? 0) / 20)
})

test('what is said about anything tells little in a memory that does not hold it, and a rare word much', async () => {
  const asked: { word: string; least: number }[] = []
  const { find } = searchWith({
    candidates: {
      async withWords(_scope, words) {
        asked.push(...words.map(({ tsquery, leastHeld }) => ({ word: tsquery, least: leastHeld })))
        return { moments: [moment], counts: words.map(() => 1), held: words.map(() => 1) }
      },
      itemBytes: async () => new Map(),
    },
  })
  const [what = 0, lighthouse = 0] = (await find(scope, ['what', 'lighthouse'].map(termOf), sizeOf(100), 300, 'en'))
    .rarities
  expect(what).toBeLessThan(lighthouse / 3)
  expect(asked.map(({ least }) => least > 0)).toEqual([true, false])
  expect((await find(scope, [termOf('what')], sizeOf(100), 300, 'de')).rarities).toEqual([rarityOf(1, 100)])
})
