import { boundedAnswer } from '../../platform/net/bounded-fetch.ts'

const SHORTEST_KEY = 7
const ERROR_MAX_BYTES = 1024 * 1024
/** Vectors have very many numbers, and pictures are large. */
const ANSWER_BOUNDS = { maxBytes: 64 * 1024 * 1024, maxValues: 4_000_000, maxObjects: 500_000 }

interface PlainErrorsOptions {
  /** Underlying `fetch`. */
  via?: typeof fetch | undefined
  /** Secrets sent in addition to the key; they must not leak either. */
  secrets?: readonly string[]
}

/**
 * `fetch` whose failed answers all carry `{error: {message, …}}`: servers differ in where they put the sentence, and
 * the openai package reads only this place. Some repeat the key that they were sent, which nobody else may read.
 */
export function fetchWithPlainErrors({ via = fetch, secrets = [] }: PlainErrorsOptions = {}): typeof fetch {
  const plain = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await via(input, init)
    if (response.ok) return isParsedWhole(response) ? boundedAnswer(response, ANSWER_BOUNDS) : response
    const said = await boundedAnswer(response, { maxBytes: ERROR_MAX_BYTES })
      .text()
      .catch(() => {
        init?.signal?.throwIfAborted()
        return ''
      })
    const text = withoutSecrets(said, [keyOf(init), ...secrets]).slice(0, 10_000)
    const headers = new Headers({ 'content-type': 'application/json' })
    for (const name of ['retry-after', 'retry-after-ms']) {
      const value = response.headers.get(name)
      if (value) headers.set(name, value)
    }
    return new Response(JSON.stringify({ error: plainError(text) }), { status: response.status, headers })
  }
  // where the `openai` package looks whether forms can be sent
  return Object.assign(plain, { Response })
}

/** False for streams and sound, which are read piece by piece. */
const isParsedWhole = ({ headers }: Response) =>
  !/^(text\/event-stream|application\/x-ndjson|audio\/|application\/octet-stream)/i.test(
    headers.get('content-type') ?? '',
  )

function keyOf(init: RequestInit | undefined): string {
  return new Headers(init?.headers).get('authorization')?.replace(/^Bearer /, '') ?? ''
}

/** Removes secrets from a text. Short placeholders, sent where no key is needed, stay: they may be ordinary words. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= SHORTEST_KEY)
    .reduce((redacted, secret) => redacted.replaceAll(secret, '[hidden]'), text)
}

/** The error in a body of any shape, with its sentence as `message`. */
export function plainError(text: string): Record<string, unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // A page of a proxy says nothing to a person.
    return { message: text.trimStart().startsWith('<') ? '' : text }
  }
  // Google wraps what it says in a list
  if (Array.isArray(body)) body = body[0]
  if (typeof body !== 'object' || body === null) return { message: String(body ?? '') }
  const { error, message, detail } = body as Record<string, unknown>
  if (typeof error === 'object' && error !== null) return error as Record<string, unknown>
  const detailText = [error, message, detail].find((one) => typeof one === 'string')
  return { ...body, message: detailText ?? (detail === undefined ? '' : JSON.stringify(detail)) }
}
