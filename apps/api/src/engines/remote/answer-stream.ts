import { APIError } from 'openai/core/error'
import { plainError } from './plain-errors.ts'

type Json = Record<string, unknown>

/** Event of a stream: a chunk, a sign of life such as a comment or an empty event, or the announced end. */
type StreamSign = { type: 'chunk'; chunk: Json } | { type: 'alive' } | { type: 'done' }

const MAX_LINE_CHARACTERS = 4_000_000

/**
 * Reads a streamed answer of a server that only roughly follows the OpenAI protocol: comments and empty or broken events
 * are signs of life, errors may have any shape, and an answer that isn't streamed is one chunk.
 * @throws APIError for an error within the stream.
 */
export async function* readAnswerStream(response: Response): AsyncGenerator<StreamSign> {
  if (response.body === null) return
  /** True while the body may be a single JSON answer; some servers also announce event streams as JSON. */
  let isWhole = /^application\/json/i.test(response.headers.get('content-type') ?? '')
  const decoder = new TextDecoder()
  let pendingText = ''
  let eventName = ''
  let data: string[] = []
  let unframedJson = ''
  const takeLine = function* (line: string): Generator<StreamSign> {
    if (line === '') {
      const [text, name] = [data.join('\n'), eventName]
      data = []
      eventName = ''
      yield* readEvent(text, name, response.headers)
    } else if (line.startsWith('data:')) {
      const text = line.slice(5).trimStart()
      // Some servers leave out the empty line between two events.
      if (data.length > 0 && parse(data.join('\n')) !== undefined) yield* takeLine('')
      data.push(text)
    } else if (line.startsWith('event:')) eventName = line.slice(6).trim()
    else if (line.startsWith(':') || /^(id|retry):/.test(line)) yield { type: 'alive' }
    else {
      // Some servers send errors as a bare line of JSON.
      unframedJson += line
      if (parse(unframedJson) === undefined) return
      const text = unframedJson
      unframedJson = ''
      yield* readEvent(text, '', response.headers)
    }
  }
  for await (const bytes of response.body) {
    pendingText += decoder.decode(bytes, { stream: true })
    isWhole &&= /^\s*(?:[[{]|$)/.test(pendingText)
    if (isWhole) continue
    const lines = pendingText.split(/\r\n|\n|\r(?!$)/)
    pendingText = lines.pop() ?? ''
    if (pendingText.length + unframedJson.length > MAX_LINE_CHARACTERS)
      throw new APIError(undefined, { message: 'an event is too long' }, '', undefined)
    for (const line of lines) yield* takeLine(line)
  }
  pendingText += decoder.decode()
  if (isWhole) {
    yield* readEvent(pendingText, '', response.headers)
    yield { type: 'done' }
    return
  }
  if (pendingText !== '') yield* takeLine(pendingText.replace(/\r$/, ''))
  yield* takeLine('')
}

function* readEvent(text: string, name: string, headers: Headers): Generator<StreamSign> {
  if (text.trim() === '[DONE]') return yield { type: 'done' }
  const parsed = parse(text)
  const body = Array.isArray(parsed) ? parsed[0] : parsed
  const error = errorIn(body, name)
  if (error !== null) throw new APIError(undefined, plainError(JSON.stringify(error)), undefined, headers)
  if (typeof body === 'object' && body !== null && name !== 'error') yield { type: 'chunk', chunk: body as Json }
  else if (name === 'error' && text !== '') throw new APIError(undefined, plainError(text), undefined, headers)
  else yield { type: 'alive' }
}

/** The error of an event, in any shape; null when there is none. */
function errorIn(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null) return null
  const { error, object, type, choices, message, detail } = body as Json
  const choiceError = Array.isArray(choices) ? (choices[0] as Json | undefined)?.error : undefined
  if (error) return typeof error === 'object' ? body : { error }
  if (choiceError) return { error: choiceError }
  if (object === 'error' || type === 'error' || name === 'error') return body
  return !Array.isArray(choices) && choices === undefined && (typeof message === 'string' || detail !== undefined)
    ? body
    : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
