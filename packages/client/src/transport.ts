import type { ErrorBody } from '@mira/shared'
import type { CallOf, ContractKey, KeyWith, ResponseOf } from '@mira/shared/contract/calls'
import { decodeSse, type SseMessage } from '@mira/shared/sse'

const TIMEOUT_MS = 30_000

/** Error of one request field; `path` is its dotted wire name. */
export type FieldError = NonNullable<ErrorBody['errors']>[number]

/** A failed call. */
export class ApiError extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** The response's error code; `network` without a response, `http` or `proxy_too_large` when the response isn't the API's. */
  readonly code: string
  /** Sentence shown to the user, in English. */
  readonly detail: string
  readonly errors: readonly FieldError[]
  /** Seconds to wait before retrying; null when the server sends none. */
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

  /** True when the same call may succeed later without changes. */
  get isTemporary(): boolean {
    return [0, 408, 423, 429].includes(this.status) || this.status >= 500
  }
}

type QueryValue = string | number | boolean | null | undefined

/** Options of a request. */
export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Query parameters. Null and undefined values are omitted; a list becomes a repeated parameter. */
  query?: Record<string, QueryValue | readonly QueryValue[]>
  /** Body to send as JSON. */
  json?: unknown
  /** Body to send as form data. */
  form?: FormData
  /** Additional headers; undefined values are omitted. */
  headers?: Record<string, string | undefined>
  signal?: AbortSignal
  /** Timeout for the whole response; null for none. */
  timeoutMs?: number | null
  /** Lets the call continue after the page is closed; the body is then limited to 64 kB. */
  keepalive?: boolean
  /** Allows `Clear-Site-Data` to clear the browser's cache, which browsers ignore on requests without credentials. */
  mayClearCache?: boolean
}

/** Options of a call to a route of the contract. */
type CallOptions<Key extends ContractKey> = CallOf<Key> & Omit<RequestOptions, 'method' | 'query' | 'json'>

/** Call options, optional for routes that need none. */
type CallArguments<Key extends ContractKey> =
  object extends CallOptions<Key> ? [options?: CallOptions<Key>] : [options: CallOptions<Key>]

/** Method and path of a route, with encoded parameters. */
function methodAndPathOf(key: string, params: Record<string, string | number> = {}) {
  const [method, pattern = ''] = key.split(' ') as [NonNullable<RequestOptions['method']>, string]
  return { method, path: pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')) }
}

/** A page of a list. The cursor is null on the last page. */
export interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}

/** Address, token and headers of calls. The functions are called again for each request. */
export interface TransportOptions {
  /** The server's address without a trailing slash; empty for the page's own origin. */
  baseUrl: () => string
  token: () => string | null
  /** Headers sent with every call; undefined values are omitted. */
  headers?: () => Record<string, string | undefined>
  /** Called when the server responds 401, with the token that it refused. */
  onTokenRefused?: (token: string) => void
  /** Default timeout of calls; null for none. Defaults to 30 000. */
  timeoutMs?: number | null
}

export type Transport = ReturnType<typeof createTransport>

export function withoutUndefined(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

/** Creates the error of a call that got no response. */
export function networkError(cause?: unknown): ApiError {
  return new ApiError(0, { code: 'network', detail: 'The server can’t be reached.' }, null, { cause })
}

/** Body of an error response that isn't from the API but from a proxy, most of which allow far smaller uploads than Mira. */
export function foreignError(status: number): { code: string; detail: string } {
  if (status === 413)
    return {
      code: 'proxy_too_large',
      detail: 'The proxy in front of Mira refuses uploads this large: raise its limit.',
    }
  return { code: 'http', detail: `The server responded with an error (${status}).` }
}

/** Creates functions that call the API and throw an ApiError on failure. */
export function createTransport({
  baseUrl,
  token: currentToken,
  headers,
  onTokenRefused,
  timeoutMs: defaultTimeoutMs = TIMEOUT_MS,
}: TransportOptions) {
  /** URL of an API path such as `/auth/me`. */
  function apiUrl(path: string, query: RequestOptions['query'] = {}): string {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      for (const item of Array.isArray(value) ? value : [value]) {
        if (item !== null && item !== undefined) parameters.append(name, String(item))
      }
    }
    const text = parameters.toString()
    return `${baseUrl()}/api${path}${text && `?${text}`}`
  }

  /** Headers of every call; undefined values are omitted. */
  function requestHeaders(token: string | null): Record<string, string | undefined> {
    return { Authorization: token === null ? undefined : `Bearer ${token}`, ...headers?.() }
  }

  /** Creates the error for an error response. After a 401, it also reports the token as refused. */
  function toApiError(
    { status, headers }: { status: number; headers: Pick<Headers, 'get'> },
    body: string,
    token: string | null,
  ): ApiError {
    if (status === 401 && token !== null) onTokenRefused?.(token)
    const retryAfter = Number.parseInt(headers.get('Retry-After') ?? '', 10)
    return new ApiError(status, asErrorBody(body) ?? foreignError(status), Number.isNaN(retryAfter) ? null : retryAfter)
  }

  /**
   * Sends a request and returns its successful response.
   *
   * @throws ApiError for an error response or when there is no response; a DOMException `AbortError` when `signal` aborts.
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

  /** Sends a request to a complete URL. @throws as `request`. */
  async function send(
    url: string,
    init: Omit<RequestInit, 'headers'> & { headers: Record<string, string | undefined> },
    { signal, timeoutMs = defaultTimeoutMs }: Pick<RequestOptions, 'signal' | 'timeoutMs'> = {},
  ): Promise<Response> {
    const token = currentToken()
    const signals = [signal, timeoutMs === null ? undefined : AbortSignal.timeout(timeoutMs)].filter(
      (candidate) => !!candidate,
    )
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
    throw toApiError(response, await response.text().catch(() => ''), token)
  }

  async function requestJson<Body>(path: string, options?: RequestOptions): Promise<Body> {
    const response = await request(path, options)
    return readBody<Body>(response, options?.signal)
  }

  /**
   * Sends a request and yields the server-sent events of its response.
   *
   * @param onActivity called for every chunk, including comments that only keep the connection alive.
   */
  async function* requestEvents(
    path: string,
    options?: Omit<RequestOptions, 'timeoutMs'>,
    onActivity?: () => void,
  ): AsyncGenerator<SseMessage> {
    const response = await request(path, {
      ...options,
      headers: { Accept: 'text/event-stream', ...options?.headers },
      timeoutMs: null,
    })
    yield* decodeSse(readText(response, options?.signal, onActivity))
  }

  /** Calls a route and returns its raw response, for bodies other than JSON. @throws as `request`. */
  async function callForResponse<Key extends ContractKey>(
    key: Key,
    ...[options]: CallArguments<Key>
  ): Promise<Response> {
    const { params, ...rest }: { params?: Record<string, string | number> } & RequestOptions = options ?? {}
    const { method, path } = methodAndPathOf(key, params)
    return request(path, { ...rest, method })
  }

  /** Calls a route and returns its response body; undefined for none. @throws as `request`. */
  async function call<Key extends KeyWith<'response'>>(
    key: Key,
    ...args: CallArguments<Key>
  ): Promise<ResponseOf<Key>> {
    const response = await callForResponse(key, ...args)
    return response.status === 204 ? (undefined as ResponseOf<Key>) : readBody(response, args[0]?.signal)
  }

  /** Calls a route that responds with a bare array and the cursor in `X-Next-Cursor`. @throws as `request`. */
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
    toApiError,
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
    // Closes the connection when the caller stops early; after an error it's already closed.
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
    // The body isn't JSON: a proxy sent a page instead of the API's response.
    return null
  }
}
