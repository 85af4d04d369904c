import type { Language, NewsFeed } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../../../../test/database-template.ts'
import { type FeedServer, rssFeed, startFeedServer } from '../../../../../test/feed-server.ts'
import { isAbout, newsConfidence, readTopic } from '../../../../offline/requests/news-reading.ts'
import { createFeedReader } from '../../../../parsers/feed/feed-reader.ts'
import { createSafeFetcher } from '../../../../platform/net/safe-fetcher.ts'
import type { WebFetcher } from '../../../../platform/net/web-fetcher.ts'
import type { AgentKind } from '../agent-kind.ts'
import type { SourceResponse } from '../agents.store.ts'
import { createNews } from './news.ts'

const somebody = { userId: 'somebody', canSearchMemory: false, canReadStored: false }

const NOON = new Date('2026-11-20T12:00:00Z')
const HOUR_MS = 3_600_000

let server: FeedServer
let fetcher: WebFetcher
let news: AgentKind
/** Times out after 200 ms. */
let impatientNews: AgentKind
let configuredFeeds: NewsFeed[]
const cachedResponses = new Map<string, SourceResponse>()
const responses = {
  find: async (keys: string[]) => keys.flatMap((key) => cachedResponses.get(key) ?? []),
  save: async (response: SourceResponse) => void cachedResponses.set(response.key, response),
}

beforeAll(async () => {
  server = await startFeedServer()
  fetcher = createSafeFetcher({ allowedHosts: [server.host], userAgent: 'Mira/test' })
  const deps = { feeds: createFeedReader({ fetcher }), newsFeeds: () => configuredFeeds, responses, log: silentLog }
  news = createNews({ ...deps, timeoutMs: 60_000 })
  impatientNews = createNews({ ...deps, timeoutMs: 200 })
})
afterAll(async () => {
  await fetcher.close()
  server.close()
})
beforeEach(() => {
  cachedResponses.clear()
  server.requests.length = 0
})

const serve = (path: string, items: Parameters<typeof rssFeed>[0], language: NewsFeed['language'] = 'en'): NewsFeed => {
  server.responders[path] = server.send('application/rss+xml', rssFeed(items, NOON))
  return { title: `Paper ${path}`, url: `${server.url}${path}`, language }
}
const ask = async (input: string, language: Language = 'en', kind = news, now = NOON) => {
  const result = await kind.run(input, { ...somebody, language, timeZone: 'UTC', now })
  if (result.data.kind !== 'news') throw new Error('no news')
  return { ...result, data: result.data, titles: result.data.items.map(({ title }) => title) }
}

test('lists the newest items of all feeds in the user’s language, each once, with their sources', async () => {
  configuredFeeds = [
    serve('/a', [
      { title: 'Rocket lands', link: 'https://a.example/1', summary: 'On &lt;b&gt;Mars&lt;/b&gt;.', ageMinutes: 30 },
      { title: 'Older', link: 'https://a.example/2', ageMinutes: 300 },
    ]),
    serve('/b', [
      { title: 'Newest', link: 'https://b.example/1', ageMinutes: 5 },
      { title: 'Rocket lands again', link: 'https://a.example/1', ageMinutes: 60 },
      { title: 'From the future', link: 'https://b.example/2', ageMinutes: -3000 },
    ]),
    serve('/es', [{ title: 'Hola', ageMinutes: 1 }], 'es'),
  ]
  const { titles, data, output, summary, quotesOthers } = await ask('latest news')
  expect(titles).toEqual(['Newest', 'Rocket lands', 'Older', 'From the future'])
  expect(data).toMatchObject({ topic: null, failed_feeds: [], is_stale: false })
  expect(data.items[1]).toEqual({
    title: 'Rocket lands',
    summary: 'On Mars.',
    url: 'https://a.example/1',
    source: 'Paper /a',
    published_at: '2026-11-20T11:30:00.000Z',
  })
  expect(output).toContain('2. [Rocket lands](<https://a.example/1>) (Paper /a, 30 minutes ago)')
  expect([summary, quotesOthers]).toEqual(['4 items', true])
  expect((await ask('noticias', 'es')).titles).toEqual(['Hola'])
  // feeds fetched a moment ago come from the cache
  expect(server.requests.toSorted()).toEqual(['/a', '/b', '/es'])
})

test('lists items of one feed with the same link, each once', async () => {
  const link = 'https://podcast.example/'
  const titles = ['Third', 'Second', 'Second', 'First']
  configuredFeeds = [
    serve(
      '/podcast',
      titles.map((title, index) => ({ title, link, ageMinutes: index })),
    ),
  ]
  expect((await ask('latest news')).titles).toEqual(['Third', 'Second', 'First'])
})

test('filters by topic, falls back to feeds in other languages, and says when nothing matches', async () => {
  configuredFeeds = [
    serve('/de', [{ title: 'Neue Weltraumteleskope' }, { title: 'Wetter', summary: 'Sturm über Köln' }], 'de'),
    serve('/en', [{ title: 'Space telescope sees far' }, { title: 'Telescopes in space, and spacecraft' }]),
  ]
  expect((await ask('news about space')).titles).toEqual([
    'Space telescope sees far',
    'Telescopes in space, and spacecraft',
  ])
  expect((await ask('Nachrichten über Sturm', 'de')).titles).toEqual(['Wetter'])
  expect((await ask('Nachrichten über Spacecraft', 'de')).titles).toEqual(['Telescopes in space, and spacecraft'])
  expect(await ask('Nachrichten über Fußball', 'de')).toMatchObject({
    titles: [],
    output: 'Keine der 4 neuesten Meldungen handelt von „Fußball“.',
  })
})

test('reads Atom, RDF and JSON feeds and ISO-8859-1, as plain text with web links only', async () => {
  const date = '2026-11-20T11:00:00Z'
  server.responders['/atom'] = server.send(
    'application/atom+xml',
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><title type="html">&lt;img src=x onerror=alert(1)&gt;Atom &amp;eacute;t&amp;eacute;</title><link rel="self" href="/self"/><link href="/one"/><updated>${date}</updated></entry><entry><title>Script</title><link href="javascript:alert(1)"/></entry></feed>`,
  )
  server.responders['/rdf'] = server.send(
    'application/rdf+xml',
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>R</title></channel><item rdf:about="y"><title>RDF \u202e[x](javascript:y)</title><link>https://user:pass@r.example/</link><dc:date>${date}</dc:date></item></rdf:RDF>`,
  )
  server.responders['/json'] = server.send(
    'application/feed+json; charset=utf-8',
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'J',
      items: [{ id: '1', url: 'https://j.example/', title: 'JSON\u0000 feed', date_published: date }],
    }),
  )
  server.responders['/latin'] = server.send(
    'text/xml',
    Buffer.from(rssFeed([{ title: 'Größe' }], NOON).replace('UTF-8', 'ISO-8859-1'), 'latin1'),
  )
  server.responders['/bomb'] = server.send(
    'application/xml',
    `<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><rss version="2.0"><channel><title>x</title><item><title>Bomb &b;</title></item></channel></rss>`,
  )
  configuredFeeds = ['/atom', '/rdf', '/json', '/latin', '/bomb'].map((path) => ({
    title: path,
    url: `${server.url}${path}`,
    language: 'en',
  }))
  const { data, output } = await ask('news')
  expect(data.items.map(({ title, url }) => [title, url]).toSorted()).toEqual([
    ['Atom été', `${server.url}/one`],
    ['Bomb &b;', null],
    ['Größe', null],
    ['JSON feed', 'https://j.example/'],
    ['RDF [x](javascript:y)', null],
    ['Script', null],
  ])
  expect(output).toContain('RDF \\[x\\](javascript:y) (/rdf, 1 hour ago)')
})

test('lists the other feeds when some are unreadable, and reports the reasons', async () => {
  const good = serve('/good', [{ title: 'Good', ageMinutes: 1 }])
  const faults: [string, FeedServer['responders'][string], string][] = [
    ['/huge', server.endless(100_000_000), 'it’s too large'],
    ['/endless', server.endless(), 'it’s too large'],
    ['/html', server.send('text/html', '<html></html>'), 'this is a page, not a feed'],
    ['/no-feed', server.send('application/xml', '<?xml version="1.0"?><a><b></a>'), 'it can’t be read as a feed'],
    ['/empty', server.send('application/rss+xml', ''), 'it can’t be read as a feed'],
    ['/inside', server.redirect('http://127.0.0.1:1/secret'), 'its address leads into a private network'],
    ['/metadata', server.redirect('http://169.254.169.254/latest'), 'its address leads into a private network'],
    ['/round', server.redirect('/round'), 'it redirects too many times'],
    ['/gone', (response) => void response.writeHead(410).end(), 'it answers with error 410'],
    ['/cut', (response) => void response.destroy(), 'it can’t be reached'],
  ]
  for (const [path, respond] of faults) server.responders[path] = respond
  configuredFeeds = [
    good,
    ...faults.map(([path]) => ({ title: path, url: `${server.url}${path}`, language: 'en' as const })),
  ]
  const { titles, data, output } = await ask('news')
  expect(titles).toEqual(['Good'])
  const bySource = (a: { source: string }, b: { source: string }) => a.source.localeCompare(b.source)
  expect(data.failed_feeds.toSorted(bySource)).toEqual(
    faults.map(([source, , reason]) => ({ source, reason })).toSorted(bySource),
  )
  expect(output).toContain('/round (it redirects too many times)')
})

describe('when its sources are unavailable', () => {
  test('fetches feeds again that were cached with a future timestamp', async () => {
    configuredFeeds = [serve('/paper', [{ title: 'Ahead' }])]
    await ask('news')
    for (const response of cachedResponses.values()) response.fetchedAt = new Date(NOON.getTime() + 5 * HOUR_MS)
    configuredFeeds = [serve('/paper', [{ title: 'Now' }])]
    expect((await ask('news')).titles).toEqual(['Now'])
  })

  test('uses the last response and shows its age', async () => {
    configuredFeeds = [serve('/paper', [{ title: 'Kept' }])]
    await ask('news')
    server.responders['/paper'] = server.hang
    for (const response of cachedResponses.values()) response.fetchedAt = new Date(NOON.getTime() - 5 * HOUR_MS)
    const { titles, data, output } = await ask('news', 'en', impatientNews)
    expect(titles).toEqual(['Kept'])
    expect(data).toMatchObject({
      is_stale: true,
      fetched_at: '2026-11-20T07:00:00.000Z',
      failed_feeds: [{ source: 'Paper /paper', reason: 'it doesn’t answer in time' }],
    })
    expect(output).toContain('from 5 hours ago')
  })

  test.each<[Language, RegExp]>([
    ['en', /^The news couldn’t be fetched because this server can’t reach the feeds\. Try again later\./],
    ['es', /^No se han podido obtener las noticias porque este servidor no puede acceder a las fuentes\./],
    ['fr', /^Impossible de récupérer les actualités, car ce serveur ne parvient pas à joindre les flux\./],
    ['de', /^Die Nachrichten konnten nicht abgerufen werden, weil dieser Server die Feeds nicht erreicht\./],
  ])('fails in one sentence in %s when no feed can be reached', async (language, message) => {
    configuredFeeds = ['Silent', 'Cut'].map((title) => ({ title, url: `${server.url}/${title}`, language: 'en' }))
    server.responders['/Silent'] = server.hang
    server.responders['/Cut'] = (response) => void response.destroy()
    const refusal = await ask('news about space', language, impatientNews).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ status: 503, code: 'source_unreachable', message: expect.stringMatching(message) })
    expect(String(refusal)).not.toMatch(/Silent|Cut/)
  })

  test('fails with the reasons when a feed responds but none can be read', async () => {
    server.responders['/silent'] = server.hang
    server.responders['/gone'] = (response) => void response.writeHead(410).end()
    const silentFeeds = ['One', 'Two'].map((title) => ({ title, url: `${server.url}/silent`, language: 'en' as const }))
    configuredFeeds = [...silentFeeds, { title: 'Gone', url: `${server.url}/gone`, language: 'en' }]
    const refusal = await ask('news', 'en', impatientNews).catch((error: Error) => error.message)
    expect(refusal).toMatch(/(One, Two|Two, One): it doesn’t answer in time/)
    expect(refusal).toMatch(/Gone: it answers with error 410/)
    expect(refusal).toMatch(/An administrator can check the feeds in the settings\.$/)
    await expect(ask('Nachrichten', 'de', impatientNews)).rejects.toMatchObject({
      status: 503,
      code: 'source_unreachable',
      message: expect.stringMatching(/(One, Two|Two, One): er antwortet nicht rechtzeitig.*Einstellungen prüfen\.$/),
    })
    configuredFeeds = []
    expect(news.unavailableReason?.()).toMatchObject({
      text: expect.stringContaining('No news feed is listed'),
      sentences: [{ code: 'no_news_feeds', params: {} }],
    })
  })
})

describe('a sentence', () => {
  test.each<[string, string | null]>([
    ['news', null],
    ['What are the latest news?', null],
    ["today's headlines", null],
    ['news about space', 'space'],
    ['Show me the latest space news', 'space'],
    ['any news on the climate summit?', 'climate summit'],
    ['world news', null],
    ['noticias', null],
    ['¿Cuáles son las últimas noticias sobre fútbol?', 'fútbol'],
    ['titulares de hoy', null],
    ['actualités', null],
    ["Quelles sont les nouvelles sur l'espace ?", 'espace'],
    ['les infos du jour', null],
    ['Nachrichten', null],
    ['Was gibt es Neues? Nachrichten zur Raumfahrt', 'Raumfahrt'],
    ['aktuelle Schlagzeilen aus Berlin', 'Berlin'],
  ])('asks for news: %s', (sentence, topic) => {
    expect(newsConfidence(sentence)).toBeGreaterThanOrEqual(0.8)
    expect(readTopic(sentence)).toBe(topic)
  })

  test.each([
    'I have good news',
    'Tengo buenas noticias',
    'Remind me to read the news',
    'photos of the newspaper news stand',
    'What is new?',
    'mes nouvelles chaussures',
    'Ich habe eine gute Nachricht',
    'Hello',
  ])('doesn’t ask for news: %s', (sentence) => {
    expect(newsConfidence(sentence)).toBeLessThan(0.8)
  })

  test.each([
    ['The rockets of Mars', 'rocket', true],
    ['Rocket to Mars', 'rockets mars', true],
    ['Marseille wins', 'mars', true],
    ['A car', 'cartoon', false],
    ['Élections à Paris', 'elections', true],
    ['The US vote', 'us', true],
    ['Use it', 'us', false],
  ])('%s is about %s: %s', (text, topic, expected) => {
    expect(isAbout(text, topic)).toBe(expected)
  })
})
