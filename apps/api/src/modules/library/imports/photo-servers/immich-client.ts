import { Readable } from 'node:stream'
import type { z } from 'zod'
import { AppError, UnavailableError, ValidationError } from '../../../../errors.ts'
import { boundedFetch, type ResponseBounds, ResponseTooLargeError } from '../../../../platform/net/bounded-fetch.ts'
import { say } from '../../../../sentences.ts'
import { pageSchema } from './immich-schemas.ts'
import { listElements } from './list-elements.ts'
import type { PhotoServerAccess } from './photo-servers.ts'

/** Maximum size of a page of assets, or of the details of one asset. */
const RESPONSE_MAX_BYTES = 2 * 1024 * 1024
/**
 * Maximum size of a list in one response, which is read element by element. Older servers list an album of everything on a
 * phone with all details, some 1.5 kB for each picture.
 */
const LIST_MAX_BYTES = 512 * 1024 * 1024
const UNLIMITED_VALUES = { maxValues: Number.POSITIVE_INFINITY, maxObjects: Number.POSITIVE_INFINITY }
const RESPONSE_TIMEOUT_MS = 2 * 60_000

/** Bounds beyond which a server counts as unavailable. */
export interface TransferLimits {
  /** Longest silence in the middle of a file. */
  silenceMs: number
  /** At least `minBytes` of a file must arrive in each such period. */
  windowMs: number
  minBytes: number
}

/** 8 kB/s, slower than any usual connection. */
const TRANSFER_LIMITS: TransferLimits = { silenceMs: 60_000, windowMs: 60_000, minBytes: 480_000 }
const PAGE_SIZE = 250
const MAX_PAGES = 8_000

/** Maximum number of ids per server that are held in memory, of albums, their assets and files. */
const MAX_IDS = 1_000_000

interface RequestOptions {
  permission: Permission
  mayBeGone?: boolean
  body?: unknown
}

type Permission = 'asset.read' | 'asset.download' | 'album.read'

export type ImmichServer = ReturnType<typeof openImmich>

/** Client of one server, with errors worded for the user. */
export function openImmich(
  { url, key }: PhotoServerAccess,
  {
    fetch,
    signal,
    limits = TRANSFER_LIMITS,
    maxIds = MAX_IDS,
  }: {
    fetch: typeof globalThis.fetch
    signal: AbortSignal
    limits?: TransferLimits | undefined
    maxIds?: number | undefined
  },
) {
  const base = `${url.replace(/(?<!\/)\/+$/, '').replace(/\/api$/, '')}/api`
  const headers = { 'x-api-key': key }

  const withAppErrors = async (send: () => Promise<Response>): Promise<Response> => {
    try {
      return await send()
    } catch (error) {
      signal.throwIfAborted()
      throw appErrorOf(error)
    }
  }

  let idCount = 0
  const countId = () => {
    if (++idCount > maxIds) throw noImmich()
  }

  /** The server's response, with a bounded body; null only with `mayBeGone`. */
  const request = async (
    path: string,
    { permission, mayBeGone = false, body }: RequestOptions,
    bounds: Omit<ResponseBounds, 'signal'>,
  ): Promise<Response | null> => {
    const bounded = boundedFetch(fetch, {
      ...bounds,
      signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
    })
    const jsonHeaders = { ...headers, accept: 'application/json' }
    const requestInit =
      body === undefined
        ? { headers: jsonHeaders }
        : {
            method: 'POST',
            headers: { ...jsonHeaders, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }
    const response = await withAppErrors(() => bounded(base + path, requestInit))
    if (mayBeGone && isGone(response.status)) {
      await response.body?.cancel()
      return null
    }
    await requireOk(response, permission)
    return response
  }

  const json = async <Body>(path: string, schema: z.ZodType<Body>, options: RequestOptions): Promise<Body | null> => {
    const response = await request(path, options, { maxBytes: RESPONSE_MAX_BYTES })
    if (response === null) return null
    const text = await response.text().catch((error: unknown) => {
      signal.throwIfAborted()
      throw appErrorOf(error)
    })
    const result = schema.safeParse(parseJson(text))
    if (!result.success) throw noImmich()
    return result.data
  }

  return {
    /** Fetches JSON from a path; null only with `mayBeGone`. @throws ValidationError, UnavailableError */
    json,

    /** Counts an id that is held in memory. @throws ValidationError when there are too many. */
    countId,

    /**
     * Elements of a list, or of the list in an object's member `key`, all of which count as held in memory; null only with
     * `mayBeGone`. Iterating throws as `json` does.
     */
    async list(path: string, { key = null, ...options }: RequestOptions & { key?: string | null }) {
      const response = await request(path, options, { maxBytes: LIST_MAX_BYTES, ...UNLIMITED_VALUES })
      if (response === null) return null
      const { elements, hasBegun } = listElements(response.body ?? Readable.from([]), key)
      const counted = async function* () {
        try {
          for await (const element of elements) {
            countId()
            yield element
          }
        } catch (error) {
          signal.throwIfAborted()
          throw appErrorOf(error)
        }
        if (key === null && !hasBegun()) throw noImmich()
      }
      return { elements: counted(), hasBegun }
    },

    /**
     * All results of a search, page by page. Callers count those that they hold in memory, since several searches may
     * return the same ones.
     */
    async *search(query: Record<string, unknown>): AsyncGenerator<unknown> {
      let next: { page: number } | { cursor: string } | null = { page: 1 }
      for (let pages = 0; next !== null && pages < MAX_PAGES; pages++) {
        const page: z.infer<typeof pageSchema> | null = await json('/search/metadata', pageSchema, {
          permission: 'asset.read',
          body: { ...query, ...next, size: PAGE_SIZE },
        })
        if (page === null) throw noImmich()
        const { items, nextCursor, nextPage }: z.infer<typeof pageSchema>['assets'] = page.assets
        yield* items
        next = items.length === 0 ? null : nextPageOf(nextCursor, nextPage)
      }
    },

    /** A file as a stream; null when it's gone, or the server can't read it. */
    async bytes(path: string, { permission }: { permission: Permission }): Promise<AsyncIterable<Uint8Array> | null> {
      const silence = new AbortController()
      const startTimer = () =>
        setTimeout(() => silence.abort(new Error('the server stopped sending')), limits.silenceMs)
      let timer = startTimer()
      const response = await withAppErrors(() =>
        fetch(base + path, { headers, signal: AbortSignal.any([signal, silence.signal]) }),
      ).finally(() => clearTimeout(timer))
      if (isGone(response.status) || response.status === 500) {
        await response.body?.cancel()
        return null
      }
      await requireOk(response, permission)
      const { body } = response
      return (async function* () {
        timer = startTimer()
        const requireSpeed = createSpeedCheck(limits)
        try {
          for await (const chunk of body ?? []) {
            requireSpeed(chunk.byteLength)
            clearTimeout(timer)
            yield chunk
            timer = startTimer()
          }
        } catch (error) {
          signal.throwIfAborted()
          throw appErrorOf(error)
        } finally {
          clearTimeout(timer)
        }
      })()
    },
  }
}

/** Speed check of a transfer, to be called with the bytes of each chunk. @throws when the server is too slow. */
function createSpeedCheck({ windowMs, minBytes }: TransferLimits): (bytes: number) => void {
  let since = performance.now()
  let bytesSince = 0
  return (bytes) => {
    bytesSince += bytes
    const waitedMs = performance.now() - since
    if (waitedMs < windowMs) return
    if (bytesSince < minBytes * (waitedMs / windowMs)) throw new Error('the server sends too slowly')
    since = performance.now()
    bytesSince = 0
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An HTML page, for example.
    return null
  }
}

const isGone = (status: number) => status === 404 || status === 410 || status === 400

function nextPageOf(cursor: string | null | undefined, page: string | number | null | undefined) {
  if (cursor) return { cursor }
  const number = Number(page ?? Number.NaN)
  return Number.isSafeInteger(number) && number > 0 ? { page: number } : null
}

async function requireOk(response: Response, permission: Permission): Promise<void> {
  const { status } = response
  if (status >= 200 && status <= 299) return
  await response.body?.cancel()
  if (status === 401) {
    throw invalidServer(say('import_key_refused', {}))
  }
  if (status === 403) {
    throw invalidServer(say('import_key_rights', { permission }))
  }
  if (status === 429 || status >= 500) throw unavailable(new Error(`the server answered ${status}`))
  throw noImmich()
}

const invalidServer = (sentence: ConstructorParameters<typeof ValidationError>[0]) => new ValidationError(sentence)

export const noImmich = () => invalidServer(say('import_server_other', {}))

const unavailable = (cause: unknown) =>
  new UnavailableError(say('import_server_away', {}), { retryAfterSeconds: 30, cause })

/** Error for a request that failed before or during the response. */
function appErrorOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof ResponseTooLargeError || error instanceof SyntaxError) return noImmich()
  const codes = [error, (error as { cause?: unknown }).cause].map(
    (part) => (part as { code?: unknown } | undefined)?.code,
  )
  if (!codes.includes('ERR_ADDRESS_FORBIDDEN')) return unavailable(error)
  return invalidServer(say('import_server_private', {}))
}
