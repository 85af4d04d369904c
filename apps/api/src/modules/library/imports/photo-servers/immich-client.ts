import { Readable } from 'node:stream'
import type { z } from 'zod'
import { AppError, UnavailableError, ValidationError } from '../../../../errors.ts'
import { type AnswerBounds, AnswerTooLargeError, boundedFetch } from '../../../../platform/net/bounded-fetch.ts'
import { say } from '../../../../sentences.ts'
import { pageSchema } from './immich-schemas.ts'
import { listElements } from './list-elements.ts'
import type { PhotoServerAccess } from './photo-servers.ts'

/** A page of assets, or all that is told of one. */
const ANSWER_MAX_BYTES = 2 * 1024 * 1024
/** A list that comes in one piece, such as an album of an older server, is read element by element. */
const LIST_MAX_BYTES = 64 * 1024 * 1024
const ANY_NUMBER = { maxValues: Number.POSITIVE_INFINITY, maxObjects: Number.POSITIVE_INFINITY }
const ANSWER_MS = 2 * 60_000

/** Bounds beyond which a server counts as unavailable. */
export interface TransferLimits {
  /** Longest silence in the middle of a file. */
  silenceMs: number
  /** A file must bring `minBytes` in each such period of waiting for it. */
  windowMs: number
  minBytes: number
}

/** Eight kilobytes a second, slower than any usual connection. */
const TRANSFER_LIMITS: TransferLimits = { silenceMs: 60_000, windowMs: 60_000, minBytes: 480_000 }
const PAGE_SIZE = 250
const MAX_PAGES = 8_000

/** Most elements that are listed of one server: their ids are held in memory. */
const MAX_LISTED = 1_000_000

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
  }: { fetch: typeof globalThis.fetch; signal: AbortSignal; limits?: TransferLimits | undefined },
) {
  const base = `${url.replace(/(?<!\/)\/+$/, '').replace(/\/api$/, '')}/api`
  const headers = { 'x-api-key': key }

  const ask = async (send: () => Promise<Response>): Promise<Response> => {
    try {
      return await send()
    } catch (error) {
      signal.throwIfAborted()
      throw refusalOf(error)
    }
  }

  let listed = 0
  const count = () => {
    if (++listed > MAX_LISTED) throw noImmich()
  }

  /** The response of the server, whose body ends at its bounds; null only for what may be gone. */
  const request = async (
    path: string,
    { permission, mayBeGone = false, body }: RequestOptions,
    bounds: Omit<AnswerBounds, 'signal'>,
  ): Promise<Response | null> => {
    const bounded = boundedFetch(fetch, {
      ...bounds,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    })
    const accepting = { ...headers, accept: 'application/json' }
    const requestInit =
      body === undefined
        ? { headers: accepting }
        : {
            method: 'POST',
            headers: { ...accepting, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }
    const response = await ask(() => bounded(base + path, requestInit))
    if (mayBeGone && isGone(response.status)) {
      await response.body?.cancel()
      return null
    }
    await requireOk(response, permission)
    return response
  }

  const json = async <Answer>(
    path: string,
    schema: z.ZodType<Answer>,
    options: RequestOptions,
  ): Promise<Answer | null> => {
    const response = await request(path, options, { maxBytes: ANSWER_MAX_BYTES })
    if (response === null) return null
    const text = await response.text().catch((error: unknown) => {
      signal.throwIfAborted()
      throw refusalOf(error)
    })
    const read = schema.safeParse(parsed(text))
    if (!read.success) throw noImmich()
    return read.data
  }

  return {
    /** Fetches JSON from a path. @throws ValidationError, UnavailableError; null only for what may be gone. */
    json,

    /**
     * A list, or the one that is the member `key` of an object, as its elements; null only for what may be gone. The
     * elements throw as `json` does.
     */
    async list(path: string, { key = null, ...options }: RequestOptions & { key?: string | null }) {
      const response = await request(path, options, { maxBytes: LIST_MAX_BYTES, ...ANY_NUMBER })
      if (response === null) return null
      const { elements, hasBegun } = listElements(response.body ?? Readable.from([]), key)
      const counted = async function* () {
        try {
          for await (const element of elements) {
            count()
            yield element
          }
        } catch (error) {
          signal.throwIfAborted()
          throw refusalOf(error)
        }
        if (key === null && !hasBegun()) throw noImmich()
      }
      return { elements: counted(), hasBegun }
    },

    /** All results of a search, page by page. */
    async *search(query: Record<string, unknown>): AsyncGenerator<unknown> {
      let next: { page: number } | { cursor: string } | null = { page: 1 }
      for (let pages = 0; next !== null && pages < MAX_PAGES; pages++) {
        const page: z.infer<typeof pageSchema> | null = await json('/search/metadata', pageSchema, {
          permission: 'asset.read',
          body: { ...query, ...next, size: PAGE_SIZE },
        })
        if (page === null) throw noImmich()
        const { items, nextCursor, nextPage }: z.infer<typeof pageSchema>['assets'] = page.assets
        for (const item of items) {
          count()
          yield item
        }
        next = items.length === 0 ? null : followerOf(nextCursor, nextPage)
      }
    },

    /** A file as a stream; null when it's gone, or the server can't read it. */
    async bytes(path: string, { permission }: { permission: Permission }): Promise<AsyncIterable<Uint8Array> | null> {
      const silence = new AbortController()
      const hush = () => setTimeout(() => silence.abort(new Error('nothing comes any more')), limits.silenceMs)
      let timer = hush()
      const response = await ask(() =>
        fetch(base + path, { headers, signal: AbortSignal.any([signal, silence.signal]) }),
      ).finally(() => clearTimeout(timer))
      if (isGone(response.status) || response.status === 500) {
        await response.body?.cancel()
        return null
      }
      await requireOk(response, permission)
      const { body } = response
      return (async function* () {
        timer = hush()
        const requireSpeed = speedometer(limits)
        try {
          for await (const piece of body ?? []) {
            requireSpeed(piece.byteLength)
            clearTimeout(timer)
            yield piece
            timer = hush()
          }
        } catch (error) {
          signal.throwIfAborted()
          throw refusalOf(error)
        } finally {
          clearTimeout(timer)
        }
      })()
    },
  }
}

/** Checks the speed of a transfer: call it with the bytes of each chunk. It throws when the server is too slow. */
function speedometer({ windowMs, minBytes }: TransferLimits): (bytes: number) => void {
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // an HTML page, for example
    return null
  }
}

const isGone = (status: number) => status === 404 || status === 410 || status === 400

function followerOf(cursor: string | null | undefined, page: string | number | null | undefined) {
  if (cursor) return { cursor }
  const number = Number(page ?? Number.NaN)
  return Number.isSafeInteger(number) && number > 0 ? { page: number } : null
}

async function requireOk(response: Response, permission: Permission): Promise<void> {
  const { status } = response
  if (status >= 200 && status <= 299) return
  await response.body?.cancel()
  if (status === 401) {
    throw refused(say('import_key_refused', {}))
  }
  if (status === 403) {
    throw refused(say('import_key_rights', { permission }))
  }
  if (status === 429 || status >= 500) throw away(new Error(`the server answered ${status}`))
  throw noImmich()
}

const refused = (sentence: ConstructorParameters<typeof ValidationError>[0]) => new ValidationError(sentence)

export const noImmich = () => refused(say('import_server_other', {}))

const away = (cause: unknown) => new UnavailableError(say('import_server_away', {}), { retryAfterSeconds: 30, cause })

/** Error for a request that failed before or during the response. */
function refusalOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof AnswerTooLargeError || error instanceof SyntaxError) return noImmich()
  const codes = [error, (error as { cause?: unknown }).cause].map(
    (one) => (one as { code?: unknown } | undefined)?.code,
  )
  if (!codes.includes('ERR_ADDRESS_FORBIDDEN')) return away(error)
  return refused(say('import_server_private', {}))
}
