// Reads one untrusted feed in a thread: a large one would block the event loop for a quarter of a second.
import { parentPort } from 'node:worker_threads'
import { type AnyFeed, parseFeed } from 'feedsmith'
import type { FeedItem, FeedTask } from './feed-reader.ts'
import { plainLine } from './feed-text.ts'
import { timeOf } from './feed-times.ts'

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
      publishedAt: timeOf(date, languageOf(parsed.feed)),
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
    return (feed.items ?? []).map((item) => {
      const { title, description, content, link, guid, enclosures, pubDate, itunes, media, atom, dc, dcterms, xml } =
        item
      return {
        title: title ?? itunes?.title ?? dc?.titles?.[0] ?? htmlOf(media?.title),
        summary:
          description ||
          content?.encoded ||
          itunes?.summary ||
          dc?.descriptions?.[0] ||
          htmlOf(media?.description ?? media?.groups?.[0]?.description),
        base: xml?.base,
        link: link ?? permalinkOf(guid) ?? linkOf(atom?.links) ?? enclosures?.[0]?.url,
        date: pubDate ?? dc?.dates?.[0] ?? atom?.published ?? atom?.updated ?? issueDateOf(dcterms),
      }
    })
  }
  if (format === 'rdf') {
    return (feed.items ?? []).map(({ title, description, content, link, dc, dcterms, xml }) => ({
      title: title ?? dc?.titles?.[0],
      summary: description || content?.encoded || dc?.descriptions?.[0],
      base: xml?.base,
      link,
      date: dc?.dates?.[0] ?? issueDateOf(dcterms),
    }))
  }
  if (format === 'atom') {
    return (feed.entries ?? []).map(({ id, title, summary, content, media, links, published, updated, dc, xml }) => ({
      title: htmlOf(title),
      summary: htmlOf(summary) || htmlOf(content) || htmlOf(media?.groups?.[0]?.description),
      base: xml?.base,
      link: linkOf(links) ?? permalinkOf({ value: id }) ?? links?.[0]?.href,
      date: published ?? updated ?? dc?.dates?.[0],
    }))
  }
  return (feed.items ?? []).map((item) => ({
    title: item.title,
    summary: item.summary ?? item.content_text ?? item.content_html,
    link: item.url ?? item.external_url ?? permalinkOf({ value: item.id }),
    date: item.date_published ?? item.date_modified,
  }))
}

const linkOf = (links: { href?: string; rel?: string }[] = []) =>
  links.find(({ rel }) => rel === undefined || rel === 'alternate')?.href

/** An item's id that is an address; other ids look like relative links. */
const permalinkOf = ({ value, isPermaLink }: { value?: string | undefined; isPermaLink?: boolean } = {}) =>
  isPermaLink !== false && /^https?:/i.test(value ?? '') ? value : undefined

const issueDateOf = ({
  issued,
  created,
  modified,
}: Partial<Record<'issued' | 'created' | 'modified', string[]>> = {}) => (issued ?? created ?? modified)?.[0]

/** A text of Atom or Media RSS, which is plain unless its type says otherwise, as HTML. */
function htmlOf(text: { value?: string; type?: string } | undefined): string | undefined {
  const isPlain = ['text', 'plain', 'text/plain'].includes(text?.type ?? 'text')
  return isPlain ? text?.value?.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : text?.value
}

/** Address that the links of a feed are relative to. */
function addressOf(feed: AnyFeed['feed'], url: string): string {
  return URL.parse(('xml' in feed ? feed.xml?.base : undefined) ?? '', url)?.href ?? url
}

function languageOf(feed: AnyFeed['feed']): string | undefined {
  return ('language' in feed ? feed.language : undefined) ?? ('xml' in feed ? feed.xml?.lang : undefined)
}

/** A link that is safe for browsers; null for any other. */
function webAddress(link: string | undefined, base: string): string | null {
  const url = link === undefined ? null : URL.parse(link.trim(), base)
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return isWeb && url.href.length <= URL_CHARACTERS ? url.href : null
}
