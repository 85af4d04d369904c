import { expect, test } from 'vitest'
import { createLog } from '../../../log.ts'
import type { CandidatesStore } from '../candidates.store.ts'
import type { MemoryStore, MomentRow } from '../memory.store.ts'
import type { MemorySize } from '../memory-sizes.ts'
import type { SearchScope } from '../scope.ts'
import { noStems, type Term } from '../terms.ts'
import { createSpellingSearch, findByWords, rarityOf } from './words.ts'

const scope: SearchScope = {
  ...{ userId: 'ada', types: null, tags: [], from: null, to: null, timeZone: 'UTC', phrases: [], excluded: null },
  includesFrames: true,
}
const moment = { id: '1' } as MomentRow
const termOf = (word: string): Term => ({ word, stems: noStems, weight: 1, isPrefix: false, isStopWord: false })
/** Runs the arm for misspelled words on words that no text contains. */
function findMisspelled(findLike: MemoryStore['findLike'], ...words: string[]): Promise<string[]> {
  const terms = new Set(words.map(termOf))
  return createSpellingSearch({ store: { findLike }, log: createLog('silent') }).find(
    { rare: terms, unknown: terms },
    scope,
  )
}
const sizeOf = (moments: number, frequent: [string, number][] = []): MemorySize => ({
  ...{ languages: new Map([['english', moments]]), moments },
  ...{ averageBytes: () => 100, averageItemBytes: 100, frequent: new Map(frequent) },
})

test('a search continues when the lookup of misspelled words fails', async () => {
  const failing = async () => {
    throw new Error('Query read timeout')
  }
  expect(await findMisspelled(failing, 'lighthouse')).toEqual([])
})

test('the lookup of misspelled words stops at its deadline, however many patterns are left', async () => {
  let lookups = 0
  const slow = async () => {
    lookups++
    await new Promise((resolve) => setTimeout(resolve, 200))
    return []
  }
  await findMisspelled(slow, 'lightouse', 'restaurnt', 'stromrechnugsbetrag')
  expect(lookups).toBe(2)
})

test('a word in most texts of a large memory isn’t looked up beside rarer ones, and has little weight', async () => {
  const queries: string[][] = []
  const withWords: CandidatesStore['withWords'] = async (_scope, words) => {
    queries.push(words.map(({ tsquery }) => tsquery))
    return { moments: [moment], counts: words.map(() => 3), adjustedCounts: words.map(() => 3) }
  }
  const query = { terms: ['the', 'lighthouse'].map(termOf), size: sizeOf(100_000, [['the', 0.8]]), language: 'en' }
  const { rarities } = await findByWords({ withWords }, query, scope)
  expect(queries).toEqual([[`'lighthouse'`]])
  expect(rarities).toEqual([rarityOf(80_000, 100_000), rarityOf(3, 100_000)])
  expect(rarities[0]).toBeLessThan((rarities[1] ?? 0) / 20)
})

test('frequent words are looked up while that’s fast, less frequent ones first', async () => {
  const queries: string[][] = []
  const withWords: CandidatesStore['withWords'] = async (_scope, words) => {
    queries.push(words.map(({ tsquery }) => tsquery))
    return { moments: [moment], counts: words.map(() => 3), adjustedCounts: words.map(() => 3) }
  }
  const size = sizeOf(4000, [
    ['flow', 0.15],
    ['pressure', 0.2],
    ['wing', 0.08],
  ])
  await findByWords(
    { withWords },
    { terms: ['pressure', 'flow', 'wing', 'flutter'].map(termOf), size, language: 'en' },
    scope,
  )
  expect(queries).toEqual([["'flow'", "'wing'", "'flutter'"]])
})

test('an everyday word has little weight even in a memory without it, and a rare word has much', async () => {
  const minCounts: number[] = []
  const withWords: CandidatesStore['withWords'] = async (_scope, words) => {
    minCounts.push(...words.map(({ minMomentCount }) => minMomentCount))
    return { moments: [moment], counts: words.map(() => 1), adjustedCounts: words.map(() => 1) }
  }
  const raritiesOf = async (words: string[], language: string) =>
    (await findByWords({ withWords }, { terms: words.map(termOf), size: sizeOf(100), language }, scope)).rarities
  const [what = 0, lighthouse = 0] = await raritiesOf(['what', 'lighthouse'], 'en')
  expect(what).toBeLessThan(lighthouse / 3)
  expect(minCounts.map((count) => count > 0)).toEqual([true, false])
  expect(await raritiesOf(['what'], 'de')).toEqual([rarityOf(1, 100)])
})
