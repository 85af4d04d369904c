import { createParser } from 'eventsource-parser'

/** One server-sent event: its id (where the stream can be resumed) and its data. */
export interface SseMessage {
  id?: number
  data: string
}

/** Writes one event. `data` must not hold a line break (JSON does not). */
export function encodeSse({ id, data }: SseMessage): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`
}

/** Reads a stream of text chunks, cut anywhere, as events; comments and unknown fields are skipped. */
export async function* decodeSse(chunks: AsyncIterable<string>): AsyncGenerator<SseMessage> {
  const arrived: SseMessage[] = []
  const parser = createParser({
    onEvent: ({ id, data }) => arrived.push(id !== undefined && /^\d+$/.test(id) ? { id: Number(id), data } : { data }),
  })
  for await (const chunk of chunks) {
    parser.feed(chunk)
    yield* arrived.splice(0)
  }
}
