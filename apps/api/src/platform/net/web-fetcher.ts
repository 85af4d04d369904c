/** Reason for a failed fetch as a code; callers translate it. */
export type FetchProblem =
  /** Not an HTTP(S) URL, or one with a password. */
  | 'address'
  /** The address isn't on the public internet. */
  | 'private'
  /** No such name, no network, no response, or a broken connection. */
  | 'unreachable'
  /** Its certificate has expired, is for another name, or isn't from an authority that this server trusts. */
  | 'certificate'
  | 'timeout'
  /** The server responded with an error `status`. */
  | 'status'
  | 'redirects'
  | 'too_large'
  /** The response has another content type than requested. */
  | 'type'
  /** The response can't be unpacked. */
  | 'broken'

/** Unspecific content types: the actual type has to be detected from the content. */
export const unspecificTypes: readonly string[] = [
  ...['', 'application/octet-stream', 'binary/octet-stream', 'application/x-download', 'application/force-download'],
]

export interface FetchFailure {
  isOk: false
  problem: FetchProblem
  status?: number
  /** Delay that the receiver of a POST request asked for. */
  retryAfterMs?: number
}

/** Result of a GET request. */
export type Fetched<Body = Buffer> =
  | { isOk: true; body: Body; contentType: string; charset: string | null; url: string }
  | FetchFailure

/** Result of a POST request. */
export type Posted = { isOk: true; status: number } | FetchFailure

export interface FetchOptions {
  /** Accepted content types, lower-case and without parameters. */
  types: readonly string[]
  /** Maximum size of the unpacked body. */
  maxBytes: number
  /** Timeout of the whole fetch: name lookups, redirects and body. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Id of the requesting user, for limiting name lookups per user. */
  caller?: string | undefined
  /** URL of the page with the link: like a redirect, a link only leads to a listed host if it's from another listed host. */
  from?: string | undefined
}

export interface PostOptions extends Pick<FetchOptions, 'timeoutMs' | 'signal' | 'caller'> {
  headers: Record<string, string>
  body: string | Uint8Array
}

/** Fetches public web pages and hosts that an administrator listed. */
export interface WebFetcher {
  /** Fetches a URL. Failures are results; it only throws the signal's reason. */
  get(url: string, options: FetchOptions): Promise<Fetched>
  /** Like `get`, for a large body that `take` reads in pieces. Also throws AppErrors of `take`. */
  receive<Body>(
    url: string,
    options: FetchOptions,
    take: (pieces: AsyncIterable<Buffer>) => Promise<Body>,
  ): Promise<Fetched<Body>>
  /** Sends a POST request; any status but 2xx is a problem, and redirects aren't followed. Throws as `get` does. */
  post(url: string, options: PostOptions): Promise<Posted>
  /** Checks a URL without resolving its host name; null when it's allowed. */
  check(url: string): FetchProblem | null
  close(): Promise<void>
}
