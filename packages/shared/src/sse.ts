/** One server-sent event: its id (where the stream can be resumed) and its data. */
export interface SseMessage {
  id?: number
  data: string
}

/** The data of the last line of every stream. */
export const SSE_DONE = '[DONE]'

/** Writes one event. `data` must not hold a line break (JSON does not). */
export function encodeSse({ id, data }: SseMessage): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`
}

/** Reads a stream of text chunks, cut anywhere, as events; comments and unknown fields are skipped. */
export async function* decodeSse(chunks: AsyncIterable<string>): AsyncGenerator<SseMessage> {
  let buffer = ''
  let id: number | undefined
  let data: string[] = []
  for await (const chunk of chunks) {
    buffer += chunk
    const lines = buffer.split(/\r\n|\n|\r(?!$)/)
    buffer = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield id === undefined ? { data: data.join('\n') } : { id, data: data.join('\n') }
        data = []
        id = undefined
      } else if (line.startsWith('data:')) {
        data.push(line.slice(line[5] === ' ' ? 6 : 5))
      } else if (line.startsWith('id:')) {
        const value = Number(line.slice(3).trim())
        if (Number.isSafeInteger(value)) id = value
      }
    }
  }
}
