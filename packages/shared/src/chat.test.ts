import { describe, expect, test } from 'vitest'
import { chatRequestSchema, chatStreamHeadersSchema } from './chat.ts'
import { updateChatSessionSchema } from './chat-sessions.ts'
import { MESSAGE_MAX_CHARACTERS } from './constants/limits.ts'

const isValid = (request: object) => chatRequestSchema.safeParse(request).success

describe('a chat request', () => {
  test('needs no more than its text', () => {
    expect(chatRequestSchema.parse({ content: 'Hello' })).toEqual({
      content: 'Hello',
      has_images: false,
      images: [],
      media_ids: [],
      mentions: [],
    })
  })

  test('may have null for missing values', () => {
    expect(isValid({ content: 'Hello', session_id: null, parent_id: null, client_id: null })).toBe(true)
  })

  test.each([
    ['more than 32 000 characters', { content: 'x'.repeat(MESSAGE_MAX_CHARACTERS + 1) }],
    ['six images', { content: '', images: Array(6).fill('') }],
    ['an invalid session id', { content: 'Hello', session_id: 'x' }],
    ['an empty client id', { content: 'Hello', client_id: '' }],
    ['a client id of 101 characters', { content: 'Hello', client_id: 'x'.repeat(101) }],
    ['no text at all', {}],
  ])('is refused with %s', (_what, request) => {
    expect(isValid(request)).toBe(false)
  })
})

test('the id of the last event is a whole number from 0', () => {
  expect(chatStreamHeadersSchema.parse({ 'last-event-id': '12' })).toEqual({ 'last-event-id': 12 })
  for (const id of ['-1', '1.5', 'x', '99999999999']) {
    expect(chatStreamHeadersSchema.safeParse({ 'last-event-id': id }).success).toBe(false)
  }
})

test('a conversation cannot be given a blank name', () => {
  expect(updateChatSessionSchema.safeParse({ session_name: '   ' }).success).toBe(false)
})
