import type { ChatEvent } from '@mira/shared'
import { expect, it } from 'vitest'
import { chunk, complete, sessionEvent, settle, setUp } from './conversation.fixture.ts'

const unstored = (event: ChatEvent): ChatEvent => ({ ...event, session_id: null }) as ChatEvent

async function askOnce() {
  const all = setUp({ isTemporary: true })
  all.conversation.open(null)
  all.conversation.send('I am Anna')
  all.sends[0]!.stream.push(1, unstored(sessionEvent))
  all.sends[0]!.stream.push(2, chunk('Hello Anna'))
  return all
}

it('sends the history with each message, and gets no ids', async () => {
  const { conversation, sends } = await askOnce()
  sends[0]!.stream.push(3, unstored(complete))
  sends[0]!.stream.end()
  await settle()
  expect(conversation.state.get()).toMatchObject({ sessionId: null, activity: 'idle' })
  expect(conversation.state.get().items.map(({ id }) => id)).toEqual([null, null])
  conversation.send('Who am I?')
  expect(sends.map(({ message }) => [message.temporary, message.history])).toEqual([
    [true, []],
    [
      true,
      [
        { role: 'user', content: 'I am Anna' },
        { role: 'assistant', content: 'Hello Anna' },
      ],
    ],
  ])
})

it('ends the answer where it is when it is stopped, without a request to the server', async () => {
  const { conversation, stops, follows, texts } = await askOnce()
  await settle()
  await conversation.stop()
  await settle()
  expect(texts()[1]).toEqual(['assistant', 'Hello Anna'])
  expect(conversation.state.get()).toMatchObject({ activity: 'idle' })
  expect(conversation.state.get().items[1]).toMatchObject({ interrupted: true, streaming: false })
  expect([stops, follows]).toEqual([[], []])
})

it('keeps the partial answer when the connection is lost, without resuming it', async () => {
  const { conversation, sends, follows } = await askOnce()
  await settle()
  sends[0]!.stream.disconnect()
  await settle()
  expect(conversation.state.get()).toMatchObject({ activity: 'idle' })
  expect(conversation.state.get().items[1]).toMatchObject({ content: 'Hello Anna', interrupted: true })
  expect(follows).toEqual([])
})
