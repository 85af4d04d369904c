import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemorySizes } from './memory-sizes.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function storeOf(moments: number) {
  const measurements: ((moments: number) => void)[] = []
  const languages: string[] = []
  return {
    measurements,
    languages,
    sizes: () =>
      new Promise<{ kind: 'text'; language: string; moments: number; averageBytes: number }[]>((resolve) => {
        measurements.push((count) =>
          resolve(
            ['english', 'german'].map((language, index) => ({
              ...{ kind: 'text', language, averageBytes: 100 },
              moments: index === 0 ? count : Math.floor(moments / 100),
            })),
          ),
        )
      }),
    frequentWords: async (_userId: string, language: string) => {
      languages.push(language)
      return new Map([['the', 0.9]])
    },
  }
}

test('searches use the known size of a large memory while it’s measured again, even when the clock is set back', async () => {
  const store = storeOf(10_000)
  const sizes = createMemorySizes({ store })
  const first = sizes.of('ada')
  store.measurements[0]?.(10_000)
  expect((await first).languages.get('english')).toBe(10_000)
  vi.setSystemTime(Date.now() - 2 * 60 * 60_000)
  vi.advanceTimersByTime(10 * 60_000)
  expect((await sizes.of('ada')).languages.get('english')).toBe(10_000)
  expect((await sizes.of('ada')).languages.get('english')).toBe(10_000)
  expect(store.measurements).toHaveLength(2)
  store.measurements[1]?.(20_000)
  await vi.waitFor(async () => expect((await sizes.of('ada')).languages.get('english')).toBe(20_000), 30_000)
})

test('samples frequent words only in the main languages of a memory', async () => {
  const store = storeOf(10_000)
  const measuring = createMemorySizes({ store }).of('ada')
  store.measurements[0]?.(10_000)
  expect((await measuring).frequent).toEqual(new Map([['the', 0.9]]))
  expect(store.languages).toEqual(['english'])
})
