import { afterEach, expect, test, vi } from 'vitest'
import { resetClocks, setClockBack } from '../../../../test/clocks.ts'
import { silentLog } from '../../../../test/database-template.ts'
import type { ChatEngine } from '../../../engines/chat-engine.ts'
import { createRephrase } from './memory-lookup.ts'

afterEach(resetClocks)

const history = [
  { role: 'user' as const, content: 'Tell me about the lease of the boathouse' },
  { role: 'assistant' as const, content: 'It ends in October [1].' },
]
const { signal } = new AbortController()
const engineOf = (rephrase: ChatEngine['rephrase']) => ({ rephrase }) as ChatEngine

test.each([
  ['When does the lease of the boathouse end?', ['When does the lease of the boathouse end?']],
  ['<think>boathouse?</think>\n When does the lease  end? ', ['When does the lease end?']],
  ['Purple elephants insure submarines', []],
  ['', []],
  [null, []],
])('uses the model’s text only if it’s made of the conversation’s words: %j', async (rephrased, expected) => {
  const rephrase = createRephrase({ log: silentLog })
  expect(
    await rephrase(
      engineOf(async () => rephrased),
      history,
      'And when does it end?',
      signal,
    ),
  ).toEqual(expected)
})

test('doesn’t rephrase a message without a conversation', async () => {
  const rephrase = vi.fn(async () => 'x')
  expect(await createRephrase({ log: silentLog })(engineOf(rephrase), [], 'When does it end?', signal)).toEqual([])
  expect(rephrase).not.toHaveBeenCalled()
})

test('skips a model for a minute after it was too slow twice, even when the clock is set back', async () => {
  const rephraseSlowly = vi.fn((_messages: unknown, callSignal: AbortSignal) => {
    return new Promise<never>((_resolve, reject) =>
      callSignal.addEventListener('abort', () => reject(callSignal.reason)),
    )
  })
  const rephrase = createRephrase({ log: silentLog, timeoutMs: 1 })
  for (let time = 0; time < 3; time++) await rephrase(engineOf(rephraseSlowly), history, 'When?', signal)
  expect(rephraseSlowly).toHaveBeenCalledTimes(2)
  setClockBack(61_000)
  await rephrase(engineOf(rephraseSlowly), history, 'When?', signal)
  expect(rephraseSlowly).toHaveBeenCalledTimes(3)
})
