import { expect, test } from 'vitest'
import { conversationsIn } from '../../../../test/archive-files.ts'
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
