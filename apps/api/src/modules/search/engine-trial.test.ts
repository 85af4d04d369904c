import { afterEach, expect, test, vi } from 'vitest'
import { resetClocks, setClockBack } from '../../../test/clocks.ts'
import { silentLog } from '../../../test/database-template.ts'
import type { Embedder } from '../../engines/engine-types.ts'
import { createEngineProfiles } from './indexing/engine-profiles.ts'
import { createEngineTrials, trustIn, tryEngine } from './indexing/engine-trials.service.ts'

afterEach(resetClocks)

const signal = new AbortController().signal

/** An engine whose vectors depend on a text, its index, and whether it's a query. */
function engineOf(vectorOf: (text: string, index: number, isQuery: boolean) => number[]) {
  const purposes: string[] = []
  const embed: Embedder['embed'] = async (texts, purpose) => {
    purposes.push(purpose)
    return {
      model: 'm',
      dimensions: 64,
      vectors: texts.map((text, index) => vectorOf(text, index, purpose === 'query')),
    }
  }
  return { engine: { engine: 'remote', model: () => 'm', embed } as Embedder, purposes }
}

const unitVector = (axis: number) => Array.from({ length: 64 }, (_, index) => (index === axis ? 1 : 0))

test('trusts an engine that puts each question nearest to its answer in every language, after two requests', async () => {
  const { engine, purposes } = engineOf((_text, index) => unitVector(index))
  expect(await tryEngine(engine, signal)).toEqual({ en: 1, es: 1, fr: 1, de: 1 })
  expect(purposes).toEqual(['query', 'passage'])
})

test('distrusts an engine that can’t distinguish texts or is nearest to wrong answers', async () => {
  expect(await tryEngine(engineOf(() => unitVector(0)).engine, signal)).toEqual({ en: 0, es: 0, fr: 0, de: 0 })
  const shifted = engineOf((_text, index, isQuery) => unitVector((index + (isQuery ? 1 : 0)) % 48)).engine
  for (const trust of Object.values(await tryEngine(shifted, signal))) expect(trust).toBeLessThan(0.5)
})

test('hardly trusts an engine that only counts words', async () => {
  const words = new Map<string, number>()
  const { engine } = engineOf((text) => {
    const vector = new Array(600).fill(0)
    for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
      if (!words.has(word)) words.set(word, words.size)
      vector[words.get(word) ?? 0]++
    }
    return vector
  })
  for (const trust of Object.values(await tryEngine(engine, signal))) expect(trust).toBeLessThan(0.5)
})

test('trusts an engine for one language only in that language', async () => {
  const { engine } = engineOf((_text, index) => (index < 12 ? unitVector(index) : unitVector(0)))
  const trust = await tryEngine(engine, signal)
  expect([trust.en, trust.de]).toEqual([1, 0])
})

test('distrusts an engine whose vectors are zero', async () => {
  const zeros = await tryEngine(engineOf(() => new Array(64).fill(0)).engine, signal)
  expect(Object.values(zeros)).toEqual([0, 0, 0, 0])
})

test('throws the error of a failing engine', async () => {
  const engine = { engine: 'remote', model: () => 'm', embed: () => Promise.reject(new Error('down')) } as never
  await expect(tryEngine(engine, signal)).rejects.toThrow('down')
})

test('trust in an untested language is the mean of the others', () => {
  const trust = { en: 1, de: 0.5 }
  expect([trustIn(trust, 'en'), trustIn(trust, 'pt'), trustIn(trust, null), trustIn({}, 'en')]).toEqual([
    1, 0.75, 0.75, 0,
  ])
})

test('retries a failed trial and an unavailable model after a minute, even when the clock is set back', async () => {
  const embed = vi.fn(() => Promise.reject(new Error('down')))
  const embedder = { engine: 'remote', model: () => 'm', embed } as never
  const trials = createEngineTrials({ log: silentLog })
  const trust = () => trials.trustIn({ engine: 'remote', model: 'm' }, embedder, 'en')
  await trust()
  await trust()
  const callsBefore = embed.mock.calls.length
  const profiles = createEngineProfiles({ store: {}, ai: {}, requestFilling: () => {} } as never)
  const profile = { id: 1 } as Parameters<typeof profiles.isUnavailable>[0]
  profiles.markUnavailable(profile)
  expect(profiles.isUnavailable(profile)).toBe(true)
  setClockBack(61_000)
  expect(profiles.isUnavailable(profile)).toBe(false)
  await trust()
  expect(embed.mock.calls.length).toBeGreaterThan(callsBefore)
})
