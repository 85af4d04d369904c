import { type Language, type NewsData, type NewsFeed, newsDataSchema } from '@mira/shared'
import { z } from 'zod'
import { UnavailableError } from '../../../../errors.ts'
import type { Log } from '../../../../log.ts'
import { isAbout, newsConfidence, readTopic } from '../../../../offline/requests/news-reading.ts'
import { escapeMarkdown } from '../../../../offline/requests/reading.ts'
import type { FeedItem, FeedReader } from '../../../../parsers/feed/feed-reader.ts'
import { colonIn, textsIn } from '../../../../platform/messages/texts.ts'
import type { SourceResult } from '../../../../platform/net/open-meteo.ts'
import { say } from '../../../../sentences.ts'
import { type AgentContext, type AgentKind, type AgentResult, ageOf } from '../agent-kind.ts'
import type { SourceResponsesStore } from '../agents.store.ts'

const FRESH_MS = 10 * 60_000
/** Short enough to report unavailable sources within three seconds. */
const DEFAULT_TIMEOUT_MS = 2_500
const MIN_TIMEOUT_MS = 100
const CONCURRENT_REQUESTS = 6
const MAX_SHOWN = 12
/** Items dated further into the future count as undated, since they'd otherwise stay on top until then. */
const MAX_AHEAD_MS = 60 * 60_000

const cachedSchema = z.object({
  items: z.array(
    z.object({
      title: z.string(),
      summary: z.string().nullable(),
      url: newsDataSchema.shape.items.element.shape.url,
      publishedAt: z.iso.datetime().nullable(),
    }),
  ),
})

/** Items of a feed, fresh or cached. */
interface FeedItems {
  feed: NewsFeed
  items: FeedItem[]
  fetchedAt: Date
  isStale: boolean
}

/** Result of reading feeds. */
interface Reading {
  feeds: FeedItems[]
  failed: NewsData['failed_feeds']
  /** True when any feed answered, even with an error. */
  isConnected: boolean
}

interface NewsDeps {
  feeds: FeedReader
  /** Feeds configured by an administrator. */
  newsFeeds(): NewsFeed[]
  responses: Pick<SourceResponsesStore, 'find' | 'save'>
  log: Log
  /** Time limit for all feeds together. */
  timeoutMs?: number | undefined
}

const keyOf = ({ url }: NewsFeed) => `feed:${url}`

/** NewsAgent: the newest items of the configured feeds, those in the user's language first. */
export function createNews({ feeds, newsFeeds, responses, log, timeoutMs = DEFAULT_TIMEOUT_MS }: NewsDeps): AgentKind {
  const read = async (
    newsFeeds: NewsFeed[],
    deadline: number,
    { signal, now, language }: AgentContext,
  ): Promise<Reading> => {
    const cachedResponses = new Map(
      (await responses.find(newsFeeds.map(keyOf))).map((response) => [response.key, response]),
    )
    const readFeeds: FeedItems[] = []
    const failed: NewsData['failed_feeds'] = []
    let isConnected = false

    const readOne = async (feed: NewsFeed): Promise<void> => {
      const key = keyOf(feed)
      const entry = cachedResponses.get(key)
      const cached = cachedSchema.safeParse(entry?.value)
      const cachedAt = entry?.fetchedAt ?? new Date(0)
      if (cached.success && Math.abs(now.getTime() - cachedAt.getTime()) < FRESH_MS) {
        readFeeds.push({ feed, items: cached.data.items, fetchedAt: cachedAt, isStale: false })
        return
      }
      const timeoutMs = Math.max(MIN_TIMEOUT_MS, deadline - performance.now())
      const response = await feeds.read(feed.url, { timeoutMs, signal })
      isConnected ||= response.isOk || !(response.problem === 'unreachable' || response.problem === 'timeout')
      if (response.isOk) {
        await responses.save({ key, value: { items: response.value }, fetchedAt: now })
        readFeeds.push({ feed, items: response.value, fetchedAt: now, isStale: false })
        return
      }
      // Logs the title instead of the URL, which may contain a key.
      log.warn({ feed: feed.title, problem: response.problem, status: response.status }, 'could not read a news feed')
      failed.push({ source: feed.title, reason: reasonOf(response, language) })
      if (cached.success) readFeeds.push({ feed, items: cached.data.items, fetchedAt: cachedAt, isStale: true })
    }

    const queue = [...newsFeeds]
    const work = async () => {
      for (let feed = queue.shift(); feed !== undefined; feed = queue.shift()) await readOne(feed)
    }
    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, work))
    return { feeds: readFeeds, failed, isConnected }
  }

  return {
    name: 'NewsAgent',
    description: 'Shows the newest items of this server’s news feeds, all or about a topic.',
    capabilities: ['newest headlines', 'news about a topic', 'news in your language first'],
    intents: ['latest news', 'news about space', 'headlines about the economy'],
    hasSideEffects: false,
    tool: {
      name: 'news',
      description: 'Returns the newest items of this server’s news feeds, all or about a topic, with their sources.',
      parameters: {
        type: 'object',
        properties: {
          input: { type: 'string', description: 'What to look for: "latest news", "news about space".' },
        },
        required: ['input'],
        additionalProperties: false,
      },
    },
    unavailableReason: () => (newsFeeds().length === 0 ? say('no_news_feeds', {}) : null),
    confidence: (text) => newsConfidence(text),
    async run(input, caller) {
      const text = textsIn('news', caller.language)
      const deadline = performance.now() + timeoutMs
      const allFeeds = newsFeeds()
      const feedsInLanguage = allFeeds.filter(({ language }) => language === caller.language)
      const firstFeeds = feedsInLanguage.length > 0 ? feedsInLanguage : allFeeds
      const otherFeeds = allFeeds.filter((feed) => !firstFeeds.includes(feed))
      const topic = readTopic(input)

      caller.progress?.(text('reading', { count: firstFeeds.length }))
      let reading = await read(firstFeeds, deadline, caller)
      let items = choose(reading, topic, caller.now)
      if (items.length === 0 && otherFeeds.length > 0 && (topic !== null || reading.feeds.length === 0)) {
        caller.progress?.(text('reading', { count: otherFeeds.length }))
        const more = await read(otherFeeds, deadline, caller)
        reading = {
          feeds: [...reading.feeds, ...more.feeds],
          failed: [...reading.failed, ...more.failed],
          isConnected: reading.isConnected || more.isConnected,
        }
        items = choose(reading, topic, caller.now)
      }
      if (reading.feeds.length === 0) {
        const message = reading.isConnected
          ? text('unreadable', { feeds: groupedReasons(reading.failed, caller.language) })
          : text('unreachable')
        throw new UnavailableError(message, { code: 'source_unreachable' })
      }
      return present(reading, items, topic, caller)
    },
  }
}

type ChosenItem = NewsData['items'][number]

/** Newest items about a topic, without duplicates; matched leniently if no item contains all words of the topic. */
function choose({ feeds }: Reading, topic: string | null, now: Date): ChosenItem[] {
  const latest = new Date(now.getTime() + MAX_AHEAD_MS).toISOString()
  const all = feeds.flatMap(({ feed, items }) =>
    items.map(
      ({ title, summary, url, publishedAt }): ChosenItem => ({
        title,
        summary,
        url,
        source: feed.title,
        published_at: publishedAt !== null && publishedAt <= latest ? publishedAt : null,
      }),
    ),
  )
  const about = (isLenient: boolean) =>
    topic === null ? all : all.filter(({ title, summary }) => isAbout(`${title} ${summary ?? ''}`, topic, isLenient))
  const strict = about(false)
  const items = strict.length > 0 ? strict : about(true)
  const sources = new Map<string, string>()
  const seenItems = new Set<string>()
  return items
    .sort((a, b) => (b.published_at ?? '').localeCompare(a.published_at ?? ''))
    .filter(({ url, title, source }) => {
      const key = url ?? title
      const item = `${key} ${title}`
      if (!sources.has(key)) sources.set(key, source)
      // All items of a podcast may link to its home page.
      return sources.get(key) === source && !seenItems.has(item) && seenItems.add(item)
    })
    .slice(0, MAX_SHOWN)
}

function reasonOf({ problem, status }: Extract<SourceResult<unknown>, { isOk: false }>, language: Language): string {
  return textsIn('news', language)(`reasons.${problem}`, { status: status ?? 0 })
}

function present(
  { feeds, failed }: Reading,
  items: ChosenItem[],
  topic: string | null,
  caller: AgentContext,
): AgentResult {
  const { language, now } = caller
  const text = textsIn('news', language)
  const oldest = new Date(Math.min(...feeds.map(({ fetchedAt }) => fetchedAt.getTime())))
  const isStale = feeds.some((feed) => feed.isStale)
  const total = feeds.reduce((sum, feed) => sum + feed.items.length, 0)
  const nothing =
    topic === null ? text('nothing') : text('nothingAbout', { topic: escapeMarkdown(topic), count: total })
  const heading =
    items.length === 0 ? nothing : topic === null ? text('newest') : text('found', { topic: escapeMarkdown(topic) })
  const lines = items.map(({ title, url, source, published_at }, index) => {
    const linkText = escapeMarkdown(title)
    const age = published_at === null ? '' : `, ${ageOf(new Date(published_at), now, language)}`
    return `${index + 1}. ${url === null ? linkText : `[${linkText}](<${url}>)`} (${escapeMarkdown(source)}${age})`
  })
  const unread = failed.map(({ source, reason }) => `${escapeMarkdown(source)} (${reason})`).join(', ')
  const blocks = [
    heading,
    lines.join('\n'),
    isStale ? text('stale', { age: ageOf(oldest, now, language) }) : '',
    unread === '' ? '' : text('notRead', { feeds: unread }),
  ].filter((block) => block !== '')
  const data: NewsData = {
    kind: 'news',
    topic,
    items,
    failed_feeds: failed,
    fetched_at: oldest.toISOString(),
    is_stale: isStale,
  }
  const summary = items.length === 0 ? nothing : text('summary', { count: items.length })
  return { output: blocks.join('\n\n'), summary, data, quotesOthers: true }
}

/** Failed sources grouped by reason. */
function groupedReasons(failed: NewsData['failed_feeds'], language: Language): string {
  const byReason = Map.groupBy(failed, ({ reason }) => reason)
  return [...byReason]
    .map(([reason, feeds]) => `${feeds.map(({ source }) => source).join(', ')}${colonIn(language)} ${reason}`)
    .join('; ')
}
