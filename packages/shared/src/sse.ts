import { createParser } from 'eventsource-parser'

/** A server-sent event. `id` is set in streams that can be resumed. */
export interface SseMessage {
  id?: number
  data: string
}

/** Encodes one event. `data` must not contain line breaks; JSON never does. */
export function encodeSse({ id, data }: SseMessage): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`
}

/** Decodes events from text chunks of any size, skipping comments and unknown fields. */
export async function* decodeSse(chunks: AsyncIterable<string>): AsyncGenerator<SseMessage> {
  const events: SseMessage[] = []
  const parser = createParser({
    onEvent: ({ id, data }) => events.push(id !== undefined && /^\d+$/.test(id) ? { id: Number(id), data } : { data }),
  })
  for await (const chunk of chunks) {
    parser.feed(chunk)
    yield* events.splice(0)
  }
}
