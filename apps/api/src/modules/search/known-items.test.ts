import { expect, test } from 'vitest'
import type { KnownItemFigures } from './known-items.store.ts'
import { createKnownItems } from './known-items.ts'
import type { MomentRow } from './memory.store.ts'
import type { Retrieval } from './retrieval.ts'

const running = new AbortController().signal
const nowhere = { total: () => {}, done: () => {} }

/** People with so many moments each, in memories where nothing is found. */
function createTrial(people: Record<string, number>) {
  const kept = new Map<string, KnownItemFigures>()
  const momentsOf = (userId: string): MomentRow[] =>
    Array.from({ length: people[userId] ?? 0 }, (_, at) => ({
      ...{ id: `${userId} ${at}`, mediaId: userId, kind: 'text', position: at, page: at, frameNumber: null },
      ...{ startSeconds: null, endSeconds: null, box: null, language: 'english' },
      body: `The letter number ${at} is about nothing else than ${at}`,
    }))
  const knownItems = createKnownItems({
    store: {
      people: async (limit) =>
        Object.entries(people)
          .slice(0, limit)
          .map(([userId, moments]) => ({ userId, moments })),
      sample: async (userId, limit) => momentsOf(userId).slice(0, limit),
      keep: async (userId, _at, figures) => void kept.set(userId, figures),
      latest: async () => null,
    },
    memory: { readMoments: async () => [] },
    stems: { stemsOf: async () => new Map() },
    retrieval: { find: async () => ({ hits: [], terms: [], mode: 'words' }) } as unknown as Retrieval,
    meaning: { find: async () => ({ mode: 'words', moments: new Map(), compare: null }) },
    looks: { find: async () => ({ mode: 'words', looks: [] }) },
  })
  return { knownItems, kept, asked: () => [...kept].map(([userId, { asked }]) => [userId, asked]) }
}

test('a hundred are looked for in one night: what some have too little of is left to the others', async () => {
  const { knownItems, asked } = createTrial({ anna: 500, ben: 5, cleo: 30 })
  expect(await knownItems.measure(new Date(), nowhere, running)).toEqual({ asked: 100, found: 0 })
  expect(asked()).toEqual([
    ['ben', 5],
    ['cleo', 30],
    ['anna', 65],
  ])
})

test('where there are more people than a night has room for, as many are tried as it has', async () => {
  const people = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`person ${at}`, 3]))
  const { knownItems, kept } = createTrial(people)
  expect((await knownItems.measure(new Date(), nowhere, running)).asked).toBe(100)
  expect(kept.size).toBe(100)
})

test('what no engine answered for is not counted as not found', async () => {
  const { knownItems, kept } = createTrial({ anna: 2 })
  await knownItems.measure(new Date(), nowhere, running)
  expect(kept.get('anna')).toEqual({ asked: 2, found: 0, foundByWords: 0, askedByMeaning: null, foundByMeaning: null })
})

test('a night that is cut short says so', async () => {
  const { knownItems } = createTrial({ anna: 2 })
  await expect(knownItems.measure(new Date(), nowhere, AbortSignal.abort())).rejects.toThrow()
})
