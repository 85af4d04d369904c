import { expect, test } from 'vitest'
import type { KnownItemFigures } from './known-items.store.ts'
import { createKnownItems } from './known-items.ts'
import type { MomentRow } from './memory.store.ts'
import type { Retrieval } from './retrieval.ts'

const running = new AbortController().signal
const noProgress = { total: () => {}, done: () => {} }

/** A trial of users with this many moments each, in which nothing is found. */
function createTrial(momentCounts: Record<string, number>) {
  const figuresByUser = new Map<string, KnownItemFigures>()
  const momentsOf = (userId: string): MomentRow[] =>
    Array.from({ length: momentCounts[userId] ?? 0 }, (_, index) => ({
      ...{ id: `${userId} ${index}`, mediaId: userId, kind: 'text', position: index, page: index, frameNumber: null },
      ...{ startSeconds: null, endSeconds: null, box: null, language: 'english' },
      body: `The letter number ${index} is about nothing else than ${index}`,
    }))
  const knownItems = createKnownItems({
    store: {
      usersToTry: async (limit) =>
        Object.entries(momentCounts)
          .slice(0, limit)
          .map(([userId, moments]) => ({ userId, moments })),
      sample: async (userId, limit) => momentsOf(userId).slice(0, limit),
      save: async (userId, _at, figures) => void figuresByUser.set(userId, figures),
      latest: async () => null,
    },
    memory: { readMoments: async () => [] },
    stems: { stemsOf: async () => new Map() },
    retrieval: { find: async () => ({ hits: [], terms: [], mode: 'words' }) } as unknown as Retrieval,
    meaning: { find: async () => ({ mode: 'words', moments: new Map(), compare: null }) },
    looks: { find: async () => ({ mode: 'words', looks: [] }) },
  })
  return {
    knownItems,
    figuresByUser,
    askedCounts: () => [...figuresByUser].map(([userId, { askedCount }]) => [userId, askedCount]),
  }
}

test('searches for a hundred items a night, and gives unused shares of users with few to the others', async () => {
  const { knownItems, askedCounts } = createTrial({ anna: 500, ben: 5, cleo: 30 })
  expect(await knownItems.measure(new Date(), noProgress, running)).toEqual({ askedCount: 100, foundCount: 0 })
  expect(askedCounts()).toEqual([
    ['ben', 5],
    ['cleo', 30],
    ['anna', 65],
  ])
})

test('with more users than items per night, tests a hundred of them', async () => {
  const momentCounts = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`person ${index}`, 3]))
  const { knownItems, figuresByUser } = createTrial(momentCounts)
  expect((await knownItems.measure(new Date(), noProgress, running)).askedCount).toBe(100)
  expect(figuresByUser.size).toBe(100)
})

test('without an engine, the figures by meaning are null instead of 0', async () => {
  const { knownItems, figuresByUser } = createTrial({ anna: 2 })
  await knownItems.measure(new Date(), noProgress, running)
  expect(figuresByUser.get('anna')).toEqual({
    askedCount: 2,
    foundCount: 0,
    foundByWords: 0,
    askedByMeaning: null,
    foundByMeaning: null,
  })
})

test('throws when it’s aborted', async () => {
  const { knownItems } = createTrial({ anna: 2 })
  await expect(knownItems.measure(new Date(), noProgress, AbortSignal.abort())).rejects.toThrow()
})
