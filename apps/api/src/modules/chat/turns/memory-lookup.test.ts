import { expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import type { ChatEngine } from '../../../engines/chat-engine.ts'
import { createMemoryLookup } from './memory-lookup.ts'
import type { Turn } from './turn.ts'

test('only the beginning of a long message is looked up, so that it doesn’t slow everyone down', async () => {
  const queries: string[] = []
  const ask = async (text: string) => {
    queries.push(text)
    return []
  }
  const lookup = createMemoryLookup({
    passages: { find: (_turn, { text }) => ask(text) },
    recall: { findConversations: ({ text }) => ask(text) },
    log: silentLog,
  })
  const turn = {
    content: 'What did we say about the boathouse in the first week of May? '.repeat(16_000),
    canReadStored: true,
    language: 'en',
    timeZone: 'UTC',
    engine: { name: 'remote', contextTokens: async () => 8000, rephrase: async () => null } as Partial<ChatEngine>,
  } as Turn
  await lookup.find(turn, Promise.resolve([]), new AbortController().signal)
  expect(queries.map(({ length }) => length)).toEqual([4000, 4000])
})
