import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RecordedRequest, sendError, type WireCall, type WireError } from './openai-wire.ts'

/** A scripted response to a chat request. Times are milliseconds. */
export interface Answer {
  /** The deltas, in order; a string is cut into words. */
  text?: string | string[]
  /** Sent as `reasoning_content` before the text. */
  reasoning?: string[]
  /** Tool calls after the text, each in a single delta. */
  calls?: WireCall[]
  /** Raw `tool_calls` of consecutive deltas. */
  callFragments?: object[][]
  /** Sends the last fragments together with the finish reason. */
  callsInLastChunk?: boolean
  /** Wait before the first delta. */
  firstDelayMs?: number
  /** Wait between deltas. */
  delayMs?: number
  /** Delays the last delta until this resolves. */
  lastAfter?: Promise<unknown>
  /** Tokens to report; `none` reports nothing even when requested. By default they are counted from the deltas. */
  usage?: { prompt_tokens: number; completion_tokens: number } | 'none'
  /** Model name in the response; by default the requested one. */
  model?: string
  /** Leaves out the first delta with `content: null`, which llama.cpp sends. */
  withoutNullDelta?: boolean
  finishReason?: string
  error?: WireError
  /** Sent as a `data:` line after the deltas, as some servers report errors in mid-stream. */
  errorInStream?: { message: string; code?: string }
  /** Never continues: before the headers, before the first delta, or after this many deltas. */
  hang?: 'headers' | 'first' | number
  /** Breaks the connection after this many deltas. */
  cutAfter?: number
  /** Ends the stream after the deltas without a finish reason and without `[DONE]`. */
  endEarly?: boolean
}

/** Response to a request without streaming. */
export function plainCompletion(request: RecordedRequest, text: string, finishReason = 'stop') {
  return {
    id: 'chatcmpl-test',
    object: 'chat.completion',
    created: 0,
    model: request.body.model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finishReason }],
    usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
  }
}

/** Splits after each space, so that the joined pieces are the text. */
function words(text: string | string[]): string[] {
  return typeof text === 'string' ? (text.match(/\S+\s*|\s+/g) ?? []) : text
}

/** Streams a response. */
export async function streamAnswer(request: RecordedRequest, response: ServerResponse, answer: Answer): Promise<void> {
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
    if (index === pieces.length - 1) await answer.lastAfter
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
  return calls.map(({ name, arguments: input }, index) => {
    const text = typeof input === 'string' ? input : JSON.stringify(input)
    return [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: text } }]
  })
}

/** Breaks the connection once the written data has been sent. */
async function breakOff(response: ServerResponse): Promise<void> {
  await sleep(10)
  response.destroy()
}
