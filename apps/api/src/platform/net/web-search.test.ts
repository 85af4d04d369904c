import { expect, test } from 'vitest'
import { createWebSearch } from './web-search.ts'

/** Search of Brave with these responses in order; the last one repeats. */
function searchWithResponses(...responses: [status: number, results: object[]][]) {
  const queries: string[] = []
  const search = createWebSearch({
    fetch: async (url) => {
      queries.push(new URL(String(url)).searchParams.get('q') ?? '')
      const [status, results] = (responses.length > 1 ? responses.shift() : responses[0]) ?? [500, []]
      return Response.json({ web: { results } }, { status })
    },
  })
  const connection = { provider: 'brave', baseUrl: 'https://brave.example', apiKey: 'key' } as const
  return { queries, search: (query: string) => search(connection, query, { limit: 5 }) }
}

const url = 'https://a.example/'

test('results of Brave are read without HTML', async () => {
  const result = {
    title: 'Tom &amp; Jerry&#x27;s &quot;<strong>boat</strong>&quot;',
    url,
    description: '5 &lt; 6 &#8211; &unheard; &amp;lt; &lt;b&gt;',
  }
  expect(await searchWithResponses([200, [result]]).search('boats')).toEqual([
    { title: 'Tom & Jerry\'s "boat"', url, snippet: '5 < 6 – &unheard; &lt; <b>' },
  ])
})

test('a query of more words than Brave accepts is cut to the first ones', async () => {
  const { queries, search } = searchWithResponses([200, []])
  await search(Array.from({ length: 70 }, (_, index) => `w${index}`).join(' '))
  expect(queries[0]?.split(' ')).toHaveLength(50)
})

test('a search that Brave limits by rate is retried', async () => {
  const { queries, search } = searchWithResponses([429, []], [200, [{ title: 'A', url }]])
  expect(await search('boats')).toHaveLength(1)
  expect(queries).toHaveLength(2)
})
