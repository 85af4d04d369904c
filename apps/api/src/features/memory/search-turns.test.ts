import { expect, test } from 'vitest'
import { createSearchTurns } from './search-turns.ts'

/** Searches that end when they are told to. */
function begin(take: ReturnType<typeof createSearchTurns>, userId: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const search = { hasBegun: false, end: resolve, done: Promise.resolve() }
  search.done = take(userId, () => {
    search.hasBegun = true
    return promise
  })
  return search
}

test('one person has two searches at once, and the others wait in their order while another person is let in', async () => {
  const take = createSearchTurns({ perUser: 2, inAll: 3, waitingPerUser: 2, waitingInAll: 10 })
  const ada = [begin(take, 'ada'), begin(take, 'ada'), begin(take, 'ada'), begin(take, 'ada')]
  const bob = [begin(take, 'bob'), begin(take, 'bob')]
  const begun = () => [ada, bob].map((all) => all.map(({ hasBegun }) => hasBegun))
  expect(begun()).toEqual([
    [true, true, false, false],
    [true, false],
  ])
  await expect(begin(take, 'ada').done).rejects.toMatchObject({ status: 429, retryAfterSeconds: 2 })
  ada[0]?.end()
  await ada[0]?.done
  expect(begun()).toEqual([
    [true, true, true, false],
    [true, false],
  ])
  for (const search of [...ada, ...bob]) search.end()
  await Promise.all([...ada, ...bob].map(({ done }) => done))
  expect(begun().flat()).not.toContain(false)
})

test('when too many wait in all, nobody else is let in, and a search that fails leaves its turn', async () => {
  const take = createSearchTurns({ perUser: 1, inAll: 1, waitingPerUser: 1, waitingInAll: 1 })
  const first = begin(take, 'ada')
  const second = take('bob', async () => {
    throw new Error('broken')
  })
  await expect(begin(take, 'cem').done).rejects.toMatchObject({ status: 503, retryAfterSeconds: 5 })
  first.end()
  await expect(second).rejects.toThrow('broken')
  expect(await take('cem', async () => 'found')).toBe('found')
})
