import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type RecordedRequest, readBody, sendError, sendJson } from './openai-wire.ts'

/** A received request; `round` counts the requests to the same path from 0. */
export interface StandInRequest {
  path: string
  query: string
  round: number
  body: RecordedRequest['body']
}

export type StandIn = (request: StandInRequest, response: ServerResponse) => void | Promise<void>

/** A model server whose responses `serve` writes, byte for byte. */
export interface StandInServer {
  baseUrl: string
  requests: StandInRequest[]
  serve: StandIn
  close(): Promise<void>
}

export async function startStandIn(): Promise<StandInServer> {
  const server: StandInServer = {
    baseUrl: '',
    requests: [],
    serve: (_request, response) => sendError(response, { status: 404 }),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
  const http = createServer((incoming, response) => {
    const work = async () => {
      const [address = '', query = ''] = (incoming.url ?? '').split('?')
      const path = address.replace(/^\/v1/, '')
      const round = server.requests.filter((one) => one.path === path).length
      const request = { path, query, round, body: await readBody(incoming) }
      server.requests.push(request)
      await server.serve(request, response)
    }
    work().catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  server.baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`
  return server
}

/** Starts an event stream. */
export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
}

/** A chunk with one delta, as an event. */
export function deltaEvent(delta: object, finishReason: string | null = null): string {
  return `data: ${JSON.stringify({ model: 'stand-in', choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`
}

export const DONE = 'data: [DONE]\n\n'

/** Streams these events and ends. */
export function sendStream(response: ServerResponse, ...events: string[]): void {
  openStream(response)
  response.end(events.join(''))
}

/** Streams a complete answer with this text. */
export const sendText = (response: ServerResponse, text: string): void =>
  sendStream(response, deltaEvent({ content: text }), deltaEvent({}, 'stop'), DONE)

/** Streams a call of `lookup`, with fields that a provider adds to the message and to the call. */
export function sendCall(response: ServerResponse, { message = {}, call = {} } = {}): void {
  const tool_calls = [
    { index: 0, id: 'call_1', type: 'function', function: { name: 'lookup', arguments: '{"q":"17*23"}' }, ...call },
  ]
  sendStream(response, deltaEvent({ role: 'assistant', ...message, tool_calls }), deltaEvent({}, 'tool_calls'), DONE)
}

export { sendError, sendJson }
