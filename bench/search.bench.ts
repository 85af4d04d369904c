// Cost of a search compared with bare SQL that finds the same, and recall of the vector index.
//   node bench/search.bench.ts [--sizes 10000,100000] [--long] [--rounds 5] [--only embedded|server] [--no-write]
// Runs on the embedded database, and on a server too when TEST_DATABASE_URL names one (scripts/postgres-for-tests.sh). One user has the
// moments (about 40 words each, 20 to an item, vectors of 384 numbers), another one a quarter as many. A search is the whole service,
// including the record of the activity. Bare SQL finds the same by hand: `websearch_to_tsquery` with `ts_rank` and the 20 nearest vectors,
// at the same time, then the items; for misspelled words `word_similarity` too. The vector of the query is available immediately. --long
// adds a million moments on the server, of one user with 200,000 and of 160 with 5,000, measured before with only two of these. Bare SQL of
// the large user finds the nearest vectors through the same index.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '../apps/api/src/log.ts'
import { buildMemory } from '../apps/api/src/modules/search/index.ts'
import { createWordIndexStore } from '../apps/api/src/modules/search/indexing/words.store.ts'
import { type Database, openDatabase } from '../apps/api/src/platform/database/client.ts'
import { newId } from '../apps/api/src/platform/database/new-id.ts'
import { createVectors } from '../apps/api/src/platform/database/vector.ts'
import { createServerDatabase, silentLog } from '../apps/api/test/database-template.ts'
import { DIMENSIONS, near, random, randomCentre, wordAt } from './support/made-texts.ts'
import { compared, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'

const MOMENTS_PER_ITEM = 20
const BATCH = 1000
const QUERIES_PER_KIND = 10
const RESULTS = 20
const METRICS = ['bare SQL, median (ms)', 'search, median (ms)', 'search, p95 (ms)']
/** Moments of the users of --long. */
const [LARGE, SMALL, SMALL_USERS] = [200_000, 5000, 160]

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000' },
    long: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    'no-write': { type: 'boolean', default: false },
  },
})

await bench()

async function bench(): Promise<void> {
  const machine = describeMachine()
  const sizes = flags.sizes.split(',').map(Number)
  const tables: FigureTable[] = []
  if (flags.only !== 'server') {
    const dataDir = mkdtempSync(join(tmpdir(), 'mira-bench-search-'))
    const database = await openDatabase({ dataDir, log: silentLog })
    try {
      tables.push(...(await measure('embedded', database, sizes)))
    } finally {
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl && flags.only !== 'embedded') {
    tables.push(...(await onServer(serverUrl, (database) => measure('PostgreSQL', database, sizes))))
    if (flags.long) tables.push(...(await onServer(serverUrl, measureMany)))
  }
  report('Search', machine, tables, flags['no-write'])
}

/** Runs `work` with a temporary database on a server. */
async function onServer<Result>(serverUrl: string, work: (database: Database) => Promise<Result>): Promise<Result> {
  const { databaseUrl, drop } = await createServerDatabase(serverUrl)
  const database = await openDatabase({ databaseUrl, dataDir: 'memory://', log: silentLog })
  try {
    return await work(database)
  } finally {
    await database.close()
    await drop()
  }
}

interface User {
  id: string
  count: number
}

async function measure(name: string, database: Database, sizes: number[]): Promise<FigureTable[]> {
  const [user, other] = [await addUser(database), await addUser(database)]
  const profileId = await addProfile(database)
  const tables: FigureTable[] = []
  for (const size of sizes) {
    const startedAt = performance.now()
    await fill(database, user, size, profileId)
    await fill(database, other, Math.floor(size / 4), profileId)
    await tidy(database)
    console.info(`${name}: ${size} moments after ${Math.round((performance.now() - startedAt) / 1000)} s`)
    const setup = `${name}, ${size.toLocaleString('en')} moments`
    tables.push({ setup, metrics: METRICS, rows: await compare(database, user, profileId) })
    if (database.engine === 'server') tables.push(await measureIndex(`${setup}, nearest 20`, database, user, profileId))
  }
  return tables
}

/** Searches of a small and a large user among many. */
async function measureMany(database: Database): Promise<FigureTable[]> {
  const profileId = await addProfile(database)
  const [small, ...others] = [await addUser(database), await addUser(database)]
  for (const one of [small, ...others]) await fill(database, one, SMALL, profileId)
  await tidy(database)
  const alone = await compare(database, small, profileId)
  const large = await addUser(database)
  const startedAt = performance.now()
  const passed = () => Math.round((performance.now() - startedAt) / 1000)
  await fill(database, large, LARGE, profileId)
  while (others.length < SMALL_USERS - 1) {
    const one = await addUser(database)
    others.push(one)
    await fill(database, one, SMALL, profileId)
    if (others.length % 20 === 0) console.info(`${LARGE + (others.length + 1) * SMALL} moments after ${passed()} s`)
  }
  await tidy(database)
  console.info(`tidied after ${passed()} s`)
  await createWordIndexStore(database).buildIndexByUser()
  console.info(`words are indexed by user after ${passed()} s`)
  const byIndex = await measureIndex('A million moments, nearest 20 of 200,000', database, large, profileId, true)
  console.info(`its index is built after ${passed()} s`)
  return [
    { setup: 'PostgreSQL, two users of 5,000 moments', metrics: METRICS, rows: alone },
    {
      setup: 'A million moments, a user of 5,000',
      metrics: METRICS,
      rows: await compare(database, small, profileId),
    },
    {
      setup: 'A million moments, a user of 200,000',
      metrics: METRICS,
      rows: await compare(database, large, profileId, true),
    },
    byIndex,
  ]
}

/** Runs the maintenance that the database does automatically when idle. */
async function tidy({ pool }: Database): Promise<void> {
  await pool.query('VACUUM ANALYZE moments')
  await pool.query('ANALYZE moment_embeddings')
}

async function addUser({ pool }: Database): Promise<User> {
  const id = newId()
  const name = `bench-${randomUUID().slice(0, 8)}`
  await pool.query(
    `INSERT INTO users (id, username, email, password_hash, updated_at) VALUES ($1, $2, $3, '', now())`,
    [id, name, `${name}@example.org`],
  )
  return { id, count: 0 }
}

async function addProfile({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO embedding_profiles (kind, engine, model, dimensions, state)
     VALUES ('text', 'remote', 'bench', ${DIMENSIONS}, 'active') RETURNING id`,
  )
  return rows[0]?.id ?? 0
}

async function fill({ pool }: Database, user: User, size: number, profileId: number): Promise<void> {
  while (user.count < size) {
    const count = Math.min(BATCH, size - user.count)
    const items = Array.from({ length: Math.ceil(count / MOMENTS_PER_ITEM) }, newId)
    await pool.query(
      `INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes)
       SELECT id, $1, 'video', encode(sha256(id::text::bytea), 'hex'), id::text, 'film.mp4', 'video/mp4', 1 FROM unnest($2::uuid[]) AS given (id)`,
      [user.id, items],
    )
    const ids = Array.from({ length: count }, newId)
    const bodies = ids.map(() =>
      Array.from({ length: 20 + Math.floor(random() * 40) }, () => wordAt(random())).join(' '),
    )
    await pool.query(
      `INSERT INTO moments (id, media_item_id, user_id, kind, position, start_seconds, end_seconds, body, lang, engine)
       SELECT id, item, $1, 'speech', at, at, at, body, 'english', 'remote'
       FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::text[]) AS given (id, item, at, body)`,
      [
        user.id,
        ids,
        ids.map((_, index) => items[Math.floor(index / MOMENTS_PER_ITEM)]),
        ids.map((_, index) => index % MOMENTS_PER_ITEM),
        bodies,
      ],
    )
    await pool.query(
      `INSERT INTO moment_embeddings (moment_id, profile_id, user_id, embedding)
       SELECT id, $1, $2, vector::vector FROM unnest($3::uuid[], $4::text[]) AS given (id, vector)`,
      [profileId, user.id, ids, ids.map(() => JSON.stringify(near(randomCentre())))],
    )
    user.count += count
  }
}

type Kind = 'one word' | 'three words' | 'common word' | 'phrase' | 'misspelled' | 'nonsense'

function makeQueries(): { kind: Kind; text: string; bare: string }[] {
  const between = (from: number, to: number) => wordAt(from + random() * (to - from))
  const misspell = (word: string) => `${word.slice(0, 3)}${word[4] ?? ''}${word[3] ?? ''}${word.slice(5)}`
  const makers: Record<Kind, () => string> = {
    'one word': () => between(0.7, 0.9),
    'three words': () => `${between(0.5, 0.7)} ${between(0.5, 0.8)} ${between(0.6, 0.9)}`,
    'common word': () => between(0.05, 0.3),
    phrase: () => `"${between(0.3, 0.5)} ${between(0.3, 0.5)}"`,
    misspelled: () => misspell(between(0.9, 1)),
    nonsense: () => `qwx${Math.floor(random() * 1e6)} blorfz`,
  }
  return (Object.keys(makers) as Kind[]).flatMap((kind) =>
    Array.from({ length: QUERIES_PER_KIND }, () => {
      const text = makers[kind]()
      return { kind, text, bare: text }
    }),
  )
}

function enqueueNothing(): Promise<never> {
  return Promise.reject(new Error('Nothing is enqueued here.'))
}

async function compare(
  database: Database,
  user: User,
  profileId: number,
  isIndexed = false,
): Promise<FigureTable['rows']> {
  const vectors = new Map<string, number[]>()
  const vectorOf = (text: string) => {
    const vector = vectors.get(text) ?? near(randomCentre())
    vectors.set(text, vector)
    return vector
  }
  const embedder = {
    engine: 'remote' as const,
    model: () => 'bench',
    embed: async (texts: string[]) => ({ vectors: texts.map(vectorOf), model: 'bench', dimensions: DIMENSIONS }),
  }
  const { memory } = buildMemory({
    log: createLog('silent'),
    database,
    ai: {
      embedding: () => embedder,
      imageEmbedding: () => null,
      formerEmbedder: () => null,
      formerImageEmbedder: () => null,
      reasonOff: () => null,
      reranking: () => null,
    },
    queue: { counts: enqueueNothing, enqueue: enqueueNothing },
    signedPaths: { sign: (_user, path) => path },
    events: { publish: () => {} },
  })
  const searcher = { userId: user.id, timeZone: 'UTC', language: 'en' as const, countsInAnalytics: true }
  const search = (query: string) => memory.search(searcher, { query, limit: RESULTS, include_frames: true })
  const bare = (query: string, kind: Kind) =>
    bareSql(database, user, profileId, query, kind, vectorOf(query), isIndexed)

  const queries = makeQueries()
  for (const { text, kind } of queries) {
    await bare(text, kind)
    await search(text)
  }
  const times = new Map<Kind, { bare: number[]; search: number[]; found: number }>()
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const { kind, text } of queries) {
      const entry = times.get(kind) ?? { bare: [], search: [], found: 0 }
      times.set(kind, entry)
      entry.bare.push(await timed(() => bare(text, kind)))
      entry.search.push(await timed(() => search(text)))
    }
  }
  return [...times, ['all', joined([...times.values()])] as const].map(([kind, { bare: one, search: whole }]) => {
    const [bareTimes, searchTimes] = [percentiles(one), percentiles(whole)]
    return [
      kind,
      bareTimes.median,
      { value: searchTimes.median, comparison: compared(searchTimes.median, bareTimes.median, 'bare') },
      { value: searchTimes.p95, comparison: `bare ${bareTimes.p95.toFixed(1)}` },
    ]
  })
}

function joined(all: { bare: number[]; search: number[] }[]) {
  return { bare: all.flatMap(({ bare }) => bare), search: all.flatMap(({ search }) => search) }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function bareSql(
  { pool }: Database,
  user: User,
  profileId: number,
  query: string,
  kind: Kind,
  vector: number[],
  isIndexed: boolean,
): Promise<void> {
  const [words, nearest] = await Promise.all([
    pool.query<{ id: string }>(
      `SELECT m.id FROM moments m, websearch_to_tsquery('english', $2) query
       WHERE m.user_id = $1 AND m.tsv @@ query ORDER BY ts_rank(m.tsv, query) DESC LIMIT ${RESULTS}`,
      [user.id, query],
    ),
    isIndexed ? nearestByIndex(pool, user, profileId, vector) : nearestOfAll(pool, user, profileId, vector),
  ])
  if (kind === 'misspelled' && words.rows.length === 0) {
    await pool.query(
      `SELECT id FROM moments WHERE user_id = $1 AND $2 <% body ORDER BY word_similarity($2, body) DESC LIMIT ${RESULTS}`,
      [user.id, query],
    )
  }
  await pool.query(
    `SELECT m.id, m.body, i.* FROM moments m JOIN media_items i ON i.id = m.media_item_id WHERE m.id = ANY($1::uuid[])`,
    [[...words.rows, ...nearest.rows].map(({ id }) => id)],
  )
}

function nearestOfAll(pool: Database['pool'], user: User, profileId: number, vector: number[]) {
  return pool.query<{ id: string }>(
    `SELECT moment_id AS id FROM moment_embeddings WHERE user_id = $1 AND profile_id = $2
     ORDER BY embedding <=> $3::vector LIMIT ${RESULTS}`,
    [user.id, profileId, `[${vector.join(',')}]`],
  )
}

async function nearestByIndex(pool: Database['pool'], user: User, profileId: number, vector: number[]) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN; SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = 400')
    const nearest = await client.query<{ id: string }>(
      `SELECT moment_id AS id FROM moment_embeddings WHERE user_id = $1 AND profile_id = ${profileId}
       ORDER BY (embedding::vector(${DIMENSIONS})) <=> $2::vector(${DIMENSIONS}) LIMIT ${RESULTS}`,
      [user.id, `[${vector.join(',')}]`],
    )
    await client.query('COMMIT')
    return nearest
  } finally {
    // an error leaves a transaction open
    client.release(true)
  }
}

/** Recall of an index for the 20 nearest, and its time. */
async function measureIndex(
  setup: string,
  database: Database,
  user: User,
  profileId: number,
  isKept = false,
): Promise<FigureTable> {
  const profile = { id: profileId, dimensions: DIMENSIONS }
  const exact = createVectors(database, { log: silentLog, exactUpTo: Number.MAX_SAFE_INTEGER - 1 })
  const indexed = createVectors(database, { log: silentLog, exactUpTo: 1 })
  const startedAt = performance.now()
  await indexed.keepIndexed('moment', profile, user.id)
  const buildSeconds = (performance.now() - startedAt) / 1000
  const times = { exact: [] as number[], indexed: [] as number[] }
  let hits = 0
  const queryCount = 100
  for (let count = 0; count < queryCount; count++) {
    const search = { kind: 'moment', profile, userId: user.id, vector: near(randomCentre()), limit: RESULTS } as const
    let [all, some] = [[] as { id: string }[], [] as { id: string }[]]
    times.exact.push(await timed(async () => (all = await exact.nearest(search))))
    times.indexed.push(await timed(async () => (some = await indexed.nearest(search))))
    const found = new Set(some.map(({ id }) => id))
    hits += all.filter(({ id }) => found.has(id)).length
  }
  if (!isKept) await database.pool.query(`DROP INDEX moment_embeddings_profile_${profileId}_idx`)
  const [slow, fast] = [percentiles(times.exact), percentiles(times.indexed)]
  return {
    setup,
    metrics: ['median (ms)', 'p95 (ms)', `recall@${RESULTS}`, 'building it (s)'],
    rows: [
      ['exact', slow.median, slow.p95, null, null],
      ['through the index', fast.median, fast.p95, hits / queryCount / RESULTS, buildSeconds],
    ],
  }
}
