import type { ChatEvent } from '@mira/shared'
import { expect, it } from 'vitest'
import { begin, chunk, complete, settle, setUp } from './conversation.fixture.ts'

const interrupted = { ...complete, interrupted: true } as ChatEvent
const picture = { name: 'cat.png', url: 'blob:cat', data: 'data:image/png;base64,AA==' }

/** A new conversation in which an answer is made while a second question waits. */
async function waiting() {
  const all = setUp()
  all.conversation.open(null)
  all.conversation.send('First')
  all.conversation.sendLater('Second', { pictures: [picture] })
  all.sends[0]!.stream.give(1, begin)
  all.sends[0]!.stream.give(2, chunk('One'))
  await settle()
  return { ...all, queued: () => all.conversation.state.get().queued.map(({ content }) => content) }
}

it('sends what was written meanwhile when the answer has ended, with its pictures, in its order', async () => {
  const { conversation, sends, queued, unsentTexts } = await waiting()
  conversation.sendLater('Third', {})
  expect([sends.length, queued()]).toEqual([1, ['Second', 'Third']])
  // the new conversation has its id: what waits goes along
  expect(unsentTexts()).toEqual([
    ['s1', 'Second'],
    ['s1', 'Third'],
  ])
  sends[0]!.stream.give(3, complete)
  sends[0]!.stream.end()
  await settle()
  expect(queued()).toEqual(['Third'])
  expect(sends[1]!.message).toMatchObject({ content: 'Second', session_id: 's1', images: [picture.data] })
  sends[1]!.stream.give(1, { ...begin, user_message_id: 'u2', message_id: 'a2' } as ChatEvent)
  sends[1]!.stream.give(2, { ...complete, message_id: 'a2' } as ChatEvent)
  sends[1]!.stream.end()
  await settle()
  expect([sends[2]?.message.content, queued()]).toEqual(['Third', []])
})

it.each<[string, ChatEvent]>([
  ['was stopped', interrupted],
  ['failed', { type: 'error', content: 'Away.', code: 'model_unreachable' }],
])('sends nothing by itself after an answer that %s, but on a click', async (_how, last) => {
  const { conversation, sends, queued } = await waiting()
  sends[0]!.stream.give(3, last)
  sends[0]!.stream.end()
  await settle()
  expect([sends.length, queued()]).toEqual([1, ['Second']])
  await conversation.sendNow('c2')
  await settle()
  expect([sends[1]?.message.content, queued()]).toEqual(['Second', []])
})

it('lets twenty messages wait, and says no to one more instead of losing the first', async () => {
  const { conversation, queued, unsentTexts } = await waiting()
  const more = Array.from({ length: 19 }, (_, index) => conversation.sendLater(`More ${index}`, {}))
  expect([more.every(Boolean), conversation.sendLater('Too many', {}), queued().length]).toEqual([true, false, 20])
  expect([unsentTexts().length, unsentTexts()[0]]).toEqual([20, ['s1', 'Second']])
})

it('sends nothing by itself when the stream ends without saying how', async () => {
  const { sends, queued } = await waiting()
  sends[0]!.stream.end()
  await settle()
  expect([sends.length, queued()]).toEqual([1, ['Second']])
})

it('waits for its person where the answer does', async () => {
  const { sends, queued } = await waiting()
  const call = { call_id: 'k1', name: 'reminders', state: 'waiting', arguments: {} }
  sends[0]!.stream.give(3, { type: 'agent', ...call } as ChatEvent)
  sends[0]!.stream.give(4, complete)
  sends[0]!.stream.end()
  await settle()
  expect([sends.length, queued()]).toEqual([1, ['Second']])
})

it('leaves what another tab has taken, and goes on with the next', async () => {
  const { conversation, sends, queued, forget } = await waiting()
  conversation.sendLater('Third', {})
  forget('c2')
  sends[0]!.stream.give(3, complete)
  sends[0]!.stream.end()
  await settle()
  expect([sends[1]?.message.content, queued()]).toEqual(['Third', []])
})

it('stops the answer for what shall be sent now, and sends that before the others', async () => {
  const { conversation, sends, stops, queued } = await waiting()
  conversation.sendLater('Third', {})
  await conversation.sendNow('c3')
  expect(stops).toEqual(['s1'])
  sends[0]!.stream.give(3, interrupted)
  sends[0]!.stream.end()
  await settle()
  expect([sends[1]?.message.content, queued()]).toEqual(['Third', ['Second']])
})

it('sends what was written after Stop was pressed', async () => {
  const { conversation, sends } = setUp()
  conversation.open(null)
  conversation.send('First')
  sends[0]!.stream.give(1, begin)
  await settle()
  await conversation.stop()
  conversation.sendLater('Instead', {})
  sends[0]!.stream.give(3, interrupted)
  sends[0]!.stream.end()
  await settle()
  expect(sends[1]?.message.content).toBe('Instead')
})

it('gives a message that waits back to be changed, and forgets it', async () => {
  const { conversation, sends, queued, unsentTexts } = await waiting()
  expect(await conversation.withdraw('c2')).toMatchObject({ content: 'Second', pictures: [picture] })
  expect([queued(), unsentTexts()]).toEqual([[], []])
  sends[0]!.stream.give(3, complete)
  sends[0]!.stream.end()
  await settle()
  expect(sends).toHaveLength(1)
})

it('still has what waits on a page that is loaded anew', async () => {
  const { reload, sends } = await waiting()
  const again = reload()
  again.open('s1')
  await settle()
  expect(again.state.get().queued).toMatchObject([{ content: 'Second' }])
  await again.sendNow('c2')
  await settle()
  expect(sends.at(-1)!.message).toMatchObject({ content: 'Second', images: [picture.data] })
})
