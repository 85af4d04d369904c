import type { ChatEvent } from '@mira/shared'
import { expect, it } from 'vitest'
import { chunk, complete, sessionEvent, settle, setUp } from './conversation.fixture.ts'

const interrupted = { ...complete, interrupted: true } as ChatEvent
const picture = { name: 'cat.png', url: 'blob:cat', data: 'data:image/png;base64,AA==' }

/** A new conversation whose answer is being generated while a second question is queued. */
async function setUpQueue() {
  const all = setUp()
  all.conversation.open(null)
  all.conversation.send('First')
  all.conversation.sendLater('Second', { pictures: [picture] })
  all.sends[0]!.stream.push(1, sessionEvent)
  all.sends[0]!.stream.push(2, chunk('One'))
  await settle()
  return { ...all, queued: () => all.conversation.state.get().queued.map(({ content }) => content) }
}

it('sends queued messages in order, with their images, once the answer has ended', async () => {
  const { conversation, sends, queued, unsentTexts } = await setUpQueue()
  conversation.sendLater('Third', {})
  expect([sends.length, queued()]).toEqual([1, ['Second', 'Third']])
  // queued messages take over the id of the new conversation
  expect(unsentTexts()).toEqual([
    ['s1', 'Second'],
    ['s1', 'Third'],
  ])
  sends[0]!.stream.push(3, complete)
  sends[0]!.stream.end()
  await settle()
  expect(queued()).toEqual(['Third'])
  expect(sends[1]!.message).toMatchObject({ content: 'Second', session_id: 's1', images: [picture.data] })
  sends[1]!.stream.push(1, { ...sessionEvent, user_message_id: 'u2', message_id: 'a2' } as ChatEvent)
  sends[1]!.stream.push(2, { ...complete, message_id: 'a2' } as ChatEvent)
  sends[1]!.stream.end()
  await settle()
  expect([sends[2]?.message.content, queued()]).toEqual(['Third', []])
})

it.each<[string, ChatEvent]>([
  ['was stopped', interrupted],
  ['failed', { type: 'error', content: 'Away.', code: 'model_unreachable' }],
])('doesn’t send automatically after an answer that %s, only on a click', async (_case, lastEvent) => {
  const { conversation, sends, queued } = await setUpQueue()
  sends[0]!.stream.push(3, lastEvent)
  sends[0]!.stream.end()
  await settle()
  expect([sends.length, queued()]).toEqual([1, ['Second']])
  await conversation.sendNow('c2')
  await settle()
  expect([sends[1]?.message.content, queued()]).toEqual(['Second', []])
})

it('queues up to twenty messages, and refuses another instead of losing the first', async () => {
  const { conversation, queued, unsentTexts } = await setUpQueue()
  const results = Array.from({ length: 19 }, (_, index) => conversation.sendLater(`More ${index}`, {}))
  expect([results.every(Boolean), conversation.sendLater('Too many', {}), queued().length]).toEqual([true, false, 20])
  expect([unsentTexts().length, unsentTexts()[0]]).toEqual([20, ['s1', 'Second']])
})

it('doesn’t send automatically when the stream ends without a final event', async () => {
  const { sends, queued } = await setUpQueue()
  sends[0]!.stream.end()
  await settle()
  expect([sends.length, queued()]).toEqual([1, ['Second']])
})

it('doesn’t send while the answer waits for the user', async () => {
  const { sends, queued } = await setUpQueue()
  const call = { call_id: 'k1', name: 'reminders', state: 'waiting', arguments: {} }
  sends[0]!.stream.push(3, { type: 'agent', ...call } as ChatEvent)
  sends[0]!.stream.push(4, complete)
  sends[0]!.stream.end()
  await settle()
  expect([sends.length, queued()]).toEqual([1, ['Second']])
})

it('skips a message that another tab has taken, and sends the next', async () => {
  const { conversation, sends, queued, forget } = await setUpQueue()
  conversation.sendLater('Third', {})
  forget('c2')
  sends[0]!.stream.push(3, complete)
  sends[0]!.stream.end()
  await settle()
  expect([sends[1]?.message.content, queued()]).toEqual(['Third', []])
})

it('stops the answer to send a message now, and sends it before the others', async () => {
  const { conversation, sends, stops, queued } = await setUpQueue()
  conversation.sendLater('Third', {})
  await conversation.sendNow('c3')
  expect(stops).toEqual(['s1'])
  sends[0]!.stream.push(3, interrupted)
  sends[0]!.stream.end()
  await settle()
  expect([sends[1]?.message.content, queued()]).toEqual(['Third', ['Second']])
})

it('sends a message queued after Stop was pressed', async () => {
  const { conversation, sends } = setUp()
  conversation.open(null)
  conversation.send('First')
  sends[0]!.stream.push(1, sessionEvent)
  await settle()
  await conversation.stop()
  conversation.sendLater('Instead', {})
  sends[0]!.stream.push(3, interrupted)
  sends[0]!.stream.end()
  await settle()
  expect(sends[1]?.message.content).toBe('Instead')
})

it('returns a queued message for editing, and forgets it', async () => {
  const { conversation, sends, queued, unsentTexts } = await setUpQueue()
  expect(await conversation.withdraw('c2')).toMatchObject({ content: 'Second', pictures: [picture] })
  expect([queued(), unsentTexts()]).toEqual([[], []])
  sends[0]!.stream.push(3, complete)
  sends[0]!.stream.end()
  await settle()
  expect(sends).toHaveLength(1)
})

it('keeps the queue when the page is reloaded', async () => {
  const { reload, sends } = await setUpQueue()
  const reloaded = reload()
  reloaded.open('s1')
  await settle()
  expect(reloaded.state.get().queued).toMatchObject([{ content: 'Second' }])
  await reloaded.sendNow('c2')
  await settle()
  expect(sends.at(-1)!.message).toMatchObject({ content: 'Second', images: [picture.data] })
})
