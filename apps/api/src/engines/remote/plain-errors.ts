import { cutText } from '@mira/shared/constants/cut-text'
import { boundedResponse } from '../../platform/net/bounded-fetch.ts'

const MIN_KEY_LENGTH = 7
const ERROR_MAX_BYTES = 1024 * 1024
/** Limits of a parsed response; high, because vectors have very many numbers, and pictures are large. */
const RESPONSE_BOUNDS = { maxBytes: 64 * 1024 * 1024, maxValues: 4_000_000, maxObjects: 500_000 }

interface PlainErrorsOptions {
  baseFetch?: typeof fetch | undefined
  /** Secrets sent besides the key, which must not leak either. */
  secrets?: readonly string[]
}

/**
 * `fetch` that turns every failed response into `{error: {message, …}}`: servers differ in where they put the message,
 * and the openai package only reads it from there. An error with a status of success counts as failed, too. Removes secrets,
 * because some servers repeat the key.
 */
export function fetchWithPlainErrors({ baseFetch = fetch, secrets = [] }: PlainErrorsOptions = {}): typeof fetch {
  const plain = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    let response = await baseFetch(input, init)
    if (response.ok) {
      if (!isParsedWhole(response)) return response
      const bounded = boundedResponse(response, RESPONSE_BOUNDS)
      // Answers may be streams that are announced as JSON; their reader recognises errors itself.
      if (!isJson(response) || ANSWER_PATHS.test(urlOf(input))) return bounded
      const text = await bounded.text()
      const status = statusOfError(text)
      const { headers } = response
      response = new Response(text, { status: status ?? response.status, headers: withoutEncoding(headers) })
      if (status === null) return response
    }
    const body = await boundedResponse(response, { maxBytes: ERROR_MAX_BYTES })
      .text()
      .catch(() => {
        init?.signal?.throwIfAborted()
        return ''
      })
    const text = cutText(withoutSecrets(body, [keyOf(init), ...secrets]), 10_000)
    const headers = new Headers({ 'content-type': 'application/json' })
    for (const name of ['retry-after', 'retry-after-ms']) {
      const value = response.headers.get(name)
      if (value) headers.set(name, value)
    }
    return new Response(JSON.stringify({ error: plainError(text) }), { status: response.status, headers })
  }
  // The `openai` package reads `Response` from here to check if forms can be sent.
  return Object.assign(plain, { Response })
}

/** False for streams and sound, which are read in chunks. */
const isParsedWhole = ({ headers }: Response) =>
  !/^(text\/event-stream|application\/x-ndjson|audio\/|application\/octet-stream)/i.test(
    headers.get('content-type') ?? '',
  )

const ANSWER_PATHS = /\/(?:chat\/completions|completions|responses)(?:$|\?)/
const urlOf = (input: string | URL | Request) => (input instanceof Request ? input.url : String(input))
const isJson = ({ headers }: Response) => /\bjson\b/i.test(headers.get('content-type') ?? '')

/** Headers that still hold for a body that was read: its encoding and length don't. */
function withoutEncoding(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) copy.delete(name)
  return copy
}

/** Status that fits an error sent as a success, such as `{"error": {"code": 429}}`; null for any other body. */
function statusOfError(text: string): number | null {
  if (!text.includes('"error"')) return null
  try {
    const { error } = (JSON.parse(text) ?? {}) as { error?: { code?: unknown } | string | null }
    if (!error) return null
    const code = Number(typeof error === 'string' ? undefined : error.code)
    return code >= 400 && code <= 599 ? code : BAD_GATEWAY
  } catch {
    return null
  }
}

const BAD_GATEWAY = 502

function keyOf(init: RequestInit | undefined): string {
  return new Headers(init?.headers).get('authorization')?.replace(/^Bearer /, '') ?? ''
}

/** Removes secrets from a text. Leaves short placeholders, which are sent when no key is needed, since they may be ordinary words. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= MIN_KEY_LENGTH)
    .reduce((redacted, secret) => redacted.replaceAll(secret, '[hidden]'), text)
}

/** The error in a body of any shape, with its text as `message`. */
export function plainError(text: string): Record<string, unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // An HTML page of a proxy isn't useful to users.
    return { message: text.trimStart().startsWith('<') ? '' : text }
  }
  // Google wraps errors in a list.
  if (Array.isArray(body)) body = body[0]
  if (typeof body !== 'object' || body === null) return { message: String(body ?? '') }
  const { error, message, detail } = body as Record<string, unknown>
  if (typeof error === 'object' && error !== null) return error as Record<string, unknown>
  const detailText = [error, message, detail].find((value) => typeof value === 'string')
  return { ...body, message: detailText ?? (detail === undefined ? '' : JSON.stringify(detail)) }
}
