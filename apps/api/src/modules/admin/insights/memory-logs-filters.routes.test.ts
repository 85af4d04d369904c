import type { MemoryLogEntryJson, MemoryLogsResponseJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAgentRun, insertChatSession, insertMediaItem } from '../../../../test/factories.ts'
import { readMemoryLogs } from '../../../../test/memory-logs-client.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'
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

test('every filter, alone and combined, gives the same entries as independent SQL, in two time zones', async () => {
  const { database } = mira.context
  const account = await mira.createUser(traits)
  const userId = account.user.id
  const now = new Date('2026-03-09T03:30:00Z')
  const sentiments = ['positive', 'neutral', 'negative']
  const conversations: Awaited<ReturnType<typeof insertChatSession>>[] = []
  for (const sentiment of sentiments) {
    const chat = await insertChatSession(database, userId, sentiment)
    await database.prisma.chatSession.update({ where: { id: chat.session.id }, data: { sentiment } })
    conversations.push(chat)
  }
  const items = await Promise.all(
    ['image', 'video', 'audio', 'document'].map((mediaType) =>
      insertMediaItem(database, userId, { mediaType, originalFilename: `100%_Lighthouse.${mediaType}` }),
    ),
  )
  const runs = [await insertAgentRun(database, userId), await insertAgentRun(database, userId, 'Tower of 3')]
  const entryMakers: ((index: number) => {
    kind: string
    subject?: string | undefined
    detailId?: string | undefined
    detail: object
  })[] = [
    (index) => ({
      ...{ kind: 'chat', subject: conversations[index % 3]!.session.id, detailId: conversations[index % 3]!.answer.id },
      detail: { action: 'answered' },
    }),
    (index) => ({ kind: 'upload', subject: items[index % 4]!.id, detail: { action: 'uploaded', title: 'x' } }),
    (index) => ({
      ...{ kind: 'agent', subject: runs[index % 2]!.id },
      detail: { action: 'called', agent: index % 2 ? 'WeatherAgent' : 'CalculatorAgent', run_id: runs[index % 2]!.id },
    }),
    (index) => ({
      kind: 'search',
      detail: { action: 'searched', query: index % 2 ? 'LIGHT' : 'towers', results: index },
    }),
    () => ({ kind: 'effect', detail: { action: 'effect_applied', title: 'lighthouse.png', effect: 'oil_paint' } }),
    () => ({ kind: 'search', subject: items[0]!.id, detail: { action: 'opened' } }),
    () => ({ kind: 'account', detail: { action: 'signed_in' } }),
  ]
  // every 151 minutes of 50 days: over local midnights, the change of the clocks of 8 March, and a month
  const rows = Array.from({ length: 476 }, (_, index) => {
    const { kind, subject, detailId, detail } = entryMakers[index % entryMakers.length]!(
      Math.floor(index / entryMakers.length),
    )
    return { kind, subject, detail_id: detailId, detail, created_at: new Date(now.getTime() - index * 151 * 60_000) }
  })
  await database.pool.query(
    `INSERT INTO activities (id, user_id, kind, subject_id, detail_id, detail, created_at)
     SELECT gen_random_uuid(), $1, kind, subject, detail_id, detail, created_at
     FROM jsonb_to_recordset($2::jsonb) AS r (kind text, subject uuid, detail_id uuid, detail jsonb, created_at timestamptz)`,
    [userId, JSON.stringify(rows)],
  )
  const service = createMemoryLogsService({
    store: createMemoryLogsStore(database),
    storage: { usedBytes: async () => 0 },
    now: () => now,
  })

  const noFilters = { query: '', type: 'all', content_type: 'all', sentiment: 'all', range: 'all' } as const
  const filters: Partial<Record<keyof typeof noFilters | 'from' | 'to', string>>[] = [
    {},
    ...['chat', 'media', 'memory_search', 'agent'].map((type) => ({ type })),
    ...['conversation', 'image', 'video', 'document', 'search', 'calculation'].map((content_type) => ({
      content_type,
    })),
    ...sentiments.map((sentiment) => ({ sentiment })),
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
      const ids: string[] = []
      let cursor: string | undefined
      let total: number
      do {
        const query = { ...noFilters, ...filter, limit: 100, cursor } as Parameters<typeof service.list>[1]
        const page = await service.list({ userId, timeZone, mayKnowSetup: false }, query)
        ids.push(...page.entries.map(({ id }) => id))
        cursor = page.next_cursor ?? undefined
        total = page.total
      } while (cursor !== undefined)
      expect(ids, `${JSON.stringify(filter)} in ${timeZone}`).toEqual(expected.map(({ id }) => id))
      expect(total).toBe(ids.length)
      sizes[timeZone] = [...(sizes[timeZone] ?? []), ids.length]
    }
  }
  // each filter includes some entries and excludes some, except those without matches; days differ by zone
  expect(sizes['America/New_York']?.filter((size) => size === 0 || size === 340)).toEqual([340, 0, 0, 0])
  expect(sizes['Asia/Kolkata']).not.toEqual(sizes['America/New_York'])
}, 60_000)

test('pages continue where the last one ended, even among entries with the same time', async () => {
  const account = await mira.createUser(traits)
  const at = new Date('2026-05-01T10:00:00.123Z')
  await mira.context.database.prisma.activity.createMany({
    data: Array.from({ length: 7 }, (_, index) => ({
      ...{ userId: account.user.id, kind: 'search', createdAt: at },
      detail: { action: 'searched', query: `search ${index}`, results: 0 },
    })),
  })
  const entries: MemoryLogEntryJson[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: MemoryLogsResponseJson = await readMemoryLogs(mira, account, `limit=3${cursor && `&cursor=${cursor}`}`)
    expect(page.total).toBe(7)
    entries.push(...page.entries)
    cursor = page.next_cursor
  }
  expect(entries).toHaveLength(7)
  expect(new Set(entries.map(({ id }) => id)).size).toBe(7)
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
])('refuses %s', async (query) => {
  const account = mira.admin
  const { body } = await mira.request
    .get(`/api/memory/logs?${query}`)
    .auth(account.token, { type: 'bearer' })
    .expect(422)
  expect(body.errors[0].path).toBe(query.split('=')[0])
})
