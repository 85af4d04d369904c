import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSearchProvider } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { z } from 'zod'
import { UnavailableError } from '../../errors.ts'
import { say } from '../../sentences.ts'
import { boundedFetch } from './bounded-fetch.ts'

/** Web search service. */
export interface WebSearchEngine {
  provider: WebSearchProvider
  /** Without a trailing slash. */
  baseUrl: string
  apiKey: string | null
}

export interface WebSearchHit {
  title: string
  url: string
  /** Excerpt or description from the search service. */
  snippet: string
}

/** Searches the web with a service. @throws UnavailableError with the reason. */
export type SearchTheWeb = (
  engine: WebSearchEngine,
  query: string,
  options: { limit: number; signal?: AbortSignal | undefined },
) => Promise<WebSearchHit[]>

const TIMEOUT_MS = 15_000
/** Brave refuses longer queries. */
const BRAVE_MAX_WORDS = 50
/** Brave's free plan allows one request per second, and a model makes several searches at once. */
const BRAVE_PAUSES_MS = [1_100, 2_200, 3_300]
const TOO_MANY_REQUESTS = 429
const MAX_BYTES = 2 * 1024 * 1024
const MAX_TITLE_CHARACTERS = 200
const MAX_SNIPPET_CHARACTERS = 1_000
const MAX_URL_CHARACTERS = 2_000

const text = z.string().nullish()
const hitSchema = z.object({ title: text, url: z.string(), content: text, description: text })
const resultsSchema = z.object({ results: z.array(z.unknown()) })
const responseSchemas = {
  searxng: resultsSchema,
  tavily: resultsSchema,
  brave: z.object({ web: resultsSchema.nullish() }).transform(({ web }) => web ?? { results: [] }),
}

/** Request in each provider's format. */
function requestOf({ provider, baseUrl, apiKey }: WebSearchEngine, query: string, limit: number) {
  const json = { accept: 'application/json' }
  switch (provider) {
    case 'searxng': {
      const parameters = new URLSearchParams({ q: query, format: 'json' })
      const headers = apiKey === null ? json : { ...json, authorization: `Bearer ${apiKey}` }
      return { url: `${baseUrl}/search?${parameters}`, init: { headers } }
    }
    case 'brave': {
      const words = query.split(/\s+/).slice(0, BRAVE_MAX_WORDS).join(' ')
      const parameters = new URLSearchParams({ q: words, count: String(limit) })
      return {
        url: `${baseUrl}/res/v1/web/search?${parameters}`,
        init: { headers: { ...json, 'x-subscription-token': apiKey ?? '' } },
      }
    }
    case 'tavily': {
      const headers = { ...json, 'content-type': 'application/json', authorization: `Bearer ${apiKey ?? ''}` }
      const body = JSON.stringify({ query, max_results: limit })
      return { url: `${baseUrl}/search`, init: { method: 'POST', headers, body } }
    }
  }
}

/**
 * Creates a client of SearXNG, Brave or Tavily.
 * @param options a fetch that refuses clouds' metadata services; the URLs are an administrator's.
 */
export function createWebSearch(options: { fetch: typeof fetch }): SearchTheWeb {
  return async (engine, query, { limit, signal }) => {
    const { url, init } = requestOf(engine, query, limit)
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    let response: Response
    let body: string
    try {
      const stop = signal ? AbortSignal.any([timeout, signal]) : timeout
      const request = boundedFetch(options.fetch, { maxBytes: MAX_BYTES, signal: stop })
      response = await request(url, init)
      body = await response.text()
      for (const pauseMs of engine.provider === 'brave' ? BRAVE_PAUSES_MS : []) {
        if (response.status !== TOO_MANY_REQUESTS) break
        await sleep(pauseMs, undefined, { signal: stop })
        response = await request(url, init)
        body = await response.text()
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (timeout.aborted) {
        throw new UnavailableError(say('web_search_timeout', {}), {
          cause: error,
        })
      }
      const cause = networkCode(error)
      const sentence = cause === '' ? say('web_search_away', {}) : say('web_search_unreachable', { cause })
      throw new UnavailableError(sentence, { cause: error })
    }
    if (!response.ok) throw refusalOf(engine, response.status)
    return pagesOf(engine, body, response.status).slice(0, limit)
  }
}

function pagesOf({ provider }: WebSearchEngine, body: string, status: number): WebSearchHit[] {
  const read = responseSchemas[provider].safeParse(parseJson(body))
  if (!read.success) throw unexpectedStatusError(status)
  return read.data.results.flatMap((rawResult) => {
    const { data } = hitSchema.safeParse(rawResult)
    const url = data === undefined ? null : URL.parse(data.url)
    if (data === undefined || url === null || !/^https?:$/.test(url.protocol)) return []
    if (url.href.length > MAX_URL_CHARACTERS) return []
    const textOf = (field: string | null | undefined) => plainText(field, provider === 'brave')
    const title = cutText(textOf(data.title), MAX_TITLE_CHARACTERS) || url.hostname
    return [
      { title, url: url.href, snippet: cutText(textOf(data.content ?? data.description), MAX_SNIPPET_CHARACTERS) },
    ]
  })
}

/** Plain text in one line, without highlighting tags. @param hasEntities also decodes entities, which may encode tags. */
function plainText(text: string | null | undefined, hasEntities: boolean): string {
  const unmarked = (text ?? '').replace(/<\/?(strong|b|em|mark)>/g, '')
  return (hasEntities ? withoutEntities(unmarked) : unmarked).replace(/\s+/g, ' ').trim().toWellFormed()
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Decodes HTML entities, which Brave leaves in its texts. */
function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = Number.parseInt(decimal ?? hexadecimal, decimal === undefined ? 16 : 10)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

function refusalOf({ provider }: WebSearchEngine, status: number): UnavailableError {
  if (provider === 'searxng' && status === 403) {
    return new UnavailableError(say('web_search_no_json', {}))
  }
  // Brave responds with 422 to an unknown key
  if (status === 401 || status === 403 || (provider === 'brave' && status === 422)) {
    return new UnavailableError(say('web_search_key_refused', {}))
  }
  return unexpectedStatusError(status)
}

function unexpectedStatusError(status: number): UnavailableError {
  return new UnavailableError(say('web_search_odd', { status }))
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/** Code of the network error in a chain of causes; '' when there is none. */
function networkCode(error: unknown): string {
  for (let one = error, steps = 0; one instanceof Error && steps < 5; steps++) {
    if ('code' in one && typeof one.code === 'string') return one.code
    one = one.cause
  }
  return ''
}
