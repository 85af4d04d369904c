import { describe, expect, test } from 'vitest'
import { SSE_DONE } from './constants/sse.ts'
import { decodeSse, encodeSse, type SseMessage } from './sse.ts'

async function* cut(text: string, length: number): AsyncGenerator<string> {
  for (let index = 0; index < text.length; index += length) yield text.slice(index, index + length)
}

async function read(chunks: AsyncIterable<string>): Promise<SseMessage[]> {
  const messages: SseMessage[] = []
  for await (const message of decodeSse(chunks)) messages.push(message)
  return messages
}

describe('a stream of server-sent events', () => {
  const messages = [
    { id: 1, data: '{"type":"chunk","content":"Grüße 🌊"}' },
    { id: 2, data: '{"type":"chunk","content":"\\n\\n"}' },
    { data: SSE_DONE },
  ]
  const text = messages.map(encodeSse).join('')

  test('is written as an id line, a data line and a blank line', () => {
    expect(encodeSse({ id: 7, data: '{}' })).toBe('id: 7\ndata: {}\n\n')
    expect(encodeSse({ data: SSE_DONE })).toBe('data: [DONE]\n\n')
  })

  test.each([1, 2, 3, 7, 1000])('is decoded to the same messages when cut every %i characters', async (length) => {
    expect(await read(cut(text, length))).toEqual(messages)
  })

  test.each([1, 2, 1000])('may end its lines with CR LF, even when cut every %i characters', async (length) => {
    expect(await read(cut(text.replaceAll('\n', '\r\n'), length))).toEqual(messages)
  })

  test('may contain comments, unknown fields and data of several lines', async () => {
    expect(await read(cut(': ping\n\nevent: x\nretry: 5\ndata: a\ndata:b\n\n', 4))).toEqual([{ data: 'a\nb' }])
  })

  test('yields no event that was cut off before its blank line', async () => {
    expect(await read(cut('data: a\n\ndata: b\n', 100))).toEqual([{ data: 'a' }])
  })
})
