import type { ErrorBody } from '@mira/shared'
import type { CallOf, ContractKey, KeyWith, ResponseOf } from '@mira/shared/contract/calls'
import type { SseMessage } from '@mira/shared/sse'

const TIMEOUT_MS = 30_000

/** Error of one request field; `path` is its dotted wire name. */
export type FieldError = NonNullable<ErrorBody['errors']>[number]

/** A call that did not succeed. */
export class ApiError extends Error {
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  /** The response's error code; `network` when no answer came, `http` when it was not the API's. */
  readonly code: string
  /** A sentence for a person, in English. */
  readonly detail: string
  readonly errors: readonly FieldError[]
  /** Seconds after which another try makes sense; null when the server does not say. */
  readonly retryAfterSeconds: number | null

  constructor(status: number, body: ErrorBody, retryAfterSeconds: number | null = null, options?: ErrorOptions) {
    super(body.detail, options)
    this.name = 'ApiError'
    this.status = status
    this.code = body.code
    this.detail = body.detail
    this.errors = body.errors ?? []
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** True when the same call may succeed later without anybody changing anything. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }
}

type QueryValue = string | number | boolean | null | undefined

/** Everything of a call except its path. */
export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Left out where null or undefined; a list repeats its name. */
  query?: Record<string, QueryValue | readonly QueryValue[]>
  /** A body that is sent as JSON. */
  json?: unknown
  /** A body that is sent as form data. */
  form?: FormData
  /** Left out where undefined. */
  headers?: Record<string, string | undefined>
  signal?: AbortSignal
  /** Timeout for the whole response; null for none. */
  timeoutMs?: number | null
  /** Lets the call outlive the page; its body may have 64 kB. */
  keepalive?: boolean
  /** Lets the answer empty the browser's cache: browsers heed that only of a call that might carry cookies, of which there are none. */
  mayClearCache?: boolean
}

/** Everything of a call of the contract except its key. */
type CallOptions<Key extends ContractKey> = CallOf<Key> & Omit<RequestOptions, 'method' | 'query' | 'json'>

/** Options of a call, which may be left out where its route needs none. */
type CallArguments<Key extends ContractKey> =
  object extends CallOptions<Key> ? [options?: CallOptions<Key>] : [options: CallOptions<Key>]

/** Method and path of a call, whose parameters stand in it as one part each, whatever characters they have. */
function addressOf(key: string, params: Record<string, string | number> = {}) {
  const [method, pattern = ''] = key.split(' ') as [NonNullable<RequestOptions['method']>, string]
  return { method, path: pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')) }
}

/** A part of a list, and where the next one begins (null at the end). */
export interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}

/** Address and headers of calls; read again for each call. */
export interface TransportOptions {
  /** The server's address without a slash at its end; empty for the page's own. */
  baseUrl: () => string
  token: () => string | null
  /** Sent with every call; left out where undefined. */
  headers?: () => Record<string, string | undefined>
  /** Called with the token that an answer of 401 refused. */
  onTokenRefused?: (token: string) => void
  /** Timeout of calls that name none; null for none. Default 30 000. */
  timeoutMs?: number | null
}

export type Transport = ReturnType<typeof createTransport>

export function withoutUndefined(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

/** Error for a call that got no response. */
export function networkError(cause?: unknown): ApiError {
  return new ApiError(0, { code: 'network', detail: 'The server cannot be reached.' }, null, { cause })
}

/** Makes calls of the API; each is a success, or throws an ApiError. */
export function createTransport({
  baseUrl,
  token: currentToken,
  headers,
  onTokenRefused,
  timeoutMs: usualTimeoutMs = TIMEOUT_MS,
}: TransportOptions) {
  /** The address of an API path such as `/auth/me`. */
  function apiUrl(path: string, query: RequestOptions['query'] = {}): string {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== null && one !== undefined) parameters.append(name, String(one))
      }
    }
    const text = parameters.toString()
    return `${baseUrl()}/api${path}${text && `?${text}`}`
  }

  /** The headers that every call carries; undefined stands for one that is left out. */
  function requestHeaders(token: string | null): Record<string, string | undefined> {
    return { Authorization: token === null ? undefined : `Bearer ${token}`, ...headers?.() }
  }

  /** Reads an answer that is no success; one of 401 tells whose `token` was refused. */
  function sendError(
    { status, headers }: { status: number; headers: Pick<Headers, 'get'> },
    body: string,
    token: string | null,
  ): ApiError {
    if (status === 401 && token !== null) onTokenRefused?.(token)
    const retryAfter = Number.parseInt(headers.get('Retry-After') ?? '', 10)
    return new ApiError(
      status,
      asErrorBody(body) ?? { code: 'http', detail: `The server answered with an error (${status}).` },
      Number.isNaN(retryAfter) ? null : retryAfter,
    )
  }

  /**
   * Makes a call and returns its answer when it is a success.
   *
   * @throws ApiError when the answer is no success or none comes; a DOMException `AbortError` when `signal` aborts.
   */
  async function request(path: string, options: RequestOptions = {}): Promise<Response> {
    const { json, form } = options
    return send(
      apiUrl(path, options.query),
      {
        method: options.method ?? 'GET',
        headers: { 'Content-Type': json === undefined ? undefined : 'application/json', ...options.headers },
        body: json === undefined ? (form ?? null) : JSON.stringify(json),
        keepalive: options.keepalive ?? false,
        credentials: options.mayClearCache ? 'same-origin' : 'omit',
      },
      options,
    )
  }

  /** Makes a call to a whole address. @throws as `request`. */
  async function send(
    url: string,
    init: Omit<RequestInit, 'headers'> & { headers: Record<string, string | undefined> },
    { signal, timeoutMs = usualTimeoutMs }: Pick<RequestOptions, 'signal' | 'timeoutMs'> = {},
  ): Promise<Response> {
    const token = currentToken()
    const signals = [signal, timeoutMs === null ? undefined : AbortSignal.timeout(timeoutMs)].filter((one) => !!one)
    let response: Response
    try {
      response = await fetch(url, {
        ...init,
        headers: withoutUndefined({ ...requestHeaders(token), ...init.headers }),
        signal: signals.length > 0 ? AbortSignal.any(signals) : null,
        credentials: init.credentials ?? 'omit',
      })
    } catch (error) {
      throw signal?.aborted ? error : networkError(error)
    }
    if (response.ok) return response
    throw sendError(response, await response.text().catch(() => ''), token)
  }

  /** Makes a call whose answer is JSON of the given shape. */
  async function requestJson<Answer>(path: string, options?: RequestOptions): Promise<Answer> {
    const response = await request(path, options)
    return readBody<Answer>(response, options?.signal)
  }

  /**
   * Makes a call whose answer is a stream of server-sent events and hands them on as they come.
   *
   * @param onActivity called for every part that arrives, also for the comments that only keep the connection alive.
   */
  async function* requestEvents(
    path: string,
    options?: Omit<RequestOptions, 'timeoutMs'>,
    onActivity?: () => void,
  ): AsyncGenerator<SseMessage> {
    // the screen on which one signs in makes no such call
    const { decodeSse } = await import('@mira/shared/sse')
    const response = await request(path, {
      ...options,
      headers: { Accept: 'text/event-stream', ...options?.headers },
      timeoutMs: null,
    })
    yield* decodeSse(readText(response, options?.signal, onActivity))
  }

  /** Calls a route and returns its response as it is, for bodies that are no JSON. @throws as `request`. */
  async function callForResponse<Key extends ContractKey>(
    key: Key,
    ...[options]: CallArguments<Key>
  ): Promise<Response> {
    const { params, ...rest }: { params?: Record<string, string | number> } & RequestOptions = options ?? {}
    const { method, path } = addressOf(key, params)
    return request(path, { ...rest, method })
  }

  /** Calls a route and returns the body of its response; undefined when there is none. @throws as `request`. */
  async function call<Key extends KeyWith<'response'>>(
    key: Key,
    ...args: CallArguments<Key>
  ): Promise<ResponseOf<Key>> {
    const response = await callForResponse(key, ...args)
    return response.status === 204 ? (undefined as ResponseOf<Key>) : readBody(response, args[0]?.signal)
  }

  /** Calls a route whose response is a bare list, with its cursor in `X-Next-Cursor`. @throws as `request`. */
  async function callPage<Key extends KeyWith<'response'>>(
    key: Key,
    ...args: CallArguments<Key>
  ): Promise<Page<ResponseOf<Key> extends readonly (infer Item)[] ? Item : never>> {
    const response = await callForResponse(key, ...args)
    return {
      items: await readBody(response, args[0]?.signal),
      nextCursor: response.headers.get('X-Next-Cursor') || null,
    }
  }

  return {
    apiUrl,
    requestHeaders,
    sendError,
    send,
    requestJson,
    requestEvents,
    call,
    callForResponse,
    callPage,
  }
}

async function* readText(response: Response, signal?: AbortSignal, onActivity?: () => void): AsyncGenerator<string> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      onActivity?.()
      yield decoder.decode(value, { stream: true })
    }
  } catch (error) {
    throw signal?.aborted ? error : networkError(error)
  } finally {
    // A reader that stops early lets the connection go; one that broke has none to let go.
    await reader.cancel().catch(() => undefined)
  }
}

async function readBody<Body>(response: Response, signal?: AbortSignal): Promise<Body> {
  try {
    return (await response.json()) as Body
  } catch (error) {
    throw signal?.aborted ? error : networkError(error)
  }
}

function asErrorBody(text: string): ErrorBody | null {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || !('detail' in body) || typeof body.detail !== 'string') return null
    return { code: 'unnamed', ...body, detail: body.detail }
  } catch {
    // A proxy's page instead of the API's answer.
    return null
  }
}
