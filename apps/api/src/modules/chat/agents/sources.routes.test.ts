import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChatClient, listen } from '../../../../test/chat-client.ts'
import { rssFeed, startFeedServer } from '../../../../test/feed-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { startWeatherServer } from '../../../../test/weather-server.ts'

let mira: TestApp
let weather: Awaited<ReturnType<typeof startWeatherServer>>
let feeds: Awaited<ReturnType<typeof startFeedServer>>
let account: TestAccount

beforeAll(async () => {
  weather = await startWeatherServer()
  feeds = await startFeedServer()
  mira = await startTestApp({
    sourceTimeoutMs: 30_000,
    environment: {
      WEATHER_URL: weather.url,
      GEOCODING_URL: weather.url,
      FETCH_ALLOWED_HOSTS: `${weather.host}, ${feeds.host}`,
    },
  })
  account = await mira.createUser({ can_use_agents: true })
})
afterAll(async () => {
  await mira.close()
  weather.close()
  feeds.close()
})

const run = (path: string, input: string) =>
  mira.request.post(`/api/agents/${path}`).auth(account.token, { type: 'bearer' }).send({ input })

test('the weather is cached by place and served from the cache while its source is unavailable', async () => {
  await run('ask', 'Will it rain in Lyon tomorrow?').set('accept', 'text/event-stream').expect(200)
  const { prisma } = mira.context.database
  const [cached] = await prisma.sourceResponse.findMany()
  expect(cached).toMatchObject({ key: 'weather:45.75,4.85', value: { names: ['lyon'] } })
  weather.faults['/v1/search'] = (response) => response.destroy()
  const hours = 3 * 60 * 60_000
  await prisma.sourceResponse.update({
    where: { key: 'weather:45.75,4.85' },
    data: { fetchedAt: new Date(Date.now() - hours) },
  })
  const stale = await run('WeatherAgent/run', 'weather in LYON').expect(200)
  expect(stale.body.data).toMatchObject({ kind: 'weather', place: 'Lyon', is_stale: true })
  expect(stale.body.output).toContain('from 3 hours ago')
  const failed = await run('WeatherAgent/run', 'weather in Madrid').expect(503)
  expect(failed.body).toMatchObject({ code: 'source_unreachable' })
  delete weather.faults['/v1/search']

  await prisma.sourceResponse.updateMany({ data: { fetchedAt: new Date(Date.now() + hours) } })
  await run('WeatherAgent/run', 'weather in Lyon').expect(200)
  const [ahead] = await prisma.sourceResponse.findMany()
  expect(ahead?.fetchedAt.getTime()).toBeLessThanOrEqual(Date.now())
})

test('news come from the feeds chosen by an administrator, without reaching other private addresses', async () => {
  feeds.responders['/paper'] = feeds.send('text/xml', rssFeed([{ title: 'A lighthouse\u0001 shines' }], new Date()))
  feeds.responders['/trap'] = feeds.redirect('http://127.0.0.1:1/')
  const { body: settings } = await mira.request.get('/api/admin/settings').auth(mira.admin.token, { type: 'bearer' })
  const list = ['/paper', '/trap'].map((path) => ({ title: path, url: `${feeds.url}${path}`, language: 'en' }))
  const changedSettings = { ...(settings.settings ?? settings), news_feeds: list }
  await mira.request
    .put('/api/admin/settings')
    .auth(mira.admin.token, { type: 'bearer' })
    .send(changedSettings)
    .expect(200)
  for (const _time of ['first', 'from the cache']) {
    const { body } = await run('ask', 'news about lighthouses').expect(200)
    expect(body).toMatchObject({
      agent: 'NewsAgent',
      data: {
        items: [{ title: 'A lighthouse shines', source: '/paper' }],
        failed_feeds: [{ source: '/trap', reason: 'its address leads into a private network' }],
      },
    })
  }
  expect(feeds.requests.filter((path) => path === '/paper')).toHaveLength(1)
})

test('the built-in chat engine calls both agents by intent, and the calls are deleted with the conversation', async () => {
  const client = createChatClient(await listen(mira.app), account.token)
  await run('NewsAgent/run', 'news').expect(200)
  const answers: string[] = []
  for (const content of ['¿Qué tiempo hace en Madrid?', 'What is the latest news?']) {
    const stream = await client.send({ content })
    await stream.ended
    answers.push(stream.text())
  }
  expect(answers[0]).toContain('**Ahora:** lluvia ligera, 7 °C')
  expect(answers[1]).toContain('A lighthouse shines')
  await mira.context.agents.close()
  const { prisma } = mira.context.database
  const runs = await prisma.agentRun.findMany({ where: { userId: account.user.id, origin: 'chat' } })
  expect(runs.map(({ agentName }) => agentName).toSorted()).toEqual(['NewsAgent', 'WeatherAgent'])
  await prisma.chatSession.deleteMany({ where: { userId: account.user.id } })
  expect(await prisma.agentRun.count({ where: { userId: account.user.id, origin: 'chat' } })).toBe(0)
})
