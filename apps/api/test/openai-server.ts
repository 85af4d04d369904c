import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A message of a chat request as it came over the wire. */
export interface WireMessage {
  role: string
  content: unknown
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** A call of a tool that a model asks for. */
export interface WireCall {
  name: string
  /** An object is sent as its JSON. */
  arguments: string | object
}

/** What a client asked. */
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
  /** When it came, and when its client went away before the end (milliseconds since 1970). */
  receivedAt: number
  abandonedAt: number | undefined
}

/** An error as OpenAI-compatible servers send it. */
export interface WireError {
  status: number
  /** The whole body; without it `{error: {message, type, code}}`. */
  body?: unknown
  message?: string
  code?: string
  type?: string
  headers?: Record<string, string>
}

/** How a chat request is answered. Times are milliseconds. */
export interface Answer {
  /** The deltas, in order; a string is cut into words. */
  text?: string | string[]
  /** Sent as `reasoning_content` before the text. */
  reasoning?: string[]
  /** Calls of tools after the text, each whole in a delta of its own. */
  calls?: WireCall[]
  /** What `tool_calls` of one delta after the other hold, as it is. */
  callFragments?: object[][]
  /** Sends the last fragments together with the finish reason. */
  callsInLastChunk?: boolean
  /** Wait before the first delta. */
  firstDelayMs?: number
  /** Wait between deltas. */
  delayMs?: number
  /** Tokens to report; `none` reports nothing, whatever was asked for. Without it they are counted from the deltas. */
  usage?: { prompt_tokens: number; completion_tokens: number } | 'none'
  /** The model's name as answered; the one that was asked for without it. */
  model?: string
  /** Leaves out the first delta with `content: null`, which llama.cpp sends. */
  withoutNullDelta?: boolean
  finishReason?: string
  error?: WireError
  /** Sent as a `data:` line after the deltas, as some servers report trouble in the middle. */
  errorInStream?: { message: string; code?: string }
  /** Keeps silent for ever: before the headers, before the first delta, or after this many deltas. */
  hang?: 'headers' | 'first' | number
  /** Breaks the connection after this many deltas. */
  cutAfter?: number
  /** Ends the stream after the deltas without a finish reason and without `[DONE]`. */
  endEarly?: boolean
}

/** An OpenAI-compatible server over real HTTP whose answers are scripted. */
export interface OpenAiServer {
  /** Ends with /v1. */
  baseUrl: string
  /** Everything that was asked, oldest first. */
  requests: RecordedRequest[]
  /** The streamed chat requests alone, oldest first. */
  chats(): RecordedRequest[]
  /** Ids of GET /v1/models, or whole entries. */
  models: (string | Record<string, unknown>)[]
  /** What GET /v1/models answers instead. */
  modelsError: WireError | undefined
  /** How chat requests are answered that nothing else decides. */
  fallback: Answer | ((request: RecordedRequest) => Answer)
  /** What requests that do not stream (titles, summaries) are answered. */
  plainText: string
  /** What they get instead: an error, or silence for ever. */
  plainTrouble: WireError | 'hang' | undefined
  /** Answers the next streamed chat requests, one each. */
  next(...answers: Answer[]): void
  /** Answers every streamed chat request whose last user message holds these words; the newest rule wins. */
  when(words: string, answer: Answer | ((request: RecordedRequest) => Answer)): void
  /** Forgets rules, queued answers and records. */
  reset(): void
  /** Breaks every connection and listens no more; `listen` begins again on the same port. */
  stop(): Promise<void>
  listen(): Promise<void>
  close(): Promise<void>
}

/** Text of the last message of a role. */
export function lastMessage(request: RecordedRequest, role = 'user'): string {
  const content = request.body.messages?.findLast((message) => message.role === role)?.content
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join(' ') : ''
}

const echo = (request: RecordedRequest): Answer => ({ text: `You said: ${lastMessage(request)}` })

/** What tools gave since the last user message, as it was told to the model. */
export function toolResults(request: RecordedRequest): string[] {
  const messages = request.body.messages ?? []
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  return messages.slice(asked + 1).flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []))
}

/** Starts it on a free port (or the one given) of 127.0.0.1; it answers by repeating what it was told. */
export async function startOpenAiServer(options: { port?: number } = {}): Promise<OpenAiServer> {
  let queue: Answer[] = []
  let rules: { words: string; answer: Answer | ((request: RecordedRequest) => Answer) }[] = []
  let port = options.port ?? 0

  const server: OpenAiServer = {
    baseUrl: '',
    requests: [],
    chats: () => server.requests.filter(({ path, body }) => path === '/v1/chat/completions' && body.stream === true),
    models: ['test-model'],
    modelsError: undefined,
    fallback: echo,
    plainText: 'A short title',
    plainTrouble: undefined,
    next: (...answers) => void queue.push(...answers),
    when: (words, answer) => void rules.unshift({ words, answer }),
    reset() {
      queue = []
      rules = []
      server.requests.length = 0
      server.models = ['test-model']
      server.modelsError = undefined
      server.fallback = echo
      server.plainText = 'A short title'
      server.plainTrouble = undefined
    },
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
    listen: () =>
      new Promise((resolve, reject) => {
        http.once('error', reject)
        http.listen(port, '127.0.0.1', () => {
          port = (http.address() as AddressInfo).port
          server.baseUrl = `http://127.0.0.1:${port}/v1`
          resolve()
        })
      }),
    close: () => (http.listening ? server.stop() : Promise.resolve()),
  }

  const chooseAnswer = (request: RecordedRequest): Answer => {
    const queued = queue.shift()
    if (queued) return queued
    const said = lastMessage(request)
    const chosen = rules.find(({ words }) => said.includes(words))?.answer ?? server.fallback
    return typeof chosen === 'function' ? chosen(request) : chosen
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request: RecordedRequest = {
      method: incoming.method ?? '',
      path: (incoming.url ?? '').split('?')[0] ?? '',
      authorization: incoming.headers.authorization,
      body: await readBody(incoming),
      receivedAt: Date.now(),
      abandonedAt: undefined,
    }
    server.requests.push(request)
    response.on('close', () => {
      if (!response.writableFinished) request.abandonedAt = Date.now()
    })
    switch (`${request.method} ${request.path}`) {
      case 'GET /v1/models':
        if (server.modelsError) return sendError(response, server.modelsError)
        return sendJson(response, { object: 'list', data: server.models.map(modelEntry) })
      case 'POST /v1/chat/completions':
        if (request.body.stream) return streamAnswer(request, response, chooseAnswer(request))
        if (server.plainTrouble === 'hang') return
        if (server.plainTrouble) return sendError(response, server.plainTrouble)
        return sendJson(response, plainCompletion(request, server.plainText))
      case 'POST /v1/embeddings':
        return sendJson(response, embeddings(request))
      default:
        return sendError(response, { status: 404, message: `No such path: ${request.path}` })
    }
  }

  const http = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await server.listen()
  return server
}

async function readBody(incoming: IncomingMessage): Promise<RecordedRequest['body']> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  return parts.length > 0 ? JSON.parse(Buffer.concat(parts).toString('utf8')) : {}
}

function sendJson(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function sendError(response: ServerResponse, error: WireError): void {
  const { status, message = 'Something is wrong', type = 'error', code = null } = error
  sendJson(response, error.body ?? { error: { message, type, code } }, status, error.headers)
}

function modelEntry(model: string | Record<string, unknown>): Record<string, unknown> {
  return typeof model === 'string' ? { id: model, object: 'model', created: 0, owned_by: 'test' } : model
}

function plainCompletion(request: RecordedRequest, text: string) {
  return {
    id: 'chatcmpl-test',
    object: 'chat.completion',
    created: 0,
    model: request.body.model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
  }
}

/** Vectors of 8 numbers that depend on the text, so that equal texts lie together. */
function embeddings(request: RecordedRequest) {
  const texts = [request.body.input ?? []].flat()
  const data = texts.map((text, index) => {
    const vector = Array.from({ length: 8 }, (_, axis) => {
      let sum = axis + 1
      for (const character of text.toLowerCase()) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1009
      return sum / 1009
    })
    const isBase64 = request.body.encoding_format === 'base64'
    const bytes = Buffer.from(Float32Array.from(vector).buffer)
    return { object: 'embedding', index, embedding: isBase64 ? bytes.toString('base64') : vector }
  })
  const tokens = texts.join(' ').split(/\s+/).length
  return {
    object: 'list',
    model: request.body.model,
    data,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

/** Cuts after each space, so that the pieces together are the text. */
function words(text: string | string[]): string[] {
  return typeof text === 'string' ? (text.match(/\S+\s*|\s+/g) ?? []) : text
}

async function streamAnswer(request: RecordedRequest, response: ServerResponse, answer: Answer): Promise<void> {
  if (answer.error) return sendError(response, answer.error)
  if (answer.hang === 'headers') return
  const model = answer.model ?? request.body.model ?? ''
  const head = { id: 'chatcmpl-test', object: 'chat.completion.chunk', created: 0, model }
  const send = (chunk: Record<string, unknown>) => {
    if (!response.destroyed) response.write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`)
  }
  const sendDelta = (delta: Record<string, unknown>, finishReason: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason: finishReason }] })

  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.flushHeaders()
  if (answer.hang === 'first') return
  if (answer.firstDelayMs) await sleep(answer.firstDelayMs)
  if (!answer.withoutNullDelta) sendDelta({ role: 'assistant', content: null })
  for (const piece of answer.reasoning ?? []) sendDelta({ reasoning_content: piece })

  const pieces = words(answer.text ?? '')
  for (const [index, piece] of pieces.entries()) {
    if (answer.hang === index) return
    if (answer.cutAfter === index) return breakOff(response)
    if (index > 0 && answer.delayMs) await sleep(answer.delayMs)
    if (response.destroyed) return
    sendDelta({ content: piece })
  }
  if (typeof answer.hang === 'number') return
  if (answer.cutAfter !== undefined) return breakOff(response)
  if (answer.errorInStream) {
    const { message, code = null } = answer.errorInStream
    response.end(`data: ${JSON.stringify({ error: { message, type: 'server_error', code } })}\n\n`)
    return
  }
  const fragments = answer.callFragments ?? wholeCalls(answer.calls ?? [])
  const last = answer.callsInLastChunk ? fragments.at(-1) : undefined
  for (const tool_calls of last ? fragments.slice(0, -1) : fragments) sendDelta({ tool_calls })
  if (answer.endEarly) return void response.end()

  sendDelta(last ? { tool_calls: last } : {}, answer.finishReason ?? (fragments.length > 0 ? 'tool_calls' : 'stop'))
  if (answer.usage !== 'none' && request.body.stream_options?.include_usage) {
    const usage = answer.usage ?? { prompt_tokens: 10, completion_tokens: pieces.length }
    send({ choices: [], usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens } })
  }
  response.end('data: [DONE]\n\n')
}

function wholeCalls(calls: WireCall[]): object[][] {
  return calls.map(({ name, arguments: given }, index) => {
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    return [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: text } }]
  })
}

/** Lets what was written leave before the connection breaks. */
async function breakOff(response: ServerResponse): Promise<void> {
  await sleep(10)
  response.destroy()
}
