import { expect, test } from 'vitest'
import type { ChatEngine } from '../chat-engine.ts'
import { writeText } from './write-text.ts'

test('discards the reasoning of a model that omits the opening tag', async () => {
  const engine: Pick<ChatEngine, 'name' | 'answer'> = {
    name: 'remote',
    async *answer() {
      yield { type: 'text', text: 'They want a summary.' }
      yield { type: 'rethink' }
      yield { type: 'text', text: 'A quiet month.' }
      yield { type: 'end', model: 'a model', usage: null }
    },
  }
  const request = { instructions: '', text: 'Sum it up.', language: 'en' }
  expect(await writeText(engine as ChatEngine, request, new AbortController().signal)).toEqual({
    ...{ text: 'A quiet month.', engine: 'remote', model: 'a model' },
  })
})
