import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { markedSnippet, searchesOf } from '../../../test/search-client.ts'
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

test('a word in no text finds a similarly spelled one as a guess, which is shown as a correction and isn’t certain', async () => {
  await searches.addItem({}, ['Suites for the cello by Bach'])
  await searches.addItem({}, ['One each for the children'])
  const { results, understood } = await searches.search('beach')
  expect(results.map(markedSnippet)).toEqual(['Suites for the cello by ‹Bach›'])
  expect(results[0]).toMatchObject({ certainty: 'perhaps', is_guess: true })
  expect(results[0]?.similarity_score).toBeLessThan(0.5)
  expect(understood?.corrections).toEqual([{ from: 'beach', to: 'Bach' }])
})

test('a guess is ranked after all texts with a typed word, and stays uncertain', async () => {
  await searches.addItem({}, ['Bach plays the organ of Bach, by Bach'])
  const itemIds: string[] = []
  for (const body of ['A puppy with a stick', 'The puppy sleeps']) itemIds.push((await searches.addItem({}, [body])).id)
  const { results } = await searches.search('puppy on the beach')
  expect(
    results
      .slice(0, 2)
      .map(({ media_id }) => media_id)
      .toSorted(),
  ).toEqual(itemIds.toSorted())
  expect(results[2]).toMatchObject({ certainty: 'perhaps', is_guess: true })
})

test('a word in some text is never corrected', async () => {
  await searches.addItem({}, ['The beach at noon'])
  await searches.addItem({}, ['Suites by Bach'])
  const { results, understood } = await searches.search('beach')
  expect(results.map(markedSnippet)).toEqual(['The ‹beach› at noon'])
  expect(understood?.corrections).toBeUndefined()
  // nor is one that is only a tag
  await searches.addItem({ tags: ['Bech'] }, ['A table'])
  expect((await searches.search('bech')).understood?.corrections).toBeUndefined()
})

test('words that share a stem only in another language don’t match', async () => {
  await searches.addItem({}, [{ body: 'Tread with care', language: 'english' }])
  for (const query of ['my car', 'beech tree']) {
    const { results } = await searches.search(query)
    expect({ query, found: results.map(markedSnippet) }).toEqual({ query, found: [] })
  }
})

test('the beginning of a word is also a guess when it’s in no text itself', async () => {
  await searches.addItem({}, ['The lighthouse of Sylt'])
  const { results, understood } = await searches.search('light')
  expect(results[0]).toMatchObject({ certainty: 'perhaps', is_guess: true })
  expect(understood?.corrections).toEqual([{ from: 'light', to: 'lighthouse' }])
  await searches.addItem({}, ['A light in the dark'])
  expect((await searches.search('light')).results.map(markedSnippet)).toEqual(['A ‹light› in the dark'])
})

test('with exact, only the typed words are searched for', async () => {
  await searches.addItem({}, ['Suites for the cello by Bach'])
  const { results, understood } = await searches.search('beach', { exact: 'true' })
  expect([results, understood?.corrections]).toEqual([[], undefined])
})
