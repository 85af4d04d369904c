import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { marked, searchesOf } from '../../../test/search-client.ts'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'

let mira: TestApp
let searches: ReturnType<typeof searchesOf>

beforeAll(async () => {
  mira = await startTestApp()
})
beforeEach(async () => {
  searches = searchesOf(mira, await mira.createUser({ can_upload: true }))
})
afterAll(() => mira.close())

test('a word that stands nowhere finds one that is spelled nearly so as a guess, which is announced and no find', async () => {
  await searches.keep({}, ['Suites for the cello by Bach'])
  await searches.keep({}, ['One each for the children'])
  const { results, understood } = await searches.search('beach')
  expect(results.map(marked)).toEqual(['Suites for the cello by ‹Bach›'])
  expect(results[0]).toMatchObject({ certainty: 'perhaps', is_guess: true })
  expect(results[0]?.similarity_score).toBeLessThan(0.5)
  expect(understood?.corrections).toEqual([{ from: 'beach', to: 'Bach' }])
})

test('a guess comes after everything that holds a word as it was typed, and makes nothing surer', async () => {
  await searches.keep({}, ['Bach plays the organ of Bach, by Bach'])
  const itemIds: string[] = []
  for (const body of ['A puppy with a stick', 'The puppy sleeps']) itemIds.push((await searches.keep({}, [body])).id)
  const { results } = await searches.search('puppy on the beach')
  expect(
    results
      .slice(0, 2)
      .map(({ media_id }) => media_id)
      .toSorted(),
  ).toEqual(itemIds.toSorted())
  expect(results[2]).toMatchObject({ certainty: 'perhaps', is_guess: true })
})

test('a word that stands somewhere is never taken for another one', async () => {
  await searches.keep({}, ['The beach at noon'])
  await searches.keep({}, ['Suites by Bach'])
  const { results, understood } = await searches.search('beach')
  expect(results.map(marked)).toEqual(['The ‹beach› at noon'])
  expect(understood?.corrections).toBeUndefined()
  // neither is one that is only a tag
  await searches.keep({ tags: ['Bech'] }, ['A table'])
  expect((await searches.search('bech')).understood?.corrections).toBeUndefined()
})

test('words that share a stem in another language alone are other words', async () => {
  await searches.keep({}, [{ body: 'Tread with care', language: 'english' }])
  for (const query of ['my car', 'beech tree']) {
    const { results } = await searches.search(query)
    expect({ query, found: results.map(marked) }).toEqual({ query, found: [] })
  }
})

test('the beginning of a word that stands nowhere itself is a guess as well', async () => {
  await searches.keep({}, ['The lighthouse of Sylt'])
  const { results, understood } = await searches.search('light')
  expect(results[0]).toMatchObject({ certainty: 'perhaps', is_guess: true })
  expect(understood?.corrections).toEqual([{ from: 'light', to: 'lighthouse' }])
  await searches.keep({}, ['A light in the dark'])
  expect((await searches.search('light')).results.map(marked)).toEqual(['A ‹light› in the dark'])
})

test('with exact, nothing but what was typed is looked for', async () => {
  await searches.keep({}, ['Suites for the cello by Bach'])
  const { results, understood } = await searches.search('beach', { exact: 'true' })
  expect([results, understood?.corrections]).toEqual([[], undefined])
})
