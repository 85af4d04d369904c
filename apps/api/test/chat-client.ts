import type { AddressInfo } from 'node:net'
import { type ChatEvent, type ChatSessionDetailJson, decodeSse, SSE_DONE } from '@mira/shared'
import type { FastifyInstance } from 'fastify'

/** An event as it arrived. */
export interface Received {
  id: number | undefined
  event: ChatEvent
}

/** A streamed answer that is read in the background. */
export interface ReadStream {
  status: number
  /** Body of a response that isn't a stream. */
  body: { detail: string; code: string } | null
  /** All events so far; `isDone` becomes true after the last one of a complete stream. */
  received: Received[]
  readonly isDone: boolean
  text(): string
  /** Resolves when the stream has ended, or after `leave`. */
  ended: Promise<void>
  /** Resolves when the condition holds. Rejects when the stream ends before that. */
  until(condition: (stream: ReadStream) => boolean): Promise<void>
  leave(): void
}

/** A client of the chat API, over real HTTP. */
export interface ChatClient {
  send(body: object, headers?: Record<string, string>): Promise<ReadStream>
  regenerate(sessionId: string, messageId: string, fields?: object): Promise<ReadStream>
  streamAnswer(sessionId: string, options?: { messageId?: string; lastEventId?: number }): Promise<ReadStream>
  stop(sessionId: string): Promise<number>
  call<Body>(method: string, path: string, body?: object): Promise<{ status: number; body: Body; headers: Headers }>
  /** A conversation with its messages. */
  read(sessionId: string): Promise<ChatSessionDetailJson>
}

/** Makes the app listen on a free port. @returns its address. */
export async function listen(app: FastifyInstance): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

/** The text of the chunks of an answer. */
export function textOf(received: Received[]): string {
  return received.map(({ event }) => (event.type === 'chunk' ? event.content : '')).join('')
}

export function createChatClient(baseUrl: string, token: string): ChatClient {
  const headersOf = (fields: Record<string, string> = {}) => ({ authorization: `Bearer ${token}`, ...fields })

  const open = async (path: string, init: RequestInit): Promise<ReadStream> => {
    const aborter = new AbortController()
    const response = await fetch(`${baseUrl}/api${path}`, { ...init, signal: aborter.signal })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const received: Received[] = []
    const waiting: { condition: (stream: ReadStream) => boolean; resolve: () => void; reject(error: Error): void }[] =
      []
    let isDone = false
    let hasEnded = false

    const check = () => {
      for (const one of [...waiting]) {
        if (!one.condition(stream)) continue
        waiting.splice(waiting.indexOf(one), 1)
        one.resolve()
      }
      if (!hasEnded) return
      const events = received.map(({ event }) => JSON.stringify(event)).join(' ')
      for (const { reject } of waiting.splice(0)) reject(new Error(`The stream ended too early, after ${events}`))
    }
    const read = async () => {
      if (!isStream || response.body === null) return
      try {
        for await (const { id, data } of decodeSse(response.body.pipeThrough(new TextDecoderStream()))) {
          if (data === SSE_DONE) isDone = true
          else received.push({ id, event: JSON.parse(data) as ChatEvent })
          check()
        }
      } catch (error) {
        // Leaving breaks the connection, and so does a server that is killed.
        if (!(error instanceof Error)) throw error
      }
    }
    const stream: ReadStream = {
      status: response.status,
      body: isStream || response.status === 204 ? null : ((await response.json()) as ReadStream['body']),
      received,
      get isDone() {
        return isDone
      },
      text: () => textOf(received),
      ended: Promise.resolve(),
      until: (condition) =>
        new Promise((resolve, reject) => {
          waiting.push({ condition, resolve, reject })
          check()
        }),
      leave: () => aborter.abort(),
    }
    stream.ended = read().finally(() => {
      hasEnded = true
      check()
    })
    return stream
  }

  const call = async <Body>(method: string, path: string, body?: object) => {
    const response = await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: headersOf(body ? { 'content-type': 'application/json' } : {}),
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Body, headers: response.headers }
  }

  return {
    send: (body, headers) =>
      open('/chat/message', {
        method: 'POST',
        headers: headersOf({ 'content-type': 'application/json', ...headers }),
        body: JSON.stringify(body),
      }),
    regenerate: (sessionId, messageId, fields = {}) =>
      open(`/chat/sessions/${sessionId}/regenerate`, {
        method: 'POST',
        headers: headersOf({ 'content-type': 'application/json' }),
        body: JSON.stringify({ message_id: messageId, ...fields }),
      }),
    streamAnswer: (sessionId, { messageId, lastEventId } = {}) =>
      open(`/chat/sessions/${sessionId}/stream${messageId ? `?message_id=${messageId}` : ''}`, {
        headers: headersOf(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
      }),
    stop: async (sessionId) => (await call('POST', `/chat/sessions/${sessionId}/stop`)).status,
    read: async (sessionId) => (await call<ChatSessionDetailJson>('GET', `/chat/sessions/${sessionId}`)).body,
    call,
  }
}

/** Reads the ids in the first event of an answer. */
export function idsOf(stream: ReadStream): { sessionId: string; messageId: string; questionId: string } {
  const first = stream.received[0]?.event
  if (first?.type !== 'session') throw new Error(`the stream begins with ${JSON.stringify(first ?? stream.body)}`)
  if (first.session_id === null) throw new Error('a temporary conversation has no id')
  return { sessionId: first.session_id, messageId: first.message_id, questionId: first.user_message_id }
}

/** Sends a message to the built-in engine and waits for its answer. */
export async function converse(
  client: ChatClient,
  content: string,
  { sessionId, headers }: { sessionId?: string | undefined; headers?: Record<string, string> | undefined } = {},
) {
  const stream = await client.send({ content, session_id: sessionId }, headers)
  await stream.ended
  return { ...idsOf(stream), text: stream.text(), received: stream.received }
}
