import { expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { type ConnectionsService, createOllamaService } from './connections.service.ts'

test('of two simultaneous downloads of a model, one is refused; after its end, it can be downloaded again', async () => {
  const connections = { placeFor: async () => ({}), test: async () => ({}) } as unknown as ConnectionsService
  const ollama = { pull: async function* () {} } as unknown as Parameters<typeof createOllamaService>[0]['ollama']
  const service = createOllamaService({ ollama, connections, log: silentLog })
  const pull = () => service.pull('connection', 'small:1b')
  const results = await Promise.allSettled([pull(), pull()])
  expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'already_pulling' } }])
  const [first] = results
  if (first.status === 'rejected') throw first.reason
  const events: unknown[] = []
  for await (const event of first.value(new AbortController().signal)) events.push(event)
  expect(events).toEqual([{ state: 'done' }])
  await pull()
})
