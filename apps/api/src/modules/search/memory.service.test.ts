import { setImmediate } from 'node:timers/promises'
import { searchQuerySchema } from '@mira/shared'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ActivityRecord } from '../../platform/database/activity.ts'
import { createSemaphore } from '../../platform/lib/semaphore.ts'
import { createMemoryService, type MemoryDeps } from './memory.service.ts'
import type { RetrievalOptions } from './retrieval.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const searcher = { userId: 'anna', language: 'en', timeZone: 'UTC', countsInAnalytics: true } as const
const query = searchQuerySchema.parse({ query: 'lighthouse' })

/** Search of an empty memory, which takes 300 ms to search and 500 ms to read its results, one search at a time. */
function createSearch() {
  const options: RetrievalOptions[] = []
  const records: ActivityRecord[] = []
  let running = 0
  let mostRunning = 0
  const memory = createMemoryService({
    store: {
      readResults: async () => {
        await setImmediate()
        vi.advanceTimersByTime(500)
        running--
        return []
      },
    },
    records: { record: async (record: ActivityRecord) => void records.push(record) },
    stems: { stemsOf: async () => new Map() },
    retrieval: {
      find: async (_understood: unknown, one: RetrievalOptions) => {
        options.push(one)
        mostRunning = Math.max(mostRunning, ++running)
        await setImmediate()
        vi.advanceTimersByTime(300)
        return { hits: [], terms: [], mode: 'words' }
      },
    },
    semaphore: createSemaphore({ permits: 1, maxWaiting: 1 }),
    events: { publish: () => {} },
  } as unknown as MemoryDeps)
  return { memory, options, records, mostRunning: () => mostRunning }
}

test('records the time that the user waited: for a permit, for the search and for reading its results', async () => {
  const { memory, records } = createSearch()
  const responses = await Promise.all([memory.search(searcher, query), memory.search(searcher, query)])
  expect(responses.map(({ took_ms }) => took_ms)).toEqual([800, 1600])
  expect(records.map(({ durationMs }) => durationMs)).toEqual([800, 1600])
})

test('a saved search waits for a permit like any other, and is refused when too many are waiting', async () => {
  const { memory, records, mostRunning } = createSearch()
  const searches = [memory.search(searcher, query), memory.findItems(searcher, 'lighthouse')]
  await expect(memory.findItems(searcher, 'harbour')).rejects.toMatchObject({ code: 'busy' })
  await Promise.all(searches)
  expect(mostRunning()).toBe(1)
  expect(records).toHaveLength(1)
})

test('only the last word of a query that the user may still be typing may begin a longer one', async () => {
  const { memory, options } = createSearch()
  await memory.search({ ...searcher, isTyping: true }, query)
  await memory.search(searcher, query)
  await memory.findItems(searcher, 'lighthouse')
  expect(options.map(({ mayEndInPrefix }) => mayEndInPrefix)).toEqual([true, false, false])
})
