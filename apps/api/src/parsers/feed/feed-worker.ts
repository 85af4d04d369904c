// Reads one untrusted feed in a thread: a large one would block the event loop for a quarter of a second.
import { parentPort } from 'node:worker_threads'
import { type AnyFeed, parseFeed } from 'feedsmith'
import type { FeedItem, FeedTask } from './feed-reader.ts'
import { plainLine } from './feed-text.ts'

const MAX_ITEMS = 60
const TITLE_CHARACTERS = 300
const SUMMARY_CHARACTERS = 400
const URL_CHARACTERS = 2000

parentPort?.once('message', (task: FeedTask) => parentPort?.postMessage(read(task)))

/** Parses a feed; null for any other text. */
function read({ text, url }: FeedTask): FeedItem[] | null {
  let parsed: AnyFeed
  try {
    parsed = parseFeed(text, { maxItems: MAX_ITEMS })
  } catch {
    // The parser throws for anything but a feed.
    return null
  }
  const feedBase = addressOf(parsed.feed, url)
  return entriesOf(parsed)
    .map(({ title, summary, link, base, date }) => ({
      title: plainLine(title ?? '', TITLE_CHARACTERS) || plainLine(summary ?? '', TITLE_CHARACTERS),
      summary: plainLine(summary ?? '', SUMMARY_CHARACTERS) || null,
      url: webAddress(link, URL.parse(base ?? '', feedBase)?.href ?? feedBase),
      publishedAt: timeOf(date),
    }))
    .filter(({ title }) => title !== '')
}

interface Entry {
  title: string | undefined
  summary: string | undefined
  link: string | undefined
  /** Address that the link is relative to, itself relative to the feed's. */
  base?: string | undefined
  date: string | undefined
}

function entriesOf({ format, feed }: AnyFeed): Entry[] {
  if (format === 'rss') {
    return (feed.items ?? []).map(({ title, description, content, link, guid, pubDate, dc, xml }) => ({
      title: title,
      summary: description || content?.encoded,
      base: xml?.base,
      link: link ?? (guid?.isPermaLink === false ? undefined : guid?.value),
      date: pubDate ?? dc?.dates?.[0],
    }))
  }
  if (format === 'rdf') {
    return (feed.items ?? []).map(({ title, description, content, link, dc, xml }) => ({
      title,
      summary: description || content?.encoded,
      base: xml?.base,
      link,
      date: dc?.dates?.[0],
    }))
  }
  if (format === 'atom') {
    return (feed.entries ?? []).map(({ title, summary, content, media, links, published, updated, xml }) => ({
      title: htmlOf(title),
      summary: htmlOf(summary) || htmlOf(content) || htmlOf(media?.groups?.[0]?.description),
      base: xml?.base,
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

/** A text of Atom or Media RSS, which is plain unless its type says otherwise, as HTML. */
function htmlOf(text: { value?: string; type?: string } | undefined): string | undefined {
  const isPlain = ['text', 'plain', 'text/plain'].includes(text?.type ?? 'text')
  return isPlain ? text?.value?.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : text?.value
}

/** Address that the links of a feed are relative to. */
function addressOf(feed: AnyFeed['feed'], url: string): string {
  return URL.parse(('xml' in feed ? feed.xml?.base : undefined) ?? '', url)?.href ?? url
}

/** A link that is safe for browsers; null for any other. */
function webAddress(link: string | undefined, base: string): string | null {
  const url = link === undefined ? null : URL.parse(link.trim(), base)
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return isWeb && url.href.length <= URL_CHARACTERS ? url.href : null
}

/** Offsets of time zone abbreviations in feeds that Date doesn't know. */
const zoneOffsets: Readonly<Record<string, string>> = {
  ...{ WET: '+0000', WEST: '+0100', BST: '+0100', MEZ: '+0100', CET: '+0100', MESZ: '+0200', CEST: '+0200' },
  ...{ EET: '+0200', EEST: '+0300', MSK: '+0300', HKT: '+0800', SGT: '+0800', JST: '+0900', KST: '+0900' },
  ...{ AWST: '+0800', ACST: '+0930', AEST: '+1000', AEDT: '+1100', NZST: '+1200', NZDT: '+1300' },
  ...{ BRT: '-0300', ART: '-0300', AKST: '-0900', AKDT: '-0800', HST: '-1000' },
}

/** Time without a zone, or a date in words without a time, which would be taken for the server's. */
const WITHOUT_ZONE = /(?<![+-]\d{1,2}):\d\d(?:\.\d{1,9})?(?:\s?[AP]M)?$|^[^:]{0,40}[a-z][^:]{0,40}\s\d{4}$/i

function timeOf(date = ''): string | null {
  const trimmed = date.trim().replace(/(?<=[\d\s])[A-Z]{3,4}$/, (letters) => zoneOffsets[letters] ?? letters)
  const zone = WITHOUT_ZONE.test(trimmed) ? (/\dT\d/.test(trimmed) ? 'Z' : ' UTC') : ''
  const time = Date.parse(trimmed + zone)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
