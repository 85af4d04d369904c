import { Worker } from 'node:worker_threads'
import type { SourceOptions, SourceResult } from '../../platform/net/open-meteo.ts'
import { unspecificTypes, type WebFetcher } from '../../platform/net/web-fetcher.ts'
import { decodePage } from '../markup-encoding.ts'

/** An entry of a feed, as plain text. */
export interface FeedItem {
  title: string
  summary: string | null
  /** http or https; null when the feed names no such address. */
  url: string | null
  /** ISO 8601, UTC. */
  publishedAt: string | null
}

export interface FeedTask {
  text: string
  url: string
}

/** Reads feeds of the public web. */
export interface FeedReader {
  /** The items of an RSS, Atom, RDF or JSON feed, in its order, at most 60. */
  read(url: string, options: SourceOptions): Promise<SourceResult<FeedItem[]>>
}

const MAX_BYTES = 4 * 1024 * 1024
const PARSE_TIMEOUT_MS = 10_000
const MEMORY_LIMIT_MB = 128
const types = [
  ...['application/rss+xml', 'application/atom+xml', 'application/rdf+xml', 'application/xml', 'text/xml'],
  ...['application/feed+json', 'application/json', 'text/plain'],
  // wrong types that servers send for feeds
  ...['application/x-rss+xml', 'application/rss', 'text/rss+xml', 'text/html', ...unspecificTypes],
]

/** Start of a web page that's sent instead of a feed. */
const PAGE_START = /^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b/i

/** Fetches a feed and parses it in a separate thread, bounded in size, time and memory. */
export function createFeedReader({ fetcher }: { fetcher: WebFetcher }): FeedReader {
  return {
    async read(url, options) {
      const fetched = await fetcher.get(url, { types, maxBytes: MAX_BYTES, ...options })
      if (!fetched.isOk) return fetched
      const text = decodePage(fetched.body, fetched.charset)
      const items = await parse({ text, url: fetched.url })
      if (items !== null) return { isOk: true, value: items }
      return { isOk: false, problem: PAGE_START.test(text) ? 'type' : 'unreadable' }
    },
  }
}

/** Parses a feed in a thread; null when it isn't a feed, or takes too long or too much memory. */
function parse(task: FeedTask): Promise<FeedItem[] | null> {
  const worker = new Worker(new URL('./feed-worker.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  return new Promise((resolve) => {
    const finish = (items: FeedItem[] | null) => {
      clearTimeout(timer)
      void worker.terminate()
      resolve(items)
    }
    const timer = setTimeout(() => finish(null), PARSE_TIMEOUT_MS)
    worker.once('message', finish)
    worker.once('error', () => finish(null))
    worker.once('exit', () => finish(null))
    worker.postMessage(task)
  })
}
