import type { ChatRequestJson, UserEventJson } from '@mira/shared'
import { SSE_DONE } from '@mira/shared/constants/sse'
import { type AnswerPart, readAnswer } from './answer-stream.ts'
import { path } from './path.ts'
import { createTransport } from './transport.ts'

export type { AnswerPart } from './answer-stream.ts'
export { ApiError } from './transport.ts'

/** Server address and credentials of a client. */
export interface MiraOptions {
  /** The server's address, such as http://localhost:3000. */
  url: string
  /** An API token (`mira_…`) or that of a session; null for what anybody may call. */
  token: string | null
}

export type Mira = ReturnType<typeof createMira>

/**
 * Every call of a Mira's API, typed: `mira.call('GET /media/:id', { params: { id } })`.
 *
 * A call that is no success throws an `ApiError` with the server's sentence.
 */
export function createMira({ url, token }: MiraOptions) {
  const baseUrl = url.replace(/\/+$/, '')
  // callers that do not want to wait give a signal
  const transport = createTransport({ baseUrl: () => baseUrl, token: () => token, timeoutMs: null })

  return {
    call: transport.call,
    callForResponse: transport.callForResponse,
    callPage: transport.callPage,

    /** Sends a message of the chat and reads its answer as it is made. @throws ApiError also when it breaks off. */
    ask: (message: ChatRequestJson, signal: AbortSignal = new AbortController().signal): AsyncGenerator<AnswerPart> =>
      readAnswer(transport, '/chat/message', { method: 'POST', json: message }, signal),

    /** Reads an answer after one of its events, on whichever server; from its beginning after null. @throws as `ask`. */
    resume: (
      { sessionId, messageId, eventId }: { sessionId: string; messageId: string; eventId: number | null },
      signal: AbortSignal = new AbortController().signal,
    ): AsyncGenerator<AnswerPart> => {
      const headers = eventId === null ? {} : { 'Last-Event-ID': String(eventId) }
      const options = { headers, query: { message_id: messageId } }
      return readAnswer(transport, path`/chat/sessions/${sessionId}/stream`, options, signal)
    },

    /** Follows what happens to the caller's things; ends when the server closes the stream. */
    async *follow(signal: AbortSignal): AsyncGenerator<UserEventJson> {
      for await (const { data } of transport.requestEvents('/events', { signal })) {
        if (data === SSE_DONE) return
        yield JSON.parse(data) as UserEventJson
      }
    },
  }
}
