import type { Capability, ChatErrorCode, CodedSentence } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai/core/error'
import { EngineError } from '../../errors.ts'
import { type Sentence, say } from '../../sentences.ts'
import { readRetryAfter } from './retry-after.ts'

/** A failed call, for reporting and for retries. */
export interface RemoteFailure {
  code: ChatErrorCode | 'capability_missing'
  sentence: string
  sentences: CodedSentence[]
  isWorthRetrying: boolean
  /** True when it will fail again until the server, its settings or the input change. */
  isPermanent: boolean
  /** Delay that the server requested, in milliseconds. */
  retryAfterMs: number | null
  /** The model's context in tokens, if the refusal states it. */
  contextTokens: number | null
}

/** Abilities other than chat. */
export type ModelCapability = Extract<
  Capability,
  'caption' | 'embedding' | 'rerank' | 'transcription' | 'speech' | 'image_edit'
>

/** Target of the request, for error messages. */
export interface RemoteRequest {
  /** Scheme, host and port: never credentials or a query. */
  address: string
  model: string
  /** Environment variable that names the model; '' when none does. */
  variable: string
  /** True when pictures were sent along. */
  hasPictures?: boolean | undefined
  /** Requested ability, unless it's chat. */
  capability?: ModelCapability | undefined
}

const MAX_MESSAGE_CHARACTERS = 300
export const contextWords =
  /context.?(length|size|window)|maximum context|too many tokens|prompt is too long|(exceeds?|larger than) the (available |maximum )?context|input is too long|input token count.{0,40}exceeds|maximum (prompt|input) length|exceed(s|ed) (the )?model token limit|max_new_tokens`? must be|inputs`? must have less than|range of input length/i
const modelWords = /model/i
const unableWords = /(does ?n[o']t|not|cannot) (be )?(support|allow|provide|generate)/i
/** Errors about one broken picture, rather than about pictures in general. */
const brokenPictureWords =
  /(failed|unable|cannot|could not) (to )?(load|decode|read|identify)|invalid image|unsupported image|corrupt/i
const keyCodes = new Set(['401', 'invalid_api_key'])
const busyCodes = new Set(['429', 'rate_limit_exceeded', 'rate_limit_error'])
/** Gateways use the same code for a refused request and a refused key, so the words decide. */
const keyWords = /\b(api.?key|key|token|credentials?|unauthori[sz]ed|authenticat\w+)\b/i
const creditWords = /insufficient (balance|credits?|funds)|credit balance|billing hard limit/i
const pictureWords = /image|vision|multi-?modal|mmproj|picture/i

/** Node's connection errors that the messages explain. */
const knownCauses = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'ERR_ADDRESS_FORBIDDEN'],
])

/** Reads an error of the openai package, or of fetch below it, thrown before or while an answer streamed. */
export function readFailure(error: unknown, request: RemoteRequest, hasStarted: boolean): RemoteFailure {
  const { address } = request
  if (error instanceof APIConnectionTimeoutError) {
    return failure('model_timeout', say('model_timeout', { address }))
  }
  if (!(error instanceof APIError) || error instanceof APIConnectionError) {
    return hasStarted ? cutOff(address, '') : unreachable(error, address)
  }
  return readMessage(error, request, hasStarted) ?? readStatus(error, request)
}

function failure(
  code: RemoteFailure['code'],
  { text: sentence, sentences }: Sentence,
  more: Partial<RemoteFailure> = {},
): RemoteFailure {
  return {
    code,
    sentence,
    sentences,
    isWorthRetrying: false,
    isPermanent: false,
    retryAfterMs: null,
    contextTokens: null,
    ...more,
  }
}

/** Failure of a server that broke off in the middle of an answer, with its message. */
function cutOff(address: string, message: string): RemoteFailure {
  const sentence =
    message === '' ? say('answer_broken_off', { address }) : say('answer_cut_off', { address, said: message })
  return failure('answer_cut_off', sentence)
}

function keyRefused(address: string): RemoteFailure {
  return failure('model_key_refused', say('model_key_refused', { address }), { isPermanent: true })
}

function unreachable(error: unknown, address: string): RemoteFailure {
  const code = networkCode(error)
  const cause = knownCauses.has(code) ? code : ''
  return failure('model_unreachable', say('model_unreachable', { address, cause }), {
    isWorthRetrying: code !== 'ENOTFOUND',
  })
}

/** Failure according to the server's message; null when only its status is informative. */
function readMessage(error: APIError, request: RemoteRequest, hasStarted: boolean): RemoteFailure | null {
  const { address, model, variable, hasPictures, capability } = request
  const message = messageOf(error)
  if (
    error.code === 'context_length_exceeded' ||
    error.type === 'exceed_context_size_error' ||
    contextWords.test(message)
  ) {
    return failure('context_too_long', say('context_too_long', { model }), {
      contextTokens: statedContextTokens(error),
      isPermanent: true,
    })
  }
  // llama.cpp responds to a picture with 500, other servers with any status of a refused request.
  const isAboutPictures = pictureWords.test(message) && !brokenPictureWords.test(message)
  if (hasPictures && !hasStarted && ![401, 403, 429].includes(error.status ?? 0) && isAboutPictures) {
    return failure('vision_unavailable', say('vision_unavailable', { model }), { isPermanent: true })
  }
  // Errors within a stream have no status.
  const code = String(error.code)
  const isKeyRefused = keyCodes.has(code) || (code === '403' && keyWords.test(message))
  if (error.status === undefined && isKeyRefused) return keyRefused(address)
  if (hasStarted) return cutOff(address, message)
  if (capability === undefined || !lacksAbility(error, message)) return null
  const reason = message === '' ? `it responds with status ${error.status}` : message.replace(/(?<![.\s])[.\s]+$/, '')
  const missing = say('capability_missing', { address, model, variable, capability, said: reason })
  return failure('capability_missing', missing, { isPermanent: true })
}

function readStatus(error: APIError, request: RemoteRequest): RemoteFailure {
  // Errors within a stream have no status.
  switch (error.status ?? (busyCodes.has(String(error.code)) ? 429 : undefined)) {
    case 401:
    case 403:
      return keyRefused(request.address)
    case 404:
      return notFound(error, request)
    case 429:
      return isOutOfCredit(error) ? otherStatus(error, request) : rateLimited(error)
    default:
      return otherStatus(error, request)
  }
}

/** Failure for an unknown model, or an address where nothing speaks the protocol. */
function notFound(error: APIError, { address, model, variable }: RemoteRequest): RemoteFailure {
  if (modelWords.test(messageOf(error)) || error.code === 'model_not_found') {
    return failure('model_not_found', say('model_not_found', { address, model, variable }), {
      isPermanent: true,
    })
  }
  return failure('model_unreachable', say('no_model_service', { address }), { isPermanent: true })
}

function rateLimited(error: APIError): RemoteFailure {
  const retryAfterMs = readRetryAfter(error)
  const seconds = Math.ceil((retryAfterMs ?? 0) / 1000)
  const sentence =
    seconds < 120
      ? say('model_rate_limited', { seconds })
      : say('model_rate_limited_long', { minutes: Math.ceil(seconds / 60) })
  return failure('model_rate_limited', sentence, {
    isWorthRetrying: true,
    retryAfterMs,
  })
}

function otherStatus(error: APIError, { address }: RemoteRequest): RemoteFailure {
  const { status } = error
  const message = messageOf(error)
  const isRefused = status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 409
  const params = { address, status: status ?? 0 }
  const sentence = message === '' ? say('model_error_silent', params) : say('model_error', { ...params, said: message })
  return failure('model_error', sentence, {
    isWorthRetrying: status === undefined || status >= 500 || status === 408,
    isPermanent: isRefused,
    retryAfterMs: readRetryAfter(error),
  })
}

/** True when waiting doesn't help: OpenAI and others also respond with 429 when the credit is used up. */
function isOutOfCredit(error: APIError): boolean {
  const message = messageOf(error)
  return [error.code, error.type].includes('insufficient_quota') || creditWords.test(message)
}

/** True when the server lacks the ability altogether, or for this model. */
export function lacksAbility({ status, code }: APIError, message: string): boolean {
  switch (status) {
    case 405:
    case 501:
      return true
    case 404:
      return code !== 'model_not_found' && !modelWords.test(message)
    case 400:
    case 403:
    case 422:
    case 500:
      return unableWords.test(message)
    default:
      return false
  }
}

/** The failure as an error that may be shown to the user. */
export function asEngineError(failure: RemoteFailure, cause: unknown): EngineError {
  return new EngineError(failure.sentence, {
    code: failure.code,
    isPermanent: failure.isPermanent,
    sentences: failure.sentences,
    cause,
    serverStatus: cause instanceof APIError ? cause.status : undefined,
    ...(failure.retryAfterMs === null ? {} : { retryAfterSeconds: Math.ceil(failure.retryAfterMs / 1000) }),
  })
}

/**
 * True when a server rejected the request for a usage report, which older servers don't support. If a program requests a
 * format, only an error that names the field counts, since other errors may be about names in the program's format.
 */
export function refusesUsageReport(error: unknown, { format }: { format?: object | undefined }): boolean {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return false
  const message = messageOf(error)
  if (/stream_options|include_usage/i.test(message)) return true
  return format === undefined && /extra (inputs|fields)|unknown (field|argument|parameter)|unrecognized/i.test(message)
}

/** True when a server rejected the format that a program requests. */
export const refusesFormat = (error: unknown, { format }: { format?: object | undefined }): boolean =>
  format !== undefined && rejectsParameter(error, /response_?format|schema|grammar/i)

/** True when a server rejected a field or format of the request that its message names with these words. */
export function rejectsParameter(error: unknown, words: RegExp): boolean {
  return (
    error instanceof APIError && [400, 415, 422, 500, 501].includes(error.status ?? 0) && words.test(messageOf(error))
  )
}

/**
 * True when a server rejected the offered tools: it supports no tools, none with this model, or not the program's tools.
 */
export function refusesTools(
  error: unknown,
  { messages, hasClientTools }: { messages: readonly { role: string }[]; hasClientTools: boolean },
): boolean {
  if (!(error instanceof APIError)) return false
  // After a tool call, the server rejects the form of its result rather than the tools.
  if (!hasClientTools && messages.some(({ role }) => role === 'tool')) return false
  const message = messageOf(error)
  switch (error.status) {
    case 400:
    case 422:
    case 501:
      return (
        /\btools?\b|tool_choice|tool.?call|function.?call/i.test(message) ||
        /\bschema\b.*\bfunctions?\b|function_declarations/i.test(message) ||
        (hasClientTools && /\bschema\b|\bfunctions?\b/i.test(message))
      )
    case 404:
      return /support.*\btools?\b/i.test(message)
    case 500:
      // llama.cpp without --jinja.
      return /\btools?\b.*\brequires?\b/i.test(message)
    default:
      return false
  }
}

/** Words about a tool's schema: a server that validates it supports tools. */
const schemaWords =
  /schemas?\b|function_declarations|\bproperties\b|\bstrict\b|additionalProperties|\b(one|any|all)Of\b/i

/** True when tools were rejected because the model or its server supports none, not because of their definitions. */
export function lacksTools(error: unknown): boolean {
  if (!(error instanceof APIError)) return false
  if (![400, 422].includes(error.status ?? 0)) return true
  const message = messageOf(error)
  return !schemaWords.test(message) && /support|requires?\b|enabled?\b/i.test(message)
}

/** Words of Groq, Ollama and llama.cpp about a call that their model wrote badly. */
const malformedCallWords =
  /tool call validation failed|attempted to call tool|failed to call a function|model (?:called|did not call) a tool|error parsing tool call|failed to parse input at pos/i

/** True when a server reports that its model wrote a call badly: nothing is wrong with the request. */
export const isMalformedCall = (error: unknown): error is APIError =>
  error instanceof APIError && (error.code === 'tool_use_failed' || malformedCallWords.test(messageOf(error)))

/** True when a server rejected a tool's schema. */
export const refusesSchema = (error: unknown): boolean => schemaWords.test(serverMessageOf(error))

/** The server's message in one line; '' for errors that aren't a server's response. */
export function serverMessageOf(error: unknown): string {
  return error instanceof APIError ? messageOf(error) : ''
}

/** Error for a program whose tools the model's server rejected. */
export function toolsRefusedError(model: string, error: unknown): EngineError {
  const message = error instanceof APIError ? messageOf(error) : ''
  return new EngineError(`The model "${model}" refuses these tools${message === '' ? '.' : `: ${message}`}`, {
    code: 'tools_refused',
  })
}

/** The server's message, cut to one line. */
function messageOf(error: APIError): string {
  const body = error.error as { message?: unknown } | undefined
  const message = typeof body?.message === 'string' ? body.message : ''
  const line = message.replace(/\s+/g, ' ').trim()
  return line.length > MAX_MESSAGE_CHARACTERS ? `${cutText(line, MAX_MESSAGE_CHARACTERS)}…` : line
}

function statedContextTokens(error: APIError): number | null {
  const contextSize = (error.error as { n_ctx?: unknown } | undefined)?.n_ctx
  if (typeof contextSize === 'number' && contextSize > 0) return contextSize
  const words =
    /(?:maximum (?:context|prompt|input) length (?:is|of)|context (?:size|length|window) of|tokens allowed|token limit|must be <=|must have less than|input length should be \[1,)\D{0,20}(\d{3,7})/i.exec(
      messageOf(error),
    )
  return words ? Number(words[1]) : null
}

/** Code of the network error in a chain of causes. */
function networkCode(error: unknown): string {
  let code = ''
  const causes = [error]
  for (let steps = 0; causes.length > 0 && steps < 20; steps++) {
    const current = causes.shift()
    if (typeof current !== 'object' || current === null) continue
    const { code: ownCode, cause, errors } = current as { code?: unknown; cause?: unknown; errors?: unknown }
    if (typeof ownCode === 'string' && knownCauses.has(ownCode)) return ownCode
    if (typeof ownCode === 'string') code ||= ownCode
    causes.push(cause)
    if (Array.isArray(errors)) causes.push(...errors)
  }
  return code
}
