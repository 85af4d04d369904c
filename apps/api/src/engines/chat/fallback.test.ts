import { expect, test } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import { EngineError } from '../../errors.ts'
import type { ChatEngine, EngineEvent, Question } from '../chat-engine.ts'
import { withFallback } from './fallback.ts'

const refused = () => new EngineError('The key is refused.', { code: 'model_key_refused' })
const engine = (answer: (question: Question) => AsyncGenerator<EngineEvent>) =>
  ({ name: 'remote', model: () => 'some', answer }) as Partial<ChatEngine> as ChatEngine
const text = (word: string): EngineEvent => ({ type: 'text', text: word })
const good = engine(async function* () {
  yield text('good')
})

const answerOf = async (...engines: ChatEngine[]): Promise<string> => {
  const question = { callTool: async () => ({ isError: false, text: '' }) } as Partial<Question> as Question
  const events = withFallback({ engines: () => engines, log: silentLog }).answer(question, new AbortController().signal)
  let output = ''
  for await (const event of events) if (event.type === 'text') output += event.text
  return output
}

test('falls back to the next server when one fails, and throws when all fail', async () => {
  // biome-ignore lint/correctness/useYield: it fails before it sends anything
  const broken = engine(async function* () {
    throw refused()
  })
  expect(await answerOf(broken, broken, good)).toBe('good')
  await expect(answerOf(broken, broken)).rejects.toThrow('The key is refused.')
})

test('does not fall back once text was sent or a tool was called', async () => {
  const cutOff = engine(async function* () {
    yield text('half')
    throw refused()
  })
  await expect(answerOf(cutOff, good)).rejects.toThrow('The key is refused.')
  // biome-ignore lint/correctness/useYield: it calls a tool and sends no text
  const callsTool = engine(async function* (question) {
    await question.callTool('ReminderAgent', '{}', new AbortController().signal)
    throw refused()
  })
  await expect(answerOf(callsTool, good)).rejects.toThrow('The key is refused.')
})

test('does not fall back when the question is too long', async () => {
  // biome-ignore lint/correctness/useYield: it fails before it sends anything
  const tooLong = engine(async function* () {
    throw new EngineError('Too long.', { code: 'context_too_long' })
  })
  await expect(answerOf(tooLong, good)).rejects.toThrow('Too long.')
})
