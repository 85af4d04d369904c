import { expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import type { PassagesService } from '../../search/index.ts'
import { createMemoryTool } from './own-tools.ts'
import { createNumbering } from './passages.ts'

test.each([
  ['America/Los_Angeles', '2026-05-31', '2026-05-31T07:00:00.000Z', '2026-06-01T07:00:00.000Z'],
  ['Pacific/Auckland', '2026-05-31', '2026-05-30T12:00:00.000Z', '2026-05-31T12:00:00.000Z'],
  // clocks go forward: 23 hours
  ['America/Los_Angeles', '2026-03-08', '2026-03-08T08:00:00.000Z', '2026-03-09T07:00:00.000Z'],
  // clocks go forward at midnight
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
])('searching in time zone %s for %s returns results of that local day', async (timeZone, day, start, end) => {
  const queries: Parameters<PassagesService['find']>[1][] = []
  const passages: Pick<PassagesService, 'find'> = {
    find: async (_reader, query) => {
      queries.push(query)
      return []
    },
  }
  const recallQueries: unknown[] = []
  const search = createMemoryTool({
    ...{ reader: { userId: 'a person', language: 'en', timeZone }, contextTokens: 8000, log: silentLog },
    numberPassage: createNumbering([], timeZone),
    passages: passages as PassagesService,
    recall: async (query) => {
      recallQueries.push(query)
      return { messages: [], nearby: [] }
    },
  })
  await search(JSON.stringify({ query: 'harbour', from: day, to: day }))
  expect(queries).toMatchObject([{ from: new Date(start), to: new Date(end) }])
  expect(recallQueries).toEqual([{ text: 'harbour', from: new Date(start), to: new Date(end) }])
})
