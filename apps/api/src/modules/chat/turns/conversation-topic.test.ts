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

test('the topic of a follow-up is the questions back to a self-contained one, and the most recently cited sources', () => {
  expect(topicOf(history, 'follow-up', judge)).toEqual(['And then?', 'The lease?', 'lease.pdf ends in October'])
})

test('the topic of a self-contained question is only the question before it', () => {
  expect(topicOf(history, 'question', judge)).toEqual(['And then?'])
  expect(topicOf([], 'question', judge)).toEqual([])
})

test('only the messages that decide the topic are judged, however long the conversation is', () => {
  let judged = 0
  const count = (text: string) => {
    judged += 1
    return judge(text)
  }
  const long = Array.from({ length: 100 }, (_, index) => turn(`Question ${index}?`)).flat()
  topicOf([...long, ...turn('And then?'), ...turn('Thanks')], 'follow-up', count)
  expect(judged).toBe(3)
})
