import { randomUUID } from 'node:crypto'
import { type MemoryLogEntryJson, type MemoryLogsAnswerJson, memoryLogsAnswerSchema } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAgentRun, insertChatSession, insertMediaItem, insertMoment } from '../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'
import { recordActivity } from '../../db/activity.ts'
import { createMemoryLogsService } from './memory-logs.service.ts'
import { createMemoryLogsStore } from './memory-logs.store.ts'

let mira: TestApp

beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(async () => {
  await mira.close()
})

const traits = { can_upload: true, can_use_agents: true }

const read = async ({ token }: TestAccount, query = ''): Promise<MemoryLogsAnswerJson> => {
  const { body } = await mira.request.get(`/api/memory/logs?${query}`).auth(token, { type: 'bearer' }).expect(200)
  memoryLogsAnswerSchema.parse(body)
  return body
}

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

/** Records one thing of each kind that a person does, and returns what it was about. */
async function liveADay({ user: { id: userId } }: TestAccount) {
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

test('every entry tells what was measured and leads to its source; what was not measured is null', async () => {
  const person = await mira.createUser(traits)
  const empty = await read(person)
  expect(empty).toEqual({
    ...{ entries: [], total: 0, next_cursor: null },
    stats: { total_interactions: 0, avg_response_time: null, memory_size: 0, search_accuracy: null },
  })

  const { session, run, item, searchId } = await liveADay(person)
  const nothing = {
    ...{ outcome: 'completed', response: null, sentiment: null, tokens: null, agent_used: null, session_id: null },
    ...{ media_count: null, extracted_text: null, captions: null, results_count: null, search_terms: null },
    ...{ complexity: null, duration: null, transcription: null, key_frames: null },
    ...{ id: expect.any(String), timestamp: expect.stringMatching(/Z$/) },
  }
  const { entries, total, stats } = await read(person)
  expect(total).toBe(4)
  expect(entries).toEqual([
    {
      ...nothing,
      ...{ id: searchId, type: 'memory_search', action: 'searched', content_type: 'search', processing_time: 0.1 },
      ...{ content: 'dawn  "at sea"', results_count: 3, search_terms: ['dawn', '"at', 'sea"'] },
      link: '/memory?q=dawn%20%20%22at%20sea%22',
    },
    {
      ...nothing,
      ...{ type: 'media', action: 'uploaded', content_type: 'video', processing_time: 1.25 },
      ...{ content: '=harbour.mp4', response: 'A harbour at dawn', captions: ['A harbour at dawn'] },
      ...{ extracted_text: 'PORT', transcription: 'Good morning', duration: 65, key_frames: 6 },
      link: `/gallery/${item.id}`,
    },
    {
      ...nothing,
      ...{ type: 'agent', action: 'called', content_type: 'calculation', processing_time: 0.5 },
      ...{ content: '15% of 80', response: run.output, agent_used: 'CalculatorAgent' },
      link: '/agents?agent=CalculatorAgent',
    },
    {
      ...nothing,
      ...{ type: 'chat', action: 'answered', content_type: 'conversation', processing_time: 2.5, tokens: 42 },
      ...{ content: 'What is a lighthouse for?', response: 'It shows ships the way.', sentiment: 'positive' },
      ...{ session_id: session.id, media_count: 0, link: `/chat?session=${session.id}` },
    },
  ])
  // 2.5, 0.5 and 0.1 seconds; what a file took is no response
  expect(stats).toEqual({ total_interactions: 4, avg_response_time: 1.033, memory_size: 1000, search_accuracy: 0 })

  const { token } = person
  const opened = { search_id: searchId, result_id: item.id }
  await mira.request.post('/api/memory/opened').auth(token, { type: 'bearer' }).send(opened).expect(204)
  await recordActivity(mira.context.database.prisma, {
    ...{ userId: person.user.id, kind: 'search', durationMs: 100 },
    detail: { action: 'searched', query: 'nothing', results: 0, mode: 'words' },
  })
  const later = await read(person, 'type=media')
  expect(later.stats).toMatchObject({ total_interactions: 5, search_accuracy: 50 })
  expect(later.total).toBe(1)
  expect((await read(await mira.createUser(traits))).entries).toEqual([])
})

test('every filter, alone and with others, lets through what independent SQL finds, in two time zones', async () => {
  const { database } = mira.context
  const person = await mira.createUser(traits)
  const userId = person.user.id
  const now = new Date('2026-03-09T03:30:00Z')
  const moods = ['positive', 'neutral', 'negative']
  const conversations: Awaited<ReturnType<typeof insertChatSession>>[] = []
  for (const sentiment of moods) {
    const made = await insertChatSession(database, userId, sentiment)
    await database.prisma.chatSession.update({ where: { id: made.session.id }, data: { sentiment } })
    conversations.push(made)
  }
  const items = await Promise.all(
    ['image', 'video', 'audio', 'document'].map((mediaType) =>
      insertMediaItem(database, userId, { mediaType, originalFilename: `100%_Lighthouse.${mediaType}` }),
    ),
  )
  const runs = [await insertAgentRun(database, userId), await insertAgentRun(database, userId, 'Tower of 3')]
  const make: ((at: number) => {
    kind: string
    subject?: string | undefined
    detailId?: string | undefined
    detail: object
  })[] = [
    (at) => ({
      ...{ kind: 'chat', subject: conversations[at % 3]!.session.id, detailId: conversations[at % 3]!.answer.id },
      detail: { action: 'answered' },
    }),
    (at) => ({ kind: 'upload', subject: items[at % 4]!.id, detail: { action: 'uploaded', title: 'x' } }),
    (at) => ({
      ...{ kind: 'agent', subject: runs[at % 2]!.id },
      detail: { action: 'called', agent: at % 2 ? 'WeatherAgent' : 'CalculatorAgent', run_id: runs[at % 2]!.id },
    }),
    (at) => ({ kind: 'search', detail: { action: 'searched', query: at % 2 ? 'LIGHT' : 'towers', results: at } }),
    () => ({ kind: 'effect', detail: { action: 'effect_applied', title: 'lighthouse.png', effect: 'oil_paint' } }),
    () => ({ kind: 'search', subject: items[0]!.id, detail: { action: 'opened' } }),
    () => ({ kind: 'account', detail: { action: 'signed_in' } }),
  ]
  // every 151 minutes of 50 days: over local midnights, the change of the clocks of 8 March, and a month
  const rows = Array.from({ length: 476 }, (_, at) => {
    const { kind, subject, detailId, detail } = make[at % make.length]!(Math.floor(at / make.length))
    return { kind, subject, detail_id: detailId, detail, created_at: new Date(now.getTime() - at * 151 * 60_000) }
  })
  await database.pool.query(
    `INSERT INTO activities (id, user_id, kind, subject_id, detail_id, detail, created_at)
     SELECT gen_random_uuid(), $1, kind, subject, detail_id, detail, created_at
     FROM jsonb_to_recordset($2::jsonb) AS r (kind text, subject uuid, detail_id uuid, detail jsonb, created_at timestamptz)`,
    [userId, JSON.stringify(rows)],
  )
  const service = createMemoryLogsService({
    store: createMemoryLogsStore(database),
    usedBytes: async () => 0,
    now: () => now,
  })

  const plain = { query: '', type: 'all', content_type: 'all', sentiment: 'all', range: 'all' } as const
  const filters: Partial<Record<keyof typeof plain | 'from' | 'to', string>>[] = [
    {},
    ...['chat', 'media', 'memory_search', 'agent'].map((type) => ({ type })),
    ...['conversation', 'image', 'video', 'document', 'search', 'calculation'].map((content_type) => ({
      content_type,
    })),
    ...moods.map((sentiment) => ({ sentiment })),
    ...['today', 'week', 'month'].map((range) => ({ range })),
    ...['lighthouse', 'LIGHT', '100%_', 'weatheragent', 'oil paint', 'a\\b', 'no such words'].map((query) => ({
      query,
    })),
    { range: 'month', type: 'chat', sentiment: 'negative', query: 'SHIPS' },
    { range: 'week', type: 'media', content_type: 'image', query: 'lighthouse' },
    { from: '2026-02-20T00:00:00+01:00', to: '2026-02-25T00:00:00Z', range: 'week' },
    { from: '2026-02-20T00:00:00+01:00', to: '2026-02-25T00:00:00Z' },
  ]
  const sizes: Record<string, number[]> = {}
  for (const timeZone of ['America/New_York', 'Asia/Kolkata']) {
    for (const filter of filters) {
      const { rows: expected } = await database.pool.query<{ id: string }>(
        `WITH told AS (
           SELECT a.id, a.created_at, a.kind, a.detail->>'agent' AS agent, s.sentiment,
             coalesce(q.content, r.input, m.original_filename, a.detail->>'query', a.detail->>'title') AS content,
             concat(w.content, r.output, m.caption, replace(a.detail->>'effect', '_', ' ')) AS response,
             coalesce(m.media_type, CASE a.kind WHEN 'effect' THEN 'image' WHEN 'search' THEN 'search' END,
               CASE WHEN a.detail->>'agent' = 'CalculatorAgent' THEN 'calculation' ELSE 'conversation' END) AS holds
           FROM activities a
           LEFT JOIN chat_sessions s ON s.id = a.subject_id
           LEFT JOIN chat_messages w ON w.id = a.detail_id AND w.role = 'assistant'
           LEFT JOIN chat_messages q ON q.session_id = s.id AND q.role = 'user'
           LEFT JOIN agent_runs r ON r.id::text = a.detail->>'run_id'
           LEFT JOIN media_items m ON m.id = a.subject_id
           WHERE a.user_id = $1 AND a.detail->>'action' IN ('answered', 'uploaded', 'called', 'searched', 'effect_applied')
         )
         SELECT id FROM told WHERE
           ($2 = '' OR strpos(lower(concat_ws(E'\\x01', content, response, agent)), lower($2)) > 0)
           AND ($3 = 'all' OR kind = ANY(CASE $3 WHEN 'media' THEN '{upload,effect}' WHEN 'memory_search' THEN '{search}'
             ELSE ARRAY[$3] END::text[]))
           AND ($4 = 'all' OR holds = $4) AND ($5 = 'all' OR sentiment = $5)
           AND CASE $6 WHEN 'all' THEN true WHEN 'week' THEN created_at >= $8::timestamptz - interval '168 hours'
             WHEN 'today' THEN (created_at AT TIME ZONE $7)::date = ($8::timestamptz AT TIME ZONE $7)::date
             ELSE (created_at AT TIME ZONE $7)::date
               >= (($8::timestamptz AT TIME ZONE $7)::date - interval '1 month')::date END
           AND created_at >= coalesce($9::timestamptz, '-infinity') AND created_at < coalesce($10::timestamptz, 'infinity')
         ORDER BY created_at DESC, id DESC`,
        [
          ...[
            userId,
            filter.query ?? '',
            filter.type ?? 'all',
            filter.content_type ?? 'all',
            filter.sentiment ?? 'all',
          ],
          ...[filter.range ?? 'all', timeZone, now, filter.from ?? null, filter.to ?? null],
        ],
      )
      const found: string[] = []
      let cursor: string | undefined
      let total: number
      do {
        const asked = { ...plain, ...filter, limit: 100, cursor } as Parameters<typeof service.list>[1]
        const answer = await service.list({ userId, timeZone }, asked)
        found.push(...answer.entries.map(({ id }) => id))
        cursor = answer.next_cursor ?? undefined
        total = answer.total
      } while (cursor !== undefined)
      expect(found, `${JSON.stringify(filter)} in ${timeZone}`).toEqual(expected.map(({ id }) => id))
      expect(total).toBe(found.length)
      sizes[timeZone] = [...(sizes[timeZone] ?? []), found.length]
    }
  }
  // each filter lets something through and holds something back, but for what is nowhere; days differ by zone
  expect(sizes['America/New_York']?.filter((size) => size === 0 || size === 340)).toEqual([340, 0, 0, 0])
  expect(sizes['Asia/Kolkata']).not.toEqual(sizes['America/New_York'])
}, 60_000)

test('pages go on where the last one ended, also among entries of the same moment', async () => {
  const person = await mira.createUser(traits)
  const at = new Date('2026-05-01T10:00:00.123Z')
  await mira.context.database.prisma.activity.createMany({
    data: Array.from({ length: 7 }, (_, index) => ({
      ...{ userId: person.user.id, kind: 'search', createdAt: at },
      detail: { action: 'searched', query: `search ${index}`, results: 0 },
    })),
  })
  const seen: MemoryLogEntryJson[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: MemoryLogsAnswerJson = await read(person, `limit=3${cursor && `&cursor=${cursor}`}`)
    expect(page.total).toBe(7)
    seen.push(...page.entries)
    cursor = page.next_cursor
  }
  expect(seen).toHaveLength(7)
  expect(new Set(seen.map(({ id }) => id)).size).toBe(7)
})

test.each([
  'type=video',
  'content_type=chat',
  'sentiment=angry',
  'range=year',
  'from=yesterday',
  'limit=0',
  'limit=101',
  'cursor=abc',
  'cursor=WyJ4Il0',
])('%s is refused', async (query) => {
  const person = mira.admin
  const { body } = await mira.request
    .get(`/api/memory/logs?${query}`)
    .auth(person.token, { type: 'bearer' })
    .expect(422)
  expect(body.errors[0].path).toBe(query.split('=')[0])
})

test('an export is a CSV file that no spreadsheet takes for formulas, and holds what the filters let through', async () => {
  const person = await mira.createUser(traits)
  const { session, question, answer } = await liveADay(person)
  const { prisma } = mira.context.database
  await prisma.chatMessage.update({
    where: { id: question.id },
    data: { content: '=HYPERLINK("http://evil","x")\r\nsecond; line' },
  })
  const long = `+1, "quoted" größer — 日本 ${'x'.repeat(6000)}`
  await prisma.chatMessage.update({ where: { id: answer.id }, data: { content: long } })
  await prisma.activity.createMany({
    data: ['@SUM(A1)', '  -2+3', '\t=1', '＝1+1', 'a\nb', '-', ''].map((query, index) => ({
      ...{ userId: person.user.id, kind: 'search', createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)) },
      detail: { action: 'searched', query, results: 0 },
    })),
  })
  const response = await download(person).set('X-Time-Zone', 'Pacific/Kiritimati').expect(200)
  expect(response.headers['content-type']).toBe('text/csv; charset=utf-8')
  const days = [-60_000, 0].map((ago) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Kiritimati' }).format(Date.now() + ago),
  )
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

  const chats = await download(person, 'type=chat&range=today').expect(200)
  expect(parseCsv(chats.body.slice(1))).toHaveLength(2)
  expect((await read(person, 'type=chat')).entries[0]?.response).toHaveLength(4000)
  expect(session.id).toBeTruthy()
})

test('what is deleted leaves no text in the logs', async () => {
  const person = await mira.createUser(traits)
  const { session, item, run } = await liveADay(person)
  const { token } = person
  await mira.request.delete(`/api/chat/sessions/${session.id}`).auth(token, { type: 'bearer' }).expect(204)
  await mira.request.delete(`/api/media/${item.id}`).auth(token, { type: 'bearer' }).expect(204)
  await mira.context.database.prisma.agentRun.delete({ where: { id: run.id } })
  const { entries } = await read(person)
  expect(entries).toHaveLength(4)
  expect(entries.slice(1)).toMatchObject([
    { type: 'media', content: null, response: null, captions: null, content_type: null, link: null },
    { type: 'agent', content: null, response: null },
    { type: 'chat', content: null, response: null, session_id: null, tokens: 42, link: null },
  ])
  const { rows } = await mira.context.database.pool.query('SELECT detail FROM activities WHERE user_id = $1', [
    person.user.id,
  ])
  const kept = JSON.stringify([entries, rows, (await download(person).expect(200)).body])
  for (const word of ['harbour', 'lighthouse', 'ships', '15%', 'PORT', 'morning']) {
    expect(kept.toLowerCase()).not.toContain(word.toLowerCase())
  }
})

test('who keeps their use out of analytics finds it in their own logs all the same', async () => {
  const person = await mira.createUser(traits)
  const auth = <Call extends { auth(token: string, options: { type: 'bearer' }): Call }>(call: Call) =>
    call.auth(person.token, { type: 'bearer' })
  await auth(mira.request.post('/api/agents/CalculatorAgent/run'))
    .set('X-Analytics', 'off')
    .send({ input: '6 * 7' })
    .expect(200)
  await auth(mira.request.get('/api/media/search?query=quiet')).set('X-Analytics', 'off').expect(200)
  const { entries, stats } = await read(person)
  expect(entries.map(({ type, content }) => [type, content])).toEqual([
    ['memory_search', 'quiet'],
    ['agent', '6 * 7'],
  ])
  expect(stats.total_interactions).toBe(2)
  const { body } = await auth(mira.request.get('/api/agents/analytics')).expect(200)
  expect(body.totals.calls).toBe(0)
}, 30_000)

/** RFC 4180, written for the test alone. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  const row: string[] = []
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const match = cell.exec(text)
    if (match === null) throw new Error(`No cell begins at ${at}: ${text.slice(at, at + 60)}`)
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] !== ',') rows.push(row.splice(0))
  }
  return rows
}
