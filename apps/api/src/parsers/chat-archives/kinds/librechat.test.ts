import { expect, test } from 'vitest'
import { conversationsIn, displayedMessages } from '../../../../test/archive-files.ts'
import { readLibreChat } from './librechat.ts'

test('skips malformed messages, and refuses a file that has no others', async () => {
  const message = { messageId: 'one', parentMessageId: null, text: 'Figs?', isCreatedByUser: true }
  const conversation = (messages: unknown[]) => ({ conversationId: 'c1', title: 'Figs', messages })
  const contents = async (messages: unknown[]) =>
    (await conversationsIn(readLibreChat, { 'a.json': conversation(messages) })).map(({ messages: read }) =>
      read.map(({ content }) => content),
    )
  expect(await contents([null, message, { messageId: 7.5, text: 4 }])).toEqual([['Figs?']])
  expect(await contents([{ role: 'user' }])).toEqual([])
})

test('keeps the replies that are nested in a malformed message', async () => {
  const message = (id: string, isCreatedByUser: boolean, ...children: unknown[]) => ({
    messageId: id,
    parentMessageId: null,
    text: id,
    isCreatedByUser,
    children,
  })
  const malformed = { messageId: 7.5, text: 4, children: [message('answer', false, message('thanks', true))] }
  const messagesTree = [message('question', true, malformed)]
  const [conversation] = await conversationsIn(readLibreChat, {
    'a.json': { conversationId: 'c1', title: 'Figs', messagesTree },
  })
  expect(conversation && displayedMessages(conversation).map(({ content }) => content)).toEqual([
    'question',
    'answer',
    'thanks',
  ])
})

test('keeps a list together when a message in it is malformed', async () => {
  const message = (id: string, parent: string | null, more: object = {}) => ({
    messageId: id,
    parentMessageId: parent,
    text: id,
    isCreatedByUser: false,
    ...more,
  })
  const messages = [
    message('question', null, { isCreatedByUser: true }),
    message('malformed', 'question', { text: 4 }),
    message('answer', 'malformed'),
  ]
  const [conversation] = await conversationsIn(readLibreChat, {
    'a.json': { conversationId: 'c1', title: 'Figs', messages },
    'b.json': { conversationId: 'c2', title: 'Figs', messages: [messages[1]] },
  })
  expect(conversation && displayedMessages(conversation).map(({ content }) => content)).toEqual(['question', 'answer'])
})
