import type { ChatRequestJson, UserEventJson } from '@mira/shared'
import { SSE_DONE } from '@mira/shared/sse'
import createClient from 'openapi-fetch'
import { type AnswerPart, readAnswer } from './answer-stream.ts'
import type { paths } from './api-types.d.ts'
import { createTransport } from './transport.ts'

export type { AnswerPart } from './answer-stream.ts'
export type { components, paths } from './api-types.d.ts'
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
 * Every call of a Mira's API, typed: `mira.GET('/api/media/{id}', { params: { path: { id } } })`.
 *
 * A call that is no success throws an `ApiError` with the server's sentence; `data` of an answer is always there.
 */
export function createMira({ url, token }: MiraOptions) {
  const baseUrl = url.replace(/\/+$/, '')
  const transport = createTransport({ baseUrl: () => baseUrl, token: () => token })
  const { GET, POST, PUT, PATCH, DELETE } = createClient<paths>({ baseUrl, fetch: send })

  async function send(request: Request): Promise<Response> {
    return transport.send(
      request.url,
      {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        body: request.body === null ? null : await request.arrayBuffer(),
      },
      // whoever calls gives a signal where they do not want to wait
      { signal: request.signal, timeoutMs: null },
    )
  }

  return {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE,
    /** Makes a call by its path below /api, for answers that are no JSON. */
    request: transport.request,

    /** Sends a message of the chat and reads its answer as it is made. @throws ApiError also when it breaks off. */
    ask: (message: ChatRequestJson, signal: AbortSignal = new AbortController().signal): AsyncGenerator<AnswerPart> =>
      readAnswer(transport, '/chat/message', { method: 'POST', json: message }, signal),

    /** Follows what happens to the caller's things; ends when the server closes the stream. */
    async *follow(signal: AbortSignal): AsyncGenerator<UserEventJson> {
      for await (const { data } of transport.requestEvents('/events', { signal })) {
        if (data === SSE_DONE) return
        yield JSON.parse(data) as UserEventJson
      }
    },
  }
}
