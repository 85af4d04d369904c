// Time to open the analytics of a quarter, and to compute the rollups that they are read from.
//   node bench/analytics.bench.ts [--rows 1000000] [--rounds 15] [--only embedded|server] [--no-write]
// Runs on the embedded database with a tenth of the rows, and on a server when TEST_DATABASE_URL names one
// (scripts/postgres-for-tests.sh).
// Activities of the quarter and the one before it come in bursts of 12 within twenty minutes, half of them questions of one conversation.
// Opening measures the whole service: applying changes, and reading and computing every figure.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildAnalytics } from '../apps/api/src/modules/admin/insights/index.ts'
import { type Database, openDatabase } from '../apps/api/src/platform/database/client.ts'
import { createServerDatabase, silentLog } from '../apps/api/test/database-template.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'

const DAYS = 182
const ROWS_PER_STATEMENT = 5000
/** Activities per burst, one every 100 seconds; its questions are one conversation. */
const BURST = 12

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string' },
    'no-write': { type: 'boolean', default: false },
  },
})

await bench()

async function bench(): Promise<void> {
  const machine = describeMachine()
  const rows = Number(flags.rows)
  const tables: FigureTable[] = []
  if (flags.only !== 'server') {
    const dataDir = mkdtempSync(join(tmpdir(), 'mira-bench-analytics-'))
    const database = await openDatabase({ dataDir, log: silentLog })
    tables.push(await measure('embedded', database, { rows: rows / 10, people: 20 }))
    await database.close()
    rmSync(dataDir, { recursive: true })
  }
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl && flags.only !== 'embedded') {
    const { databaseUrl, drop } = await createServerDatabase(serverUrl)
    const database = await openDatabase({ databaseUrl, dataDir: 'memory://', log: silentLog })
    tables.push(await measure('PostgreSQL', database, { rows, people: 200 }))
    await database.close()
    await drop()
  }
  report('Analytics', machine, tables, flags['no-write'])
}

async function measure(
  name: string,
  database: Database,
  { rows, people }: { rows: number; people: number },
): Promise<FigureTable> {
  await fill(database, rows, people)
  const { analytics, rollups } = buildAnalytics({ database, queue: { enqueue: async () => {} }, log: silentLog })
  const rollupsStartedAt = performance.now()
  await rollups.run()
  const addingUpSeconds = (performance.now() - rollupsStartedAt) / 1000
  await database.pool.query('ANALYZE')
  const { rows: counts } = await database.pool.query<{ id: string }>("SELECT id FROM users WHERE username = 'bench-1'")
  const id = counts[0]?.id ?? ''
  const caller = { id, isAdmin: true, timeZone: 'America/New_York' }
  const results: FigureTable['rows'] = []
  for (const [scope, userId] of [
    ['everybody', undefined],
    ['one person', id],
  ] as const) {
    for (const period of ['week', 'quarter'] as const) {
      const times: number[] = []
      await analytics.read({ caller, period, userId })
      for (let round = 0; round < Number(flags.rounds); round++) {
        const startedAt = performance.now()
        await analytics.read({ caller, period, userId })
        times.push(performance.now() - startedAt)
      }
      const { median, p95 } = percentiles(times)
      results.push([`${scope}, ${period}`, median, p95, null, null])
      console.info(name, scope, period, median.toFixed(0), p95.toFixed(0))
    }
  }
  const afterDeletion = await openAfterDeletion(
    database,
    id,
    () => analytics.read({ caller, period: 'quarter' }),
    rollups,
  )
  return {
    setup: `${name}, ${rows.toLocaleString('en')} activities of ${people} people`,
    metrics: ['median (ms)', 'p95 (ms)', 'most (ms)', 'time (s)'],
    rows: [...results, ...afterDeletion, ['adding everything up', null, null, null, addingUpSeconds]],
  }
}

/** Deletes half of a user's activities and repeatedly opens everybody's quarter while the rollups are updated. */
async function openAfterDeletion(
  { pool }: Database,
  userId: string,
  open: () => Promise<{ as_of: Date | null }>,
  rollups: { run(): Promise<void> },
): Promise<FigureTable['rows']> {
  await pool.query('DELETE FROM activities WHERE user_id = $1 AND hashtext(id::text) % 2 = 0', [userId])
  const deletedAt = performance.now()
  const working = rollups.run()
  const times: number[] = []
  for (let isCurrent = false; !isCurrent; ) {
    const startedAt = performance.now()
    isCurrent = (await open()).as_of === null
    times.push(performance.now() - startedAt)
  }
  const seconds = (performance.now() - deletedAt) / 1000
  await working
  const { median } = percentiles(times)
  return [
    ['quarter while a deletion is taken over', median, null, Math.max(...times), null],
    ['until a deletion is taken over', null, null, null, seconds],
  ]
}

/** Inserts the same activities in every run, except for their ids. */
async function fill({ pool }: Database, rows: number, people: number): Promise<void> {
  await pool.query(
    `INSERT INTO users (id, username, email, password_hash, created_at, updated_at)
     SELECT gen_random_uuid(), 'bench-' || n, 'bench-' || n || '@example.org', 'x', now() - interval '2 years', now()
     FROM generate_series(1, ${people}) AS n`,
  )
  await pool.query(
    'CREATE TABLE bench_people AS SELECT row_number() OVER (ORDER BY username)::int - 1 AS n, id FROM users',
  )
  // otherwise every inserted row would be recorded as a change
  await pool.query('ALTER TABLE activities DISABLE TRIGGER USER')
  for (let from = 0; from < rows; from += ROWS_PER_STATEMENT) {
    await pool.query(
      `INSERT INTO activities (id, user_id, kind, outcome, subject_id, duration_ms, first_token_ms, detail, created_at)
       SELECT gen_random_uuid(), p.id, kinds.kind,
         CASE WHEN a % 41 = 0 THEN 'failed' WHEN a % 67 = 0 THEN 'interrupted' ELSE 'completed' END,
         md5('burst ' || burst)::uuid,
         exp(4 + 5 * ((a::bigint * 7919) % 1000) / 1000.0)::int,
         CASE kinds.kind WHEN 'chat' THEN exp(3 + 3 * ((a::bigint * 104729) % 1000) / 1000.0)::int END,
         jsonb_build_object('action', 'answered', 'agent', 'CalculatorAgent'),
         date_trunc('day', now()) - interval '${DAYS} days' + interval '${DAYS} days' * (burst * ${BURST} / $2::float8)
           + interval '9 hours' * (((burst * 31) % 1000) / 1000.0) + (a % ${BURST}) * interval '100 seconds'
       FROM generate_series($1::int, $3::int - 1) AS a
       CROSS JOIN LATERAL (SELECT (a / ${BURST})::bigint AS burst) AS bursts
       JOIN bench_people p ON p.n = (burst * 13) % ${people}
       CROSS JOIN LATERAL (SELECT (ARRAY['chat', 'chat', 'chat', 'chat', 'chat', 'search', 'agent', 'agent', 'upload', 'effect'])
         [1 + (a::bigint * 17) % 10] AS kind) AS kinds`,
      [from, rows, Math.min(rows, from + ROWS_PER_STATEMENT)],
    )
  }
  await pool.query('ALTER TABLE activities ENABLE TRIGGER USER')
  await pool.query('ANALYZE')
}
