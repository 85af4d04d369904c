import { expect, test } from 'vitest'
import { conversationsIn } from '../../../../test/archive-files.ts'
import { readOpenWebUi } from './open-webui.ts'

test('reads a chat without the row that contains it, as converters write it', async () => {
  const messages = {
    one: { id: 'one', parentId: null, role: 'user', content: 'Figs?' },
    two: { id: 'two', parentId: 'one', role: 'assistant', content: 'Yes.' },
  }
  const chat = (title: string) => ({
    id: '',
    title,
    timestamp: 1_750_000_000_000,
    history: { messages, currentId: 'two' },
  })
  const conversations = await conversationsIn(readOpenWebUi, { 'a.json': chat('Figs'), 'b.json': [chat('Dates')] })
  expect(conversations.map(({ title, createdAt, messages: read }) => [title, createdAt, read.length])).toEqual([
    ['Figs', '2025-06-15T15:06:40.000Z', 2],
    ['Dates', '2025-06-15T15:06:40.000Z', 2],
  ])
  expect(new Set(conversations.map(({ sourceId }) => sourceId)).size).toBe(2)
})

test('tells chats apart that have neither ids nor times', async () => {
  const message = (content: string) => ({ id: '1', parentId: null, role: 'user', content })
  const chats = [
    { title: 'New Chat', history: { messages: { 1: message('Figs?') }, currentId: '1' } },
    { title: 'New Chat', history: { messages: { 1: message('Dates?') }, currentId: '1' } },
    { chat: { messages: [message('Figs?')] } },
    { chat: { messages: [message('Dates?')] } },
    { chat: { messages: [] } },
  ]
  const ids = async () => (await conversationsIn(readOpenWebUi, { 'a.json': chats })).map(({ sourceId }) => sourceId)
  expect(new Set(await ids()).size).toBe(5)
  expect((await ids()).every((id) => id !== '')).toBe(true)
  expect(await ids()).toEqual(await ids())
})
