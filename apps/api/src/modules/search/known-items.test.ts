import { expect, test } from 'vitest'
import type { KnownItemFigures } from './known-items.store.ts'
import { createKnownItems } from './known-items.ts'
import type { MomentRow } from './memory.store.ts'
import type { Retrieval } from './retrieval.ts'

const running = new AbortController().signal
const noProgress = { total: () => {}, done: () => {} }

/** A trial of users with this many moments each, in which nothing is found. @param unreadable users whose trial fails */
function createTrial(momentCounts: Record<string, number>, unreadable: string[] = []) {
  const figuresByUser = new Map<string, KnownItemFigures>()
  const momentsOf = (userId: string): MomentRow[] =>
    Array.from({ length: momentCounts[userId] ?? 0 }, (_, index) => ({
      ...{ id: `${userId} ${index}`, mediaId: userId, kind: 'text', position: index, page: index, frameNumber: null },
      ...{ startSeconds: null, endSeconds: null, box: null, language: 'english' },
      body: `The letter number ${index} is about nothing else than ${index}`,
    }))
  const knownItems = createKnownItems({
    store: {
      usersToTry: async (_measuredAt, { skip, limit }) =>
        Object.entries(momentCounts)
          .filter(([userId]) => !figuresByUser.has(userId))
          .slice(skip, skip + limit)
          .map(([userId, moments]) => ({ userId, moments })),
      sample: async (userId, limit) => {
        if (unreadable.includes(userId)) throw new Error(`unreadable: ${userId}`)
        return momentsOf(userId).slice(0, limit)
      },
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

test('tries the others when a user’s trial fails', async () => {
  const { knownItems, askedCounts } = createTrial({ anna: 1, ben: 2, cleo: 3 }, ['anna'])
  await expect(knownItems.measure(new Date(), noProgress, running)).rejects.toThrow('unreadable: anna')
  expect(askedCounts()).toEqual([
    ['ben', 2],
    ['cleo', 3],
  ])
})

test('a hundred users whose trial fails don’t block the others', async () => {
  const failing = Array.from({ length: 100 }, (_, index) => `failing ${index}`)
  const momentCounts = Object.fromEntries([...failing, 'anna', 'ben'].map((userId) => [userId, 3]))
  const { knownItems, askedCounts } = createTrial(momentCounts, failing)
  await expect(knownItems.measure(new Date(), noProgress, running)).rejects.toThrow('unreadable: failing 0')
  expect(askedCounts()).toEqual([
    ['anna', 3],
    ['ben', 3],
  ])
})

test('throws when it’s aborted', async () => {
  const { knownItems } = createTrial({ anna: 2 })
  await expect(knownItems.measure(new Date(), noProgress, AbortSignal.abort())).rejects.toThrow()
})
