import { expect, it } from 'vitest'
import { ApiError } from '../../../lib/api/client.ts'
import { complete, sessionEvent, settle, setUp } from './conversation.fixture.ts'

const large = { model: 'large', parameters: { temperature: 0.2 } }

it('sends the chosen model with the first message of a new conversation only', async () => {
  const { conversation, sends } = setUp({ newChatChoice: () => ({ model: 'small', parameters: null }) })
  conversation.open(null)
  await conversation.choose(large)
  conversation.send('Hello')
  expect(sends[0]!.message).toMatchObject(large)
  sends[0]!.stream.push(1, sessionEvent)
  sends[0]!.stream.push(2, complete)
  sends[0]!.stream.end()
  await settle()
  conversation.send('More')
  expect(sends[1]!.message).not.toHaveProperty('model')
})

it('defaults to the user’s choice for new conversations', async () => {
  const { conversation, sends } = setUp({ newChatChoice: () => ({ model: 'small', parameters: null }) })
  conversation.open(null)
  conversation.send('Hello')
  expect(sends[0]!.message).toMatchObject({ model: 'small' })
  expect(conversation.state.get().choice).toEqual({ model: 'small', parameters: null })
})

it('stores the choice on the server before sending the next message of a stored conversation', async () => {
  const { conversation, sends, updates } = setUp()
  conversation.open('s1')
  await settle()
  const choosing = conversation.choose(large)
  conversation.send('Hello')
  await settle()
  expect([updates[0]!.change, sends.length]).toEqual([large, 0])
  updates[0]!.completion.resolve()
  await choosing
  await settle()
  expect(sends).toHaveLength(1)
})

it('keeps the previous choice when the server refuses the new one', async () => {
  const { conversation, updates } = setUp()
  conversation.open('s1')
  await settle()
  const choosing = conversation.choose(large)
  updates[0]!.completion.reject(new ApiError(422, { code: 'model_not_found', detail: 'No.' }))
  await expect(choosing).rejects.toThrow('No.')
  expect(conversation.state.get().choice).toEqual({ model: null, parameters: null })
})
