// Reads one untrusted feed in a thread: a large one would block the event loop for a quarter of a second.
import { parentPort } from 'node:worker_threads'
import { type AnyFeed, parseFeed } from 'feedsmith'
import { Parser } from 'htmlparser2'
import type { FeedItem, ToFeedWorker } from './feed-reader.ts'

const MAX_SOURCE_CHARACTERS = 10_000

const silentElements = new Set(['script', 'style'])
/** Inline elements, whose borders aren't spaces. */
const inlineElements = new Set('a abbr b code em i mark q small span strong sub sup u'.split(' '))

/** HTML or text of others as one line of plain text without control characters or marks that turn its direction. */
export function plainLine(html: string, mostCharacters: number): string {
  const text = textOf(html.slice(0, MAX_SOURCE_CHARACTERS))
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(/[\u00ad\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed()
  if (text.length <= mostCharacters) return text
  return `${text
    .slice(0, mostCharacters)
    .toWellFormed()
    .replace(/(?<!\s)\s+\S*$/, '')}…`
}

function textOf(html: string): string {
  let text = ''
  let silentDepth = 0
  const parser = new Parser({
    onopentagname(name) {
      if (silentElements.has(name)) silentDepth++
      if (!inlineElements.has(name)) text += ' '
    },
    ontext(piece) {
      if (silentDepth === 0) text += piece
    },
    onclosetag(name) {
      if (silentElements.has(name)) silentDepth--
      if (!inlineElements.has(name)) text += ' '
    },
    oncomment() {
      text += ' '
    },
  })
  parser.end(html)
  return text
}

const MOST_ITEMS = 60
const TITLE_CHARACTERS = 300
const SUMMARY_CHARACTERS = 400
const URL_CHARACTERS = 2000

parentPort?.once('message', (task: ToFeedWorker) => parentPort?.postMessage(read(task)))

/** Null when it is no feed. */
function read({ text, url }: ToFeedWorker): FeedItem[] | null {
  let parsed: AnyFeed
  try {
    parsed = parseFeed(text, { maxItems: MOST_ITEMS })
  } catch {
    // whatever is wrong with it, it is no feed that can be read
    return null
  }
  return entriesOf(parsed)
    .map(({ title, summary, link, date }) => ({
      title: plainLine(title ?? '', TITLE_CHARACTERS) || plainLine(summary ?? '', TITLE_CHARACTERS),
      summary: plainLine(summary ?? '', SUMMARY_CHARACTERS) || null,
      url: webAddress(link, url),
      publishedAt: timeOf(date),
    }))
    .filter(({ title }) => title !== '')
}

interface Entry {
  title: string | undefined
  summary: string | undefined
  link: string | undefined
  date: string | undefined
}

function entriesOf({ format, feed }: AnyFeed): Entry[] {
  if (format === 'rss') {
    return (feed.items ?? []).map(({ title, description, link, guid, pubDate, dc }) => ({
      title: title,
      summary: description,
      link: link ?? (guid?.isPermaLink === false ? undefined : guid?.value),
      date: pubDate ?? dc?.dates?.[0],
    }))
  }
  if (format === 'rdf') {
    return (feed.items ?? []).map(({ title, description, link, dc }) => ({
      title,
      summary: description,
      link,
      date: dc?.dates?.[0],
    }))
  }
  if (format === 'atom') {
    return (feed.entries ?? []).map(({ title, summary, content, links, published, updated }) => ({
      title: title?.value,
      summary: summary?.value ?? content?.value,
      link: (links?.find(({ rel }) => rel === undefined || rel === 'alternate') ?? links?.[0])?.href,
      date: published ?? updated,
    }))
  }
  return (feed.items ?? []).map(({ title, summary, content_text, content_html, url, date_published }) => ({
    title,
    summary: summary ?? content_text ?? content_html,
    link: url,
    date: date_published,
  }))
}

/** A link that is safe for browsers; null for any other. */
function webAddress(link: string | undefined, base: string): string | null {
  const url = link === undefined ? null : URL.parse(link.trim(), base)
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return isWeb && url.href.length <= URL_CHARACTERS ? url.href : null
}

function timeOf(date: string | undefined): string | null {
  const time = date === undefined ? Number.NaN : Date.parse(date)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
