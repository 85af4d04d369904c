import { expect, test } from 'vitest'
import { createWebSearch } from './web-search.ts'

/** Brave, with its answers in their order; the last repeats. */
function braveThat(...answers: [status: number, results: object[]][]) {
  const queries: string[] = []
  const search = createWebSearch({
    fetch: async (url) => {
      queries.push(new URL(String(url)).searchParams.get('q') ?? '')
      const [status, results] = (answers.length > 1 ? answers.shift() : answers[0]) ?? [500, []]
      return Response.json({ web: { results } }, { status })
    },
  })
  const place = { provider: 'brave', baseUrl: 'https://brave.example', apiKey: 'key' } as const
  return { queries, search: (query: string) => search(place, query, { limit: 5 }) }
}

const url = 'https://a.example/'

test('what Brave finds is read without the marks of a page', async () => {
  const result = {
    title: 'Tom &amp; Jerry&#x27;s &quot;<strong>boat</strong>&quot;',
    url,
    description: '5 &lt; 6 &#8211; &unheard; &amp;lt; &lt;b&gt;',
  }
  expect(await braveThat([200, [result]]).search('boats')).toEqual([
    { title: 'Tom & Jerry\'s "boat"', url, snippet: '5 < 6 – &unheard; &lt; <b>' },
  ])
})

test('a search of more words than Brave takes is made with the first of them', async () => {
  const { queries, search } = braveThat([200, []])
  await search(Array.from({ length: 70 }, (_, index) => `w${index}`).join(' '))
  expect(queries[0]?.split(' ')).toHaveLength(50)
})

test('Brave is asked again after a moment where it takes one search a second', async () => {
  const { queries, search } = braveThat([429, []], [200, [{ title: 'A', url }]])
  expect(await search('boats')).toHaveLength(1)
  expect(queries).toHaveLength(2)
})
