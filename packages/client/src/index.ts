import type { ChatRequestJson, UserEventJson } from '@mira/shared'
import { SSE_DONE } from '@mira/shared/constants/sse'
import { type AnswerPart, readAnswer } from './answer-stream.ts'
import { path } from './path.ts'
import { createTransport } from './transport.ts'

export type { AnswerPart } from './answer-stream.ts'
export { ApiError, foreignError } from './transport.ts'

/** Server address and credentials of a client. */
export interface MiraOptions {
  /** The server's address, such as http://localhost:3000. */
  url: string
  /** An API token (`mira_…`) or a session's; null for public routes. */
  token: string | null
}

export type Mira = ReturnType<typeof createMira>

/**
 * Typed calls of all routes of a Mira server: `mira.call('GET /media/:id', { params: { id } })`.
 *
 * A failed call throws an `ApiError` with the server's message.
 */
export function createMira({ url, token }: MiraOptions) {
  const baseUrl = url.replace(/\/+$/, '')
  // no timeout: callers pass a signal instead
  const transport = createTransport({ baseUrl: () => baseUrl, token: () => token, timeoutMs: null })

  return {
    call: transport.call,
    callForResponse: transport.callForResponse,
    callPage: transport.callPage,

    /** Sends a chat message and yields the events of its answer. @throws ApiError also when the stream breaks off. */
    ask: (message: ChatRequestJson, signal: AbortSignal = new AbortController().signal): AsyncGenerator<AnswerPart> =>
      readAnswer(transport, '/chat/message', { method: 'POST', json: message }, signal),

    /** Yields the events of a running answer after the given event; all of them when `eventId` is null. @throws as `ask`. */
    resume: (
      { sessionId, messageId, eventId }: { sessionId: string; messageId: string; eventId: number | null },
      signal: AbortSignal = new AbortController().signal,
    ): AsyncGenerator<AnswerPart> => {
      const headers = eventId === null ? {} : { 'Last-Event-ID': String(eventId) }
      const options = { headers, query: { message_id: messageId } }
      return readAnswer(transport, path`/chat/sessions/${sessionId}/stream`, options, signal)
    },

    /** Yields the user's events until the server closes the stream. */
    async *streamEvents(signal: AbortSignal): AsyncGenerator<UserEventJson> {
      for await (const { data } of transport.requestEvents('/events', { signal })) {
        if (data === SSE_DONE) return
        yield JSON.parse(data) as UserEventJson
      }
    },
  }
}
