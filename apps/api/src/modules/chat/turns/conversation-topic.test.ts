import { expect, test } from 'vitest'
import type { MessageKind } from '../../../offline/message-kind/message-kind.ts'
import { topicOf } from './memory-lookup.ts'
import type { HistoryRow } from './recall.store.ts'

const kinds: Record<string, MessageKind> = { 'And then?': 'follow-up', 'Who signed it?': 'follow-up', Thanks: 'talk' }
const judge = (text: string): MessageKind => kinds[text] ?? 'question'
const source = { n: 1, media_id: null, media_type: 'document', snippet: 'ends in October', thumbnail: null, url: '/x' }
const turn = (content: string, title?: string): HistoryRow[] => [
  { id: content, role: 'user', content },
  { id: `${content} answered`, role: 'assistant', content: 'So.', sources: title ? [{ ...source, title }] : [] },
]
const history = [
  ...turn('The car?', 'car.pdf'),
  ...turn('The lease?', 'lease.pdf'),
  ...turn('And then?'),
  ...turn('Thanks'),
]

test('of a follow-up are the questions up to the one that stands alone, and what the newest answer cited', () => {
  expect(topicOf(history, 'follow-up', judge)).toEqual(['And then?', 'The lease?', 'lease.pdf ends in October'])
})

test('of a question that stands alone is the question before it alone', () => {
  expect(topicOf(history, 'question', judge)).toEqual(['And then?'])
  expect(topicOf([], 'question', judge)).toEqual([])
})
