import { expect, test } from 'vitest'
import {
  createNumbering,
  numberPassage,
  passagesOfConversations,
  type Recalled,
  type UnnumberedPassage,
  withConversations,
} from './passages.ts'
import type { NearbyMessage } from './recall.store.ts'

const passage: UnnumberedPassage = {
  source: {
    media_id: 'x',
    media_type: 'document',
    title: 'lease.pdf',
    snippet: '',
    thumbnail: null,
    url: '/gallery/x',
  },
  text: 'The rent is 200.',
  itemDate: new Date('2026-05-31T20:00:00Z'),
  certainty: 'found',
}

test('an undated item’s day is the one in the user’s time zone on which it was added', () => {
  expect(createNumbering([], 'Pacific/Auckland')(passage).day).toBe('2026-06-01')
  expect(createNumbering([], 'America/Los_Angeles')(passage).day).toBe('2026-05-31')
})

test('a dated item’s day is the one at the place where it was taken', () => {
  const dated = { ...passage, takenLocal: '2026-05-31T23:00:00' }
  expect(createNumbering([], 'Pacific/Auckland')(dated).day).toBe('2026-05-31')
})

test('a new passage never gets a number in use, even if earlier ones look alike', () => {
  const numbered = [1, 2, 3].map((n) => numberPassage(passage, n, 'UTC'))
  const other = { ...passage, source: { ...passage.source, title: 'other', snippet: 'other' } }
  expect(createNumbering(numbered, 'UTC')(other).source.n).toBe(4)
})

const foundMessage = (messageId: string, role: 'user' | 'assistant', snippet = 'found') => ({
  ...{ sessionId: 's', messageId, sessionName: 'Talk', role, createdAt: new Date(), snippet },
})
const near = (nearId: string, offset: number, role: 'user' | 'assistant', text: string): NearbyMessage => ({
  ...{ id: `${text.slice(0, 10)} of ${nearId}`, nearId, offset, role, text },
})
const quotes = (recalled: Recalled, maxCharacters = 1000) =>
  passagesOfConversations(recalled, maxCharacters).map(({ text }) => text)

test('a message of another conversation is quoted with those around it, in their order', () => {
  const nearby = [
    near('other', 1, 'user', 'of another'),
    near('m', 1, 'user', 'thanks'),
    near('m', -2, 'assistant', 'hello'),
    near('m', -1, 'user', 'a question'),
  ]
  expect(quotes({ messages: [foundMessage('m', 'assistant')], nearby })).toEqual([
    'The assistant wrote: hello\nThe person wrote: a question\nThe assistant wrote: found\nThe person wrote: thanks',
  ])
})

test('in a small context, the found message may take all of the passage', () => {
  const messages = [foundMessage('m', 'user', `${'x'.repeat(270)} the deposit`)]
  expect(quotes({ messages, nearby: [near('m', 1, 'assistant', 'y'.repeat(400))] }, 512)[0]).toMatch(
    /the deposit\n.*y$/,
  )
})

test('of long messages, the reply to a question and the question of an answer come first, and none is cut within an emoji', () => {
  const long = '🙂'.repeat(600)
  const nearby = [near('m', -1, 'assistant', `before ${long}`), near('m', 1, 'assistant', `after ${long}`)]
  const quote = (role: 'user' | 'assistant', snippet?: string) =>
    quotes({ messages: [foundMessage('m', role, snippet)], nearby })[0]
  expect(quote('user')).toMatch(/^The person wrote: found\nThe assistant wrote: after (🙂)+$/u)
  expect(quote('assistant')).toMatch(/^The assistant wrote: before (🙂)+\nThe assistant wrote: found$/u)
  expect(quote('user')?.length).toBeLessThanOrEqual(1001)
  expect(quote('user', long)).toMatch(/^The person wrote: (🙂)+\nThe assistant wrote: after (🙂)+$/u)
})

test('each message is quoted once', () => {
  const boiler = { ...near('m', 1, 'assistant', 'It is old.'), id: 'n' }
  const bill = near('n', 1, 'user', 'And the bill?')
  const messages = [foundMessage('m', 'user', 'Is the boiler old?'), foundMessage('n', 'assistant', 'It is old.')]
  expect(quotes({ messages, nearby: [boiler, bill] })).toEqual([
    'The person wrote: Is the boiler old?\nThe assistant wrote: It is old.',
  ])
  const answer = { ...near('m', 1, 'assistant', 'x'.repeat(400)), id: 'n' }
  const longMessages = [
    foundMessage('m', 'user', 'q'.repeat(500)),
    foundMessage('n', 'assistant', `the deposit ${'y'.repeat(500)}`),
  ]
  expect(quotes({ messages: longMessages, nearby: [answer] })).toEqual([
    expect.stringContaining('the deposit'),
    expect.stringMatching(/^The assistant wrote: the deposit y+$/),
  ])
  const number = createNumbering([], 'UTC')
  const [yes, again] = passagesOfConversations(
    { messages: [foundMessage('a', 'user', 'yes'), foundMessage('b', 'user', 'yes')], nearby: [] },
    1000,
  )
  expect([number(yes!).source.n, number(again!).source.n, number(yes!).source.n]).toEqual([1, 2, 1])
})

const passages = (count: number, length: number) =>
  Array.from({ length: count }, () => ({ ...passage, text: 'i'.repeat(length) }))
const talks = (count: number): Recalled => ({
  messages: Array.from({ length: count }, (_, index) => foundMessage(`m${index}`, 'user', 't'.repeat(200))),
  nearby: Array.from({ length: count }, (_, index) => near(`m${index}`, 1, 'assistant', `${index}${'t'.repeat(2000)}`)),
})

test.each([
  ['beside items a third of the characters, as two conversations', 8, 1000, 3, 6000, false, 'iiiitt'],
  ['what the items leave', 2, 1000, 3, 6000, false, 'iittt'],
  ['nothing where none was found', 8, 1000, 0, 6000, false, 'iiiiii'],
  ['nothing where none was found, though the question is about them', 2, 1500, 0, 1500, true, 'i'],
  ['everything where no item was found', 0, 1000, 3, 6000, false, 'ttt'],
  ['a small context', 8, 500, 3, 3000, false, 'iiiitt'],
  ['nothing beside an item that takes more than its share', 8, 1500, 3, 1536, false, 'i'],
  ['the first place and two thirds when asked about', 8, 1000, 6, 6000, true, 'ttttii'],
  ['the same in a small context', 8, 700, 6, 3072, true, 'tti'],
])('conversations get %s', (_, items, length, count, maxCharacters, isRequested, expected) => {
  const kept = withConversations(passages(items, length), talks(count), { maxCharacters, isRequested })
  expect(kept.map(({ source }) => (source.media_type === 'chat' ? 't' : 'i')).join('')).toBe(expected)
  expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(maxCharacters)
})
