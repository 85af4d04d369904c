/** Reason for a failed fetch as a code; callers translate it. */
export type FetchProblem =
  /** Not an http or https address, or one with a password in it. */
  | 'address'
  /** It leads to a place that is not on the public internet. */
  | 'private'
  /** No such name, no network, no response, or a broken connection. */
  | 'unreachable'
  | 'timeout'
  /** The server answered with an error; `status` says which. */
  | 'status'
  | 'redirects'
  | 'too_large'
  /** The answer is of another kind than what was asked for. */
  | 'type'
  /** The answer cannot be unpacked. */
  | 'broken'

/** Types of servers that don't know what they send, or don't tell: what it is shows in the content. */
export const unspecificTypes: readonly string[] = [
  ...['', 'application/octet-stream', 'binary/octet-stream', 'application/x-download', 'application/force-download'],
]

export interface FetchFailure {
  isOk: false
  problem: FetchProblem
  status?: number
}

/** Result of a GET request, with the body as it was taken. */
export type Fetched<Body = Buffer> =
  | { isOk: true; body: Body; contentType: string; charset: string | null; url: string }
  | FetchFailure

/** Result of a POST request. */
export type Posted = { isOk: true; status: number } | FetchFailure

export interface FetchOptions {
  /** Content types that are taken, without parameters and in lower case. */
  types: readonly string[]
  /** Largest body, unpacked. */
  maxBytes: number
  /** Bound on a whole fetch: name lookups, redirects and body. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Id of the user who causes it: name lookups are limited for each. */
  caller?: string | undefined
  /** Address of the page that named this one, as a redirect does: a listed host is then reached only from another one. */
  from?: string | undefined
}

export interface PostOptions extends Pick<FetchOptions, 'timeoutMs' | 'signal' | 'caller'> {
  headers: Record<string, string>
  body: string | Uint8Array
}

/** Fetches pages of the public web, and nothing that is not public. */
export interface WebFetcher {
  /** Never throws but for the caller's own signal. */
  get(url: string, options: FetchOptions): Promise<Fetched>
  /** The same for a large body, which is taken in pieces. Also throws the AppErrors of `take`. */
  receive<Body>(
    url: string,
    options: FetchOptions,
    take: (pieces: AsyncIterable<Buffer>) => Promise<Body>,
  ): Promise<Fetched<Body>>
  /** Sends something; any status but 2xx is a problem, and redirects are not followed. Throws as `get` does. */
  post(url: string, options: PostOptions): Promise<Posted>
  /** Checks a URL without resolving its host name; null when it's allowed. */
  judge(url: string): FetchProblem | null
  close(): Promise<void>
}
