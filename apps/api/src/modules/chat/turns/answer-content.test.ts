import type { ChatEvent } from '@mira/shared'
import { expect, test } from 'vitest'
import { storableJson } from '../../../platform/lib/storable.ts'
import { collectAnswer } from './answer-content.ts'

test('the events of an answer add up to its content, and an unfinished call counts as failed', () => {
  const source = { n: 1, media_id: null, media_type: 'chat', title: 'T', snippet: 's', thumbnail: null, url: '/' }
  const events: ChatEvent[] = [
    { type: 'reasoning', content: 'Let me ' },
    { type: 'reasoning', content: 'see.' },
    { type: 'chunk', content: 'It ' },
    { type: 'agent', call_id: 'a', name: 'CalculatorAgent', state: 'started', arguments: { input: '1+1' } },
    { type: 'agent', call_id: 'b', name: 'CalculatorAgent', state: 'started' },
    { type: 'agent', call_id: 'a', name: 'CalculatorAgent', state: 'finished', summary: '= 2', duration_ms: 3 },
    { type: 'sources', sources: [source] },
    { type: 'chunk', content: 'is 2.' },
  ]
  expect(collectAnswer(events)).toEqual({
    content: 'It is 2.',
    reasoning: 'Let me see.',
    sources: [source],
    agentCalls: [
      {
        call_id: 'a',
        name: 'CalculatorAgent',
        state: 'finished',
        arguments: { input: '1+1' },
        summary: '= 2',
        duration_ms: 3,
      },
      { call_id: 'b', name: 'CalculatorAgent', state: 'failed', summary: expect.stringContaining('not known') },
    ],
  })
  expect(collectAnswer([])).toEqual({ content: '', reasoning: null, sources: [], agentCalls: [] })
})

test('characters that PostgreSQL can’t store are removed from values at any depth', () => {
  expect(storableJson({ 'a\0': ['x\0', { b: '\ud800', c: 1, d: null }], e: true })).toEqual({
    a: ['x', { b: '\ufffd', c: 1, d: null }],
    e: true,
  })
})
