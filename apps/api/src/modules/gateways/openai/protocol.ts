import type { AnswerStopReason, Source, Usage } from '@mira/shared'
import { z } from 'zod'
import { AppError, EngineError, sentenceOf } from '../../../errors.ts'
import { asAppError } from '../../../platform/http/error-handler.ts'
import { forCaller } from '../../../platform/messages/audience.ts'
import { say } from '../../../sentences.ts'

/** An error in the protocol's format. */
interface ProtocolError {
  error: { message: string; type: string; param: string | null; code: string | null }
}

const HIDDEN_ADDRESS = 'the configured address'

/** HTTP statuses for an engine's error codes, where the protocol has a matching one. */
const engineStatuses: Record<string, number> = {
  context_too_long: 400,
  vision_unavailable: 400,
  tools_refused: 400,
  capability_missing: 400,
  model_not_found: 404,
  model_rate_limited: 429,
  model_timeout: 504,
}
const protocolCodes: Record<string, string> = {
  context_too_long: 'context_length_exceeded',
  unauthorized: 'invalid_api_key',
}

const errorTypes: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** HTTP status of an error in this protocol, which answers a failed validation (422) with 400. */
export function statusOf(error: unknown): number {
  const appError = asAppError(error)
  if (appError === null) return 500
  if (appError.status === 422) return 400
  return (
    engineStatuses[appError.code] ??
    (appError.code === 'model_error' ? serverStatusOf(appError) : null) ??
    appError.status
  )
}

/**
 * Status to relay for an error of a model's server; null when Mira's own status applies. A refused request stays a 4xx,
 * since programs retry after a 5xx. Refusals of Mira's own key (401, 403) aren't relayed: the program would think its own
 * key was refused.
 */
function serverStatusOf(error: AppError): number | null {
  const status = error instanceof EngineError ? error.serverStatus : undefined
  if (status === undefined || [401, 403, 407, 408].includes(status)) return null
  if (status === 503 || status === 529) return 503
  if (status < 400 || status >= 500) return null
  return [402, 409, 413].includes(status) ? status : 400
}

/** Headers about retries. */
export function retryHeadersOf(error: unknown): Record<string, string> {
  const appError = asAppError(error)
  const { retryAfterSeconds } = appError ?? {}
  return {
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    // OpenAI's own client libraries read this header.
    ...(appError instanceof EngineError && appError.isPermanent ? { 'x-should-retry': 'false' } : {}),
  }
}

/** An error in the protocol's format; an unexpected one reveals nothing. */
export function errorBody(error: unknown): ProtocolError {
  const appError = asAppError(error) ?? new AppError('Internal server error', 'internal_error')
  const status = statusOf(error)
  return {
    error: {
      message: messageOf(appError),
      type: errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error'),
      param: appError.errors?.[0]?.path ?? null,
      code: protocolCodes[appError.code] ?? appError.code,
    },
  }
}

/** An address with a scheme, host:port, or an IPv4 address. */
const ADDRESS = /:\/\/|[\w\]-]:\d{2,5}(?!\d)|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/

/** Keeps the message of a model's server, which says what to change in a request, but hides addresses in it. */
function messageOf(error: AppError): string {
  const sentence = sentenceOf(error)
  const shown = forCaller(sentence)
  const { code, params } = error.sentences[0] ?? {}
  if (shown === sentence || code !== 'model_error' || !params?.said) return shown.text
  const said = String(params.said)
    .split(' ')
    .map((word) => (ADDRESS.test(word) ? HIDDEN_ADDRESS : word))
    .join(' ')
  return say('model_error', { address: HIDDEN_ADDRESS, status: Number(params.status), said }).text
}

/** Model id of the assistant, which has memory, agents and citations, in the list of models. */
export const ASSISTANT_MODEL = 'mira'
const MAX_MESSAGES = 1000
const MAX_STOPS = 4
/** OpenAI's limit of texts in a request for embeddings. */
const MAX_EMBEDDED = 2048
/** Limit of the total length of all texts in a request. */
export const MAX_TEXT_CHARACTERS = 1_000_000

const partSchema = z.looseObject({ type: z.string() })
const callSchema = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string().max(200), arguments: z.string() }).nullish(),
})
const messageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(partSchema)]).nullish(),
  tool_calls: z.array(callSchema).nullish(),
  tool_call_id: z.string().nullish(),
})
export type ProtocolMessage = z.output<typeof messageSchema>

/** POST /v1/chat/completions: the fields that Mira reads; connected models also get the others. */
export const completionSchema = z.looseObject({
  model: z.string().min(1).max(300),
  messages: z.array(messageSchema).min(1).max(MAX_MESSAGES),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  stop: z
    .union([z.string(), z.array(z.string()).max(MAX_STOPS)], {
      error: `must be a text or a list of at most ${MAX_STOPS} texts`,
    })
    .nullish(),
  tools: z.array(z.unknown()).nullish(),
  /** The form of `tools` before 2023. */
  functions: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  n: z.number().int().nullish(),
  response_format: z.unknown().optional(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})
export type CompletionRequest = z.output<typeof completionSchema>

/** A text as token ids of a model, which only that model's server can decode. */
const tokensSchema = z.array(z.number().int().nonnegative()).min(1).max(8192)
const tokenListsSchema = z.array(tokensSchema).min(1).max(MAX_EMBEDDED)

/** POST /v1/embeddings */
export const embeddingsSchema = z.looseObject({
  model: z.string().min(1).max(300),
  input: z.union(
    [z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_EMBEDDED), tokensSchema, tokenListsSchema],
    {
      error: `must be a text or a list of at most ${MAX_EMBEDDED} texts, none of them empty`,
    },
  ),
  dimensions: z.number().int().positive().nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
})

/** A source in the memory that an answer cites as [n]. */
interface Annotation {
  type: 'url_citation'
  url_citation: { url: string; title: string; start_index: number; end_index: number }
  /** This and the following fields aren't in the protocol: the item, and the position in it. */
  n: number
  media_id: string | null
  media_type: string
  snippet: string
  page?: number
  timestamp_seconds?: number
  frame_number?: number
}

/** Citations of a text; a source that is cited several times is annotated at its first citation. */
export function annotationsOf(text: string, sources: Source[], addressOf: (path: string) => string): Annotation[] {
  return sources.map(({ n, media_id, media_type, title, snippet, url, page, timestamp_seconds, frame_number }) => {
    const mark = `[${n}]`
    const start = Math.max(0, text.indexOf(mark))
    return {
      type: 'url_citation',
      url_citation: { url: addressOf(url), title, start_index: start, end_index: start + mark.length },
      n,
      media_id,
      media_type,
      snippet,
      ...(page === undefined ? {} : { page }),
      ...(timestamp_seconds === undefined ? {} : { timestamp_seconds }),
      ...(frame_number === undefined ? {} : { frame_number }),
    }
  })
}

/** Common fields of every chunk of an answer. */
export interface CompletionHead {
  id: string
  /** Seconds since 1970. */
  created: number
  model: string
  metadata?: Record<string, string>
}

export interface FinishedAnswer {
  content: string
  reasoning: string
  annotations: Annotation[]
  /** Calls for the program to make; the answer continues with their results. */
  calls: ProgramCall[]
  usage: Usage | null
  finishReason: FinishReason
}

export type FinishReason = 'stop' | 'tool_calls' | AnswerStopReason

/** A call of the program's own tool that an answer ends with. */
export interface ProgramCall {
  id: string
  name: string
  /** JSON as the model wrote it. */
  argumentsText: string
}

const wireCall = ({ id, name, argumentsText }: ProgramCall) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: argumentsText },
})

/** Clients read the usage of every answer, also where the model reports none. */
export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 }

const usageOf = ({ input_tokens, output_tokens }: Usage) => ({
  prompt_tokens: input_tokens,
  completion_tokens: output_tokens,
  total_tokens: input_tokens + output_tokens,
})

/** An answer that isn't streamed. */
export function wholeCompletion(
  head: CompletionHead,
  { content, reasoning, annotations, calls, usage, finishReason }: FinishedAnswer,
) {
  return {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && calls.length > 0 ? null : content,
          refusal: null,
          annotations,
          ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) }),
        },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage: usageOf(usage ?? NO_USAGE),
  }
}

/** Content of a streamed chunk. */
export interface Delta {
  role?: 'assistant'
  content?: string
  reasoning_content?: string
  annotations?: Annotation[]
  tool_calls?: (ReturnType<typeof wireCall> & { index: number })[]
}

/** The chunk with the tool calls. */
export function callsDelta(calls: ProgramCall[]): Delta {
  return { tool_calls: calls.map((call, index) => ({ index, ...wireCall(call) })) }
}

export function completionChunk(head: CompletionHead, delta: Delta, finishReason: FinishReason | null = null) {
  return {
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  }
}

/** The final chunk, with the answer's usage. */
export function usageChunk(head: CompletionHead, usage: Usage | null) {
  return { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(usage ?? NO_USAGE) }
}
