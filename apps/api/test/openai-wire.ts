import type { IncomingMessage, ServerResponse } from 'node:http'

/** A received message of a chat request. */
export interface WireMessage {
  role: string
  content: unknown
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** A tool call requested by a model. */
export interface WireCall {
  name: string
  /** An object is sent as its JSON. */
  arguments: string | object
}

/** A client's request. */
export interface RecordedRequest {
  method: string
  path: string
  authorization: string | undefined
  body: {
    model?: string
    stream?: boolean
    stream_options?: { include_usage?: boolean }
    messages?: WireMessage[]
    tools?: { type: string; function: { name: string; description: string; parameters: object } }[]
    input?: string | string[]
    [name: string]: unknown
  }
  /** Time of arrival, and the time at which the client disconnected early (milliseconds since 1970). */
  receivedAt: number
  abandonedAt: number | undefined
  /** Time at which the whole response was sent. */
  answeredAt: number | undefined
}

/** An error as OpenAI-compatible servers send it. */
export interface WireError {
  status: number
  /** The whole body; by default `{error: {message, type, code}}`. */
  body?: unknown
  message?: string
  code?: string
  type?: string
  headers?: Record<string, string>
}

/** Body of a request: JSON, or the fields of a form with an unchanged file. */
export async function readBody(incoming: IncomingMessage): Promise<RecordedRequest['body']> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  if (parts.length === 0) return {}
  const bytes = Buffer.concat(parts)
  const type = incoming.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return JSON.parse(bytes.toString('utf8'))
  return Object.fromEntries(await new Response(bytes, { headers: { 'content-type': type } }).formData())
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export function sendError(response: ServerResponse, error: WireError): void {
  const { status, message = 'Something is wrong', type = 'error', code = null } = error
  sendJson(response, error.body ?? { error: { message, type, code } }, status, error.headers)
}
