import type { CodedSentence } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import { say } from '../../sentences.ts'
import { forCaller, forCallerIn, forUsersIn, runForCaller } from './audience.ts'

const { text, sentences: told } = say('model_unreachable', { address: 'http://10.0.0.7:8080', cause: 'ECONNREFUSED' })
const plain =
  'No model server can be reached at the configured address: nothing is listening there. Ask an administrator.'
const plainTold: CodedSentence[] = [{ code: 'model_unreachable', params: { address: '', cause: 'ECONNREFUSED' } }]

describe('information for administrators only', () => {
  test.each([
    [
      { reason: text, told },
      { reason: plain, told: plainTold },
    ],
    [
      { detail: text, told },
      { detail: plain, told: plainTold },
    ],
    [
      { type: 'error', content: text, told },
      { type: 'error', content: plain, told: plainTold },
    ],
    [
      { error: text, error_told: told },
      { error: plain, error_told: plainTold },
    ],
    [
      { problem: text, problem_told: told },
      { problem: plain, problem_told: plainTold },
    ],
    [
      { unavailable_reason: text, unavailable_told: told },
      { unavailable_reason: plain, unavailable_told: plainTold },
    ],
    [
      { list: [{ items: [{ error: text, error_told: told }] }] },
      { list: [{ items: [{ error: plain, error_told: plainTold }] }] },
    ],
    [
      { params: {}, told },
      { params: {}, told: plainTold },
    ],
  ])('is removed from texts with codes: %j', (value, expected) => {
    expect(forUsersIn<unknown>(value)).toEqual(expected)
  })

  test('is removed from sentences that only an earlier version knew', () => {
    const unknown = [{ code: 'model_asleep', params: { address: 'http://10.0.0.7:8080' } }]
    const incomplete = [{ code: 'not_connected', params: { variable: 'VISION_MODEL' } }]
    const general = 'This didn’t work. Ask an administrator.'
    expect(forUsersIn({ error: text, error_told: unknown })).toEqual({
      error: general,
      error_told: [{ code: 'from_before', params: { said: '' } }],
    })
    expect(forUsersIn({ error: text, error_told: incomplete }).error).toBe(general)
    expect(forUsersIn({ error: text, error_told: say('from_before', { said: text }).sentences }).error).toBe(general)
  })

  test('stays in texts by users, models and other programs', () => {
    const values = [
      { content: text, reasoning: text, created_at: new Date(), error: 'It was stopped.', error_told: [] },
      { error: 'The service answers INVALID_ARGUMENT: no such id.' },
      { error: 'The feed is empty.', error_told: [{ code: 'mcp_broken', params: { name: 'Feed', said: '' } }] },
      { call_id: '1', state: 'failed', arguments: { error: text, detail: 'Set VISION_MODEL.' } },
      { call_id: '2', state: 'asking', arguments: { text: 'Dear Anna', told } },
      { data: [{ embedding: [0.1, 0.2] }] },
    ]
    // The same object, so that nothing is copied.
    for (const value of values) expect(forUsersIn<unknown>(value)).toBe(value)
    const message = forUsersIn({ content: text, error: text, error_told: told })
    expect(message).toMatchObject({ content: text, error: plain })
  })

  test('is shown to the current caller if permitted, and to nobody outside of requests', async () => {
    const sentence = { text, sentences: told }
    const read = async () => {
      await Promise.resolve()
      return [forCaller(sentence).text, forCallerIn({ error: text, error_told: told }).error]
    }
    expect(await runForCaller(true, read)).toEqual([text, text])
    expect(await runForCaller(false, read)).toEqual([plain, plain])
    expect(await read()).toEqual([plain, plain])
  })
})
