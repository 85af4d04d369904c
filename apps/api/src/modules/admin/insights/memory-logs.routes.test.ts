import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAgentRun, insertChatSession, insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { readMemoryLogs } from '../../../../test/memory-logs-client.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { recordActivity } from '../../../platform/database/activity.ts'
import { isoDayIn } from '../../../platform/lib/time-zone-offset.ts'
import { createMemoryLogsStore, type LogScope } from './memory-logs.store.ts'

let mira: TestApp

beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(async () => {
  await mira.close()
})

const traits = { can_upload: true, can_use_agents: true }

const read = (account: TestAccount, query = '') => readMemoryLogs(mira, account, query)

const download = ({ token }: TestAccount, query = '') =>
  mira.request
    .get(`/api/memory/logs/export?${query}`)
    .auth(token, { type: 'bearer' })
    .buffer(true)
    .parse((response, done) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => done(null, Buffer.concat(parts).toString('utf8')))
    })

/** Records one activity of each kind. @returns their subjects. */
async function recordOfEachKind({ user: { id: userId } }: TestAccount) {
  const { database } = mira.context
  const { session, question, answer } = await insertChatSession(database, userId, 'Lighthouses')
  await database.prisma.chatSession.update({ where: { id: session.id }, data: { sentiment: 'positive' } })
  await recordActivity(database.prisma, {
    ...{ userId, kind: 'chat', subjectId: session.id, detailId: answer.id, durationMs: 2500 },
    ...{ inputTokens: 30, outputTokens: 12, detail: { action: 'answered' } },
  })
  const run = await insertAgentRun(database, userId)
  await recordActivity(database.prisma, {
    ...{ userId, kind: 'agent', subjectId: run.id, durationMs: 500 },
    detail: { action: 'called', agent: 'CalculatorAgent', run_id: run.id },
  })
  const item = await insertMediaItem(database, userId, {
    ...{ mediaType: 'video', originalFilename: '=harbour.mp4', durationSeconds: 65, processingStatus: 'completed' },
    caption: 'A harbour at dawn',
  })
  const startedAt = new Date()
  await database.prisma.mediaStep.create({
    data: {
      ...{ mediaItemId: item.id, name: 'inspect', position: 0, status: 'completed' },
      ...{ startedAt, finishedAt: new Date(startedAt.getTime() + 1250) },
    },
  })
  await database.prisma.mediaItem.update({
    where: { id: item.id },
    data: { framesCount: 6, extractedText: 'PORT', transcription: 'Good morning' },
  })
  await insertMoment(database, item, { body: 'A harbour at dawn' })
  await recordActivity(database.prisma, {
    ...{ userId, kind: 'upload', subjectId: item.id },
    detail: { action: 'uploaded', title: item.originalFilename, media_type: 'video' },
  })
  const searchId = randomUUID()
  await recordActivity(database.prisma, {
    ...{ id: searchId, userId, kind: 'search', durationMs: 100 },
    detail: { action: 'searched', query: 'dawn  "at sea"', results: 3, mode: 'words' },
  })
  return { session, question, answer, run, item, searchId }
}

test('every entry has its measurements and a link to its source; unmeasured fields are null', async () => {
  const account = await mira.createUser(traits)
  const empty = await read(account)
  expect(empty).toEqual({
    ...{ entries: [], total: 0, next_cursor: null },
    stats: { total_interactions: 0, avg_response_time: null, memory_size: 0, search_accuracy: null },
  })

  const { session, run, item, searchId } = await recordOfEachKind(account)
  const unsetFields = {
    ...{ outcome: 'completed', response: null, sentiment: null, tokens: null, agent_used: null, session_id: null },
    ...{ media_count: null, extracted_text: null, captions: null, results_count: null, search_terms: null },
    ...{ complexity: null, duration: null, transcription: null, key_frames: null },
    ...{ id: expect.any(String), timestamp: expect.stringMatching(/Z$/) },
  }
  const { entries, total, stats } = await read(account)
  expect(total).toBe(4)
  expect(entries).toEqual([
    {
      ...unsetFields,
      ...{ id: searchId, type: 'memory_search', action: 'searched', content_type: 'search', processing_time: 0.1 },
      ...{ content: 'dawn  "at sea"', complexity: 'low', results_count: 3, search_terms: ['dawn', '"at', 'sea"'] },
      link: '/memory?q=dawn%20%20%22at%20sea%22',
    },
    {
      ...unsetFields,
      ...{ type: 'media', action: 'uploaded', content_type: 'video', processing_time: 1.25 },
      ...{ content: '=harbour.mp4', response: 'A harbour at dawn', captions: ['A harbour at dawn'] },
      ...{ extracted_text: 'PORT', transcription: 'Good morning', duration: 65, key_frames: 6 },
      link: `/gallery/${item.id}`,
    },
    {
      ...unsetFields,
      ...{ type: 'agent', action: 'called', content_type: 'calculation', processing_time: 0.5 },
      ...{ content: '15% of 80', complexity: 'low', response: run.output, agent_used: 'CalculatorAgent' },
      link: '/agents?agent=CalculatorAgent',
    },
    {
      ...unsetFields,
      ...{ type: 'chat', action: 'answered', content_type: 'conversation', processing_time: 2.5, tokens: 42 },
      ...{ content: 'What is a lighthouse for?', response: 'It shows ships the way.', sentiment: 'positive' },
      ...{ session_id: session.id, media_count: 0, complexity: 'low', link: `/chat?session=${session.id}` },
    },
  ])
  // 2.5, 0.5 and 0.1 seconds; the processing of files doesn't count
  expect(stats).toEqual({ total_interactions: 4, avg_response_time: 1.033, memory_size: 1000, search_accuracy: 0 })

  const { token } = account
  const opened = { search_id: searchId, result_id: item.id }
  await mira.request.post('/api/memory/opened').auth(token, { type: 'bearer' }).send(opened).expect(204)
  await recordActivity(mira.context.database.prisma, {
    ...{ userId: account.user.id, kind: 'search', durationMs: 100 },
    detail: { action: 'searched', query: 'nothing', results: 0, mode: 'words' },
  })
  const later = await read(account, 'type=media')
  expect(later.stats).toMatchObject({ total_interactions: 5, search_accuracy: 50 })
  expect(later.total).toBe(1)
  expect((await read(await mira.createUser(traits))).entries).toEqual([])
})

test('an export is a CSV file of the filtered entries, in which no cell is read as a formula', async () => {
  const account = await mira.createUser(traits)
  const { question, answer } = await recordOfEachKind(account)
  const { prisma } = mira.context.database
  await prisma.chatMessage.update({
    where: { id: question.id },
    data: { content: '=HYPERLINK("http://evil","x")\r\nsecond; line' },
  })
  const long = `+1, "quoted" größer — 日本 ${'x'.repeat(6000)}`
  await prisma.chatMessage.update({ where: { id: answer.id }, data: { content: long } })
  await prisma.activity.createMany({
    data: ['@SUM(A1)', '  -2+3', '\t=1', '＝1+1', 'a\nb', '-', ''].map((query, index) => ({
      ...{ userId: account.user.id, kind: 'search', createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)) },
      detail: { action: 'searched', query, results: 0 },
    })),
  })
  const response = await download(account).set('X-Time-Zone', 'Pacific/Kiritimati').expect(200)
  expect(response.headers['content-type']).toBe('text/csv; charset=utf-8')
  const days = [-60_000, 0].map((ago) => isoDayIn('Pacific/Kiritimati', new Date(Date.now() + ago)))
  const [, name = ''] = /filename="([^"]+)"/.exec(response.headers['content-disposition'] ?? '') ?? []
  expect(days.map((day) => `memory_logs_${day}.csv`)).toContain(name)

  const text: string = response.body
  expect(text.startsWith('\ufeffTimestamp,Type,Content,Response,Processing Time\r\n')).toBe(true)
  const cells = parseCsv(text.slice(1))
  expect(cells.every((row) => row.length === 5)).toBe(true)
  expect(cells.flat().filter((cell) => /^\s*[=+\-@＝]/.test(cell))).toEqual([])
  expect(cells.slice(1).map(([, ...row]) => row)).toEqual([
    ['memory_search', 'dawn  "at sea"', '', '0.1'],
    ['media', "'=harbour.mp4", 'A harbour at dawn', '1.25'],
    ['agent', '15% of 80', "'= **12**", '0.5'],
    ['chat', `'=HYPERLINK("http://evil","x")\r\nsecond; line`, `'${long}`, '2.5'],
    ...['', "'-", 'a\nb', "'＝1+1", "'\t=1", "'  -2+3", "'@SUM(A1)"].map((query) => [
      ...['memory_search', query, '', 'N/A'],
    ]),
  ])
  expect(cells[1]?.[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

  const chats = await download(account, 'type=chat&range=today').expect(200)
  expect(parseCsv(chats.body.slice(1))).toHaveLength(2)
  expect((await read(account, 'type=chat')).entries[0]?.response).toHaveLength(4000)
})

test('an export doesn’t load the texts of documents and recordings, which can have megabytes each', async () => {
  const account = await mira.createUser(traits)
  await recordOfEachKind(account)
  const scope: LogScope = {
    userId: account.user.id,
    query: '',
    type: 'media',
    content_type: 'all',
    sentiment: 'all',
    from: null,
    to: null,
  }
  const rows = await createMemoryLogsStore(mira.context.database).list(scope, { limit: 10, after: null, max: null })
  const texts = { extractedText: null, captions: null, transcription: null }
  expect(rows).toMatchObject([{ response: 'A harbour at dawn', ...texts }])
})

test('deleted content leaves no text in the logs', async () => {
  const account = await mira.createUser(traits)
  const { session, item, run } = await recordOfEachKind(account)
  const { token } = account
  await mira.request.delete(`/api/chat/sessions/${session.id}`).auth(token, { type: 'bearer' }).expect(204)
  await mira.request.delete(`/api/media/${item.id}`).auth(token, { type: 'bearer' }).expect(204)
  await mira.context.database.prisma.agentRun.delete({ where: { id: run.id } })
  const { entries } = await read(account)
  expect(entries).toHaveLength(4)
  expect(entries.slice(1)).toMatchObject([
    { type: 'media', content: null, response: null, captions: null, content_type: null, link: null },
    { type: 'agent', content: null, response: null },
    { type: 'chat', content: null, response: null, session_id: null, tokens: 42, link: null },
  ])
  const { rows } = await mira.context.database.pool.query('SELECT detail FROM activities WHERE user_id = $1', [
    account.user.id,
  ])
  const text = JSON.stringify([entries, rows, (await download(account).expect(200)).body])
  for (const word of ['harbour', 'lighthouse', 'ships', '15%', 'PORT', 'morning']) {
    expect(text.toLowerCase()).not.toContain(word.toLowerCase())
  }
})

test('activity excluded from analytics still appears in the user’s own logs', async () => {
  const account = await mira.createUser(traits)
  const auth = <Call extends { auth(token: string, options: { type: 'bearer' }): Call }>(call: Call) =>
    call.auth(account.token, { type: 'bearer' })
  await auth(mira.request.post('/api/agents/CalculatorAgent/run'))
    .set('X-Analytics', 'off')
    .send({ input: '6 * 7' })
    .expect(200)
  await auth(mira.request.get('/api/media/search?query=quiet')).set('X-Analytics', 'off').expect(200)
  const { entries, stats } = await read(account)
  expect(entries.map(({ type, content }) => [type, content])).toEqual([
    ['memory_search', 'quiet'],
    ['agent', '6 * 7'],
  ])
  expect(stats.total_interactions).toBe(2)
  const { body } = await auth(mira.request.get('/api/agents/analytics')).expect(200)
  expect(body.totals.calls).toBe(0)
}, 30_000)

/** RFC 4180, independent of the product's code. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  const row: string[] = []
  while (cell.lastIndex < text.length) {
    const index = cell.lastIndex
    const match = cell.exec(text)
    if (match === null) throw new Error(`No cell begins at ${index}: ${text.slice(index, index + 60)}`)
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] !== ',') rows.push(row.splice(0))
  }
  return rows
}
