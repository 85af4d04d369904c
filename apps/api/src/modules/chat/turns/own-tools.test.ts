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
  const [first, last] = [new Date(start), new Date(Date.parse(end) - 1)]
  const moments = [new Date(first.getTime() - 1), first, last, new Date(end)]
  const search = createMemoryTool({
    ...{ reader: { userId: 'a person', language: 'en', timeZone }, contextTokens: 8000, log: silentLog },
    numberPassage: createNumbering([], timeZone),
    passages: passages as PassagesService,
    recall: async () => ({
      messages: moments.map((createdAt, index) => ({
        ...{ sessionId: 's', messageId: `m${index}`, sessionName: 'Talk', role: 'user' as const, createdAt },
        snippet: `Message ${index}`,
      })),
      nearby: [],
    }),
  })
  const { output } = await search(JSON.stringify({ query: 'harbour', from: day, to: day }))
  expect(queries).toMatchObject([{ from: new Date(start), to: new Date(end) }])
  expect(output.match(/Message \d/g)).toEqual(['Message 1', 'Message 2'])
})
