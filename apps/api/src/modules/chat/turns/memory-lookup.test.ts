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
    recall: { findConversations: ({ question }) => ask(question), readNearby: async () => [] },
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

test('earlier conversations are searched without the words for a time, which they hardly contain', async () => {
  const queries: { question: string; text: string; days: unknown[] }[] = []
  const lookup = createMemoryLookup({
    passages: { find: async () => [] },
    recall: {
      findConversations: async ({ question, text, days }) => {
        queries.push({ question, text, days })
        return []
      },
      readNearby: async () => [],
    },
    log: silentLog,
  })
  const engine = { name: 'remote', contextTokens: async () => 8000, rephrase: async () => null } as Partial<ChatEngine>
  const turn = { canReadStored: true, language: 'en', timeZone: 'UTC', engine } as Turn
  const questions = ['Which photos did Evan mention in August 2023?', 'Which photos did Evan mention?']
  for (const content of questions)
    await lookup.find({ ...turn, content }, Promise.resolve([]), new AbortController().signal)
  const days = [{ first: '2023-08-01', last: '2023-08-31', isYearly: false }]
  expect(queries).toEqual([
    { question: questions[0], text: questions[1], days },
    { question: questions[1], text: questions[1], days: [] },
  ])
})
