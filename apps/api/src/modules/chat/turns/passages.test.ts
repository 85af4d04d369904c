import { expect, test } from 'vitest'
import { createNumbering, passagesOfConversations, type UnnumberedPassage, withConversations } from './passages.ts'
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

const quotedTalk = (role: 'user' | 'assistant', nearby: Omit<NearbyMessage, 'nearId'>[]) => {
  const recalled = {
    sessionId: 's',
    messageId: 'm',
    sessionName: 'Talk',
    role,
    createdAt: new Date(),
    snippet: 'found',
  }
  const ofAnother = { nearId: 'other', offset: 1, role: 'user' as const, text: 'of another' }
  return passagesOfConversations([recalled], [ofAnother, ...nearby.map((one) => ({ nearId: 'm', ...one }))])[0]?.text
}

test('a message of another conversation is quoted with those around it, in their order', () => {
  expect(
    quotedTalk('assistant', [
      { offset: 1, role: 'user', text: 'thanks' },
      { offset: -2, role: 'assistant', text: 'hello' },
      { offset: -1, role: 'user', text: 'a question' },
    ]),
  ).toBe(
    'The assistant wrote: hello\nThe person wrote: a question\nThe assistant wrote: found\nThe person wrote: thanks',
  )
})

test('of long messages, the reply to a question and the question of an answer come first, and none is cut within an emoji', () => {
  const long = '🙂'.repeat(600)
  const around: Omit<NearbyMessage, 'nearId'>[] = [
    { offset: -1, role: 'assistant', text: `before ${long}` },
    { offset: 1, role: 'assistant', text: `after ${long}` },
  ]
  expect(quotedTalk('user', around)).toMatch(/^The person wrote: found\nThe assistant wrote: after (🙂)+$/u)
  expect(quotedTalk('assistant', around)).toMatch(/^The assistant wrote: before (🙂)+\nThe assistant wrote: found$/u)
  expect(quotedTalk('user', around)?.length).toBeLessThan(1100)
})

test('conversations get a third of the characters beside passages of items, and all that these leave', () => {
  const passages = (count: number, text: string) => Array.from({ length: count }, () => ({ ...passage, text }))
  const [item, talk] = ['i'.repeat(1000), 't'.repeat(1000)]
  const kept = (items: number, talks: number, maxCharacters: number) =>
    withConversations(passages(items, item), passages(talks, talk), maxCharacters)
      .map(({ text }) => text[0])
      .join('')
  expect(kept(8, 3, 6000)).toBe('iiiitt')
  expect(kept(2, 3, 6000)).toBe('iittt')
  expect(kept(8, 0, 6000)).toBe('iiiiii')
  expect(kept(0, 3, 6000)).toBe('ttt')
  expect(kept(8, 3, 1200)).toBe('i')
  expect(kept(0, 3, 500)).toBe('t')
})
