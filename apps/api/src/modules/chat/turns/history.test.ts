import { describe, expect, test } from 'vitest'
import type { ChatMessage } from '../../../engines/chat-engine.ts'
import { estimateTokens, fitHistory, halveHistory, historyBudget, omittedHistory } from './fit.ts'

const user = (content: string): ChatMessage => ({ role: 'user', content })
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content })

describe('the history sent to a model', () => {
  test('is complete when it fits', () => {
    const messages = [user('a'), assistant('b'), user('c')]
    expect(fitHistory(messages, 1000)).toEqual(messages)
  })

  test('contains the newest messages when it doesn’t fit', () => {
    const messages = Array.from({ length: 50 }, (_, n) => [user(`question ${n}`), assistant(`answer ${n}`)]).flat()
    const fitted = fitHistory([...messages, user('last')], 100)
    expect(fitted.at(-1)).toEqual(user('last'))
    expect(fitted).toEqual([...messages, user('last')].slice(-fitted.length))
    expect(fitted.reduce((sum, { content }) => sum + estimateTokens(content), 0)).toBeLessThanOrEqual(100)
    expect(fitted.length).toBeGreaterThan(3)
  })

  test('starts with a user message', () => {
    const fitted = fitHistory([user('x'.repeat(300)), assistant('short'), user('last')], 60)
    expect(fitted).toEqual([user('last')])
  })

  test('omits the oldest messages, by tokens and by number', () => {
    const messages = [user('x'.repeat(300)), assistant('short'), user(''), user('y'), assistant('z'), user('last')]
    expect(omittedHistory(messages, 60)).toEqual(messages.slice(0, 2))
    expect(omittedHistory(messages, 1000)).toEqual([])
    const many = Array.from({ length: 250 }, () => [user('a'), assistant('b')]).flat()
    expect(omittedHistory([...many, user('last')], 1_000_000).length).toBeGreaterThan(100)
  })

  test('contains the last message even when it alone is too long', () => {
    const long = user('x'.repeat(10_000))
    expect(fitHistory([user('a'), assistant('b'), long], 100)).toEqual([long])
  })

  test('skips empty answers and merges consecutive messages of the same role', () => {
    expect(fitHistory([user('a'), assistant(' '), user('b'), assistant('c'), user('d')], 1000)).toEqual([
      user('a\n\nb'),
      assistant('c'),
      user('d'),
    ])
  })

  test('keeps tool calls separate from the text after them and counts their results', () => {
    const call = { name: 'read_file', argumentsText: '{}', result: 'x'.repeat(3000) }
    const callMessage: ChatMessage = { role: 'assistant', content: '', calls: [call] }
    const messages = [user('a'), callMessage, assistant('b'), user('last')]
    expect(fitHistory(messages, 2000)).toEqual(messages)
    expect(fitHistory(messages, 500)).toEqual([user('last')])
  })

  test('can be halved until the last message is left', () => {
    let messages = Array.from({ length: 20 }, (_, n) => [user(`question ${n}`), assistant(`answer ${n}`)]).flat()
    messages.push(user('last'))
    for (let length = messages.length; length > 1; length = messages.length) {
      messages = halveHistory(messages)
      expect(messages.length).toBeLessThan(length)
    }
    expect(messages).toEqual([user('last')])
  })

  test('is empty for an empty conversation', () => {
    expect(fitHistory([], 100)).toEqual([])
  })
})

describe('the history budget', () => {
  test('reserves a quarter of the context for the answer', () => {
    expect(historyBudget(8192, '')).toBe(8192 - 2048 - 8)
  })

  test('reserves at most 4096 tokens for the answer', () => {
    expect(historyBudget(65_536, '')).toBe(65_536 - 4096 - 8)
  })

  test('is never negative', () => {
    expect(historyBudget(100, 'x'.repeat(1000))).toBe(0)
  })
})
