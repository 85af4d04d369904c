// A new user's first day: default settings (text recognition, captions and embeddings on), a model server that takes 20 ms for every
// answer, and real files of others.
//   node bench/new-user.bench.ts --data DIR --photos DIR [--database-url postgresql://…] [--only embedded|server]
//     [--records 10000] [--no-write]
// DIR of --data holds years of lives (*.json.gz, in any folder, read by support/retrieval-sets.ts), that of --photos JPEGs, or a
// folder `2mp` with them. Each instance gets a temporary database on the database server.
// It takes some ten minutes a database:
// - first start, three later ones, and the memory of all processes a minute after the last, without the statement counter;
// - 200 texts and 24 photos, and the memory a minute later;
// - records one by one up to 1,967, then up to --records, three sent at a time, until all are processed;
// - a search for each of 150 questions over either;
// - first tokens of new and running conversations with the memory of these records, alternating with the model server itself,
//   and 40 conversations of four people with 200 records each that begin evenly within 1.5 s;
// - photos with everything on, then without reading text; alternating with the minimum that any server does: hash, write, fsync,
//   and the same small pictures made by sharp, two at a time;
// - texts and searches of another new server without a model server.
// Statements and transactions are all that the server sends to its database meanwhile; processor time is that of its processes,
// the embedded database among them, but not of a PostgreSQL server.
import { fork } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createServerDatabase } from '../apps/api/test/database-template.ts'
import { type ProcessUnderTest, startProcess } from '../apps/api/test/server-process.ts'
import { measureBarePhotos } from './support/bare-photos.ts'
import {
  connectToModel,
  connectWithTokens,
  createUsers,
  PASSWORD,
  STREAMS_PER_USER,
  signInTo,
  type Target,
} from './support/chat-targets.ts'
import { connect, type FileToUpload, type Mira, mapConcurrently } from './support/mira-client.ts'
import { CHAT_MODEL, startMockModelServer } from './support/model-stand-in.ts'
import { measureFamily } from './support/resident-memory.ts'
import { type Cell, compared, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { readSet } from './support/retrieval-sets.ts'
import { readServerFigures } from './support/server-figures.ts'
import { startEnvironment } from './support/started-server.ts'

const BENCH = 'A new user'
const UPLOAD_CONCURRENCY = 3
const [LATENCY_MS, REST_MS, BURST_MS] = [20, 60_000, 1500]
const [FEW_RECORDS, RECORDS_ALONE] = [1967, 1000]
const [FIRST_TEXTS, FIRST_PHOTOS, WARM_UP] = [200, 24, 20]
const [QUESTIONS, CHATS, BURST, BURSTS, PHOTO_ROUNDS, STARTS] = [150, 60, 40, 3, 2, 3]
/** Logs the progress of an unattended run. */
const logProgress = (...values: unknown[]) => console.info(new Date().toISOString().slice(11, 19), ...values)
const ALL_ON = 'reading, captions and embeddings on'
const NO_MODEL = 'reading on, no model server'

const { values: flags } = parseArgs({
  options: {
    role: { type: 'string' },
    data: { type: 'string' },
    photos: { type: 'string' },
    'database-url': { type: 'string' },
    only: { type: 'string' },
    records: { type: 'string', default: '10000' },
    'no-write': { type: 'boolean', default: false },
  },
})
const MANY_RECORDS = Number(flags.records)

/** Runs the model server in a separate process. */
async function serveModel(): Promise<void> {
  const { baseUrl, server } = await startMockModelServer('bag-of-words', undefined, LATENCY_MS)
  // recorded requests would pile up during the run
  setInterval(() => server.requests.splice(0), 1000)
  process.send?.(baseUrl)
}

function photoFiles(): string[] {
  if (flags.photos === undefined) throw new Error('Which photos? --photos /folder/of/jpegs')
  const smaller = join(flags.photos, '2mp')
  const folder = existsSync(smaller) ? smaller : flags.photos
  const names = readdirSync(folder).filter((name) => /\.jpe?g$/i.test(name))
  if (names.length === 0) throw new Error(`There is no JPEG in ${folder}.`)
  return names.toSorted().map((name) => join(folder, name))
}

/** Distinct texts of records, as many as needed, and questions about them. */
function readLives(): { texts: string[]; questions: string[] } {
  if (flags.data === undefined) throw new Error('Which texts? --data /folder/of/lives')
  const names = readdirSync(flags.data, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json.gz'),
  )
  const lives = names.toSorted().map((name) => readSet(join(flags.data ?? '', name), null))
  const texts = [...new Set(lives.flatMap(({ things }) => things.map(({ pages }) => pages.join('\n'))))]
  const questions = (lives[0]?.questions ?? []).map(({ text }) => text)
  const isEnough = texts.length >= MANY_RECORDS && questions.length >= QUESTIONS
  if (!isEnough) throw new Error(`${texts.length} records and ${questions.length} questions are too few.`)
  return { texts: texts.slice(0, MANY_RECORDS), questions }
}

async function bench(): Promise<void> {
  const machine = describeMachine()
  const inputs = { ...readLives(), photos: photoFiles() }
  const model = fork(import.meta.filename, ['--role', 'model-server'])
  const modelUrl = await new Promise<string>((resolve) => model.once('message', (url) => resolve(String(url))))
  const serverUrl = flags['database-url']
  try {
    if (flags.only !== 'server') report(BENCH, machine, await measure('embedded', inputs, modelUrl), flags['no-write'])
    if (flags.only === 'embedded' || serverUrl === undefined) return
    report(BENCH, machine, await measure('PostgreSQL', inputs, modelUrl, serverUrl), flags['no-write'])
  } finally {
    model.kill()
  }
}

interface Inputs {
  texts: string[]
  questions: string[]
  photos: string[]
}

async function measure(name: string, inputs: Inputs, modelUrl: string, serverUrl?: string): Promise<FigureTable[]> {
  const engines = { OPENAI_BASE_URL: modelUrl, CHAT_MODEL, EMBEDDING_MODEL: 'test-embedding' }
  const withEngines = await withInstance(engines, serverUrl, (start) => measureNewUser(start, inputs, modelUrl))
  const alone = await withInstance({}, serverUrl, (start) => measureAlone(start, inputs))
  return [...withEngines, ...alone].map((table) => ({ ...table, setup: `${name}, ${table.setup}` }))
}

interface Running {
  server: ProcessUnderTest
  mira: Mira
  url: string
  startMs: number
  /** Processor time of all its processes until it was ready. */
  startProcessorMs: number
  figuresFile: string
}
/** `isBare` leaves out the statement counter, which takes time and memory in each process and thread. */
type Start = (options?: { isBare: boolean }) => Promise<Running>

/** Runs `work` with a temporary data folder and, with `serverUrl`, a temporary database. */
async function withInstance<Result>(
  engines: Record<string, string>,
  serverUrl: string | undefined,
  work: (start: Start) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'mira-new-user-'))
  const database = serverUrl === undefined ? null : await createServerDatabase(serverUrl)
  const started: ProcessUnderTest[] = []
  const figuresFile = join(folder, 'figures.json')
  const start: Start = async ({ isBare } = { isBare: false }) => {
    await end(started.pop())
    const startedAt = performance.now()
    const server = startProcess('server.ts', {
      DATA_DIR: join(folder, 'data'),
      ADMIN_PASSWORD: PASSWORD,
      LOG_LEVEL: 'error',
      ...(database && { DATABASE_URL: database.databaseUrl }),
      ...engines,
      ...startEnvironment,
      ...(!isBare && {
        NODE_OPTIONS: `${startEnvironment.NODE_OPTIONS} --import ${new URL('./support/server-figures.ts', import.meta.url).href}`,
        SERVER_FIGURES_FILE: figuresFile,
      }),
    })
    started.push(server)
    const url = await server.ready
    const startMs = performance.now() - startedAt
    const startProcessorMs = measureFamily(server.pid).processorSeconds * 1000
    logProgress('started after', startMs, 'of processor time', startProcessorMs)
    return { server, url, startMs, startProcessorMs, figuresFile, mira: await connect(url) }
  }
  try {
    return await work(start)
  } finally {
    await end(started.pop())
    await database?.drop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function end(server: ProcessUnderTest | undefined): Promise<void> {
  server?.kill('SIGTERM')
  await server?.exited
}

async function measureNewUser(start: Start, inputs: Inputs, modelUrl: string) {
  const { texts, questions, photos } = inputs
  const first = await start({ isBare: true })
  const later: Running[] = []
  while (later.length < STARTS) later.push(await start({ isBare: true }))
  await sleep(REST_MS)
  const atRest = measureFamily((later.at(-1) ?? first).server.pid).megabytes
  const running = await start()
  const { server, mira } = running
  const firstFiles = [...texts.slice(0, FIRST_TEXTS).map(asText), ...(await readPhotos(photos.slice(0, FIRST_PHOTOS)))]
  await ingest(running, firstFiles)
  await sleep(REST_MS)
  const afterWork = measureFamily(server.pid).megabytes
  const taken: FigureTable['rows'] = []
  const searched: FigureTable['rows'] = []
  const chats: FigureTable[] = []
  for (const [from, to] of [
    [FIRST_TEXTS, FEW_RECORDS],
    [FEW_RECORDS, MANY_RECORDS],
  ] as const) {
    taken.push([
      from === FIRST_TEXTS ? 'small texts' : `small texts beyond ${from}`,
      ...perFile(await ingest(running, texts.slice(from, to).map(asText))),
    ])
    searched.push(await measureSearches(mira, questions, `${to.toLocaleString('en')} records`))
    if (to === FEW_RECORDS) chats.push(await measureChats(running, inputs, modelUrl))
  }
  taken.push(...(await measurePhotos(running, photos)))
  const megabytes = (value: number) => ({ value, unit: 'MB' })
  const milliseconds = (value: number) => ({ value, unit: 'ms' })
  const whole: FigureTable['rows'] = [
    ['first start', milliseconds(first.startMs)],
    ['later start', milliseconds(percentiles(later.map(({ startMs }) => startMs)).median)],
    [
      'later start, processor time',
      milliseconds(percentiles(later.map(({ startProcessorMs }) => startProcessorMs)).median),
    ],
    ['memory of all processes at rest', megabytes(atRest)],
    ['memory of all processes after work', { ...megabytes(afterWork), note: 'a minute after 200 texts and 24 photos' }],
  ]
  return [
    { setup: ALL_ON, metrics: ['value'], rows: whole },
    { setup: `${ALL_ON}, files`, metrics: INGESTION, rows: taken },
    { setup: `${ALL_ON}, searches`, metrics: SEARCHES, rows: searched },
    ...chats,
  ]
}

async function measureAlone(start: Start, { texts, questions }: Inputs): Promise<FigureTable[]> {
  const running = await start()
  await ingest(running, texts.slice(0, WARM_UP).map(asText))
  const taken = perFile(await ingest(running, texts.slice(WARM_UP, RECORDS_ALONE).map(asText)))
  await ingest(running, texts.slice(RECORDS_ALONE, FEW_RECORDS).map(asText))
  const searched = await measureSearches(running.mira, questions, `${FEW_RECORDS.toLocaleString('en')} records`)
  return [
    { setup: `${NO_MODEL}, files`, metrics: INGESTION, rows: [['small texts', ...taken]] },
    { setup: `${NO_MODEL}, searches`, metrics: SEARCHES, rows: [searched] },
  ]
}

const asText = (text: string, index: number): FileToUpload => ({
  filename: `record-${index}.txt`,
  type: 'text/plain',
  content: Buffer.from(text),
})

/** Makes each photo unique: duplicates wouldn't be processed again. */
const readPhotos = (filenames: string[]): Promise<FileToUpload[]> =>
  Promise.all(
    filenames.map(async (filename) => ({
      filename: 'photo.jpg',
      type: 'image/jpeg',
      content: Buffer.concat([await readFile(filename), Buffer.from(crypto.randomUUID())]),
    })),
  )

const INGESTION = ['files (per s)', 'statements (each)', 'transactions (each)', 'CPU (ms each)', 'alone (per s)']

interface Ingestion {
  perSecond: number
  statements: number
  transactions: number
  processorMs: number
}

/** Uploads files and waits until all are processed. */
async function ingest({ server, mira, figuresFile }: Running, files: FileToUpload[], fields = {}): Promise<Ingestion> {
  await readServerFigures(server.pid, figuresFile)
  const before = measureFamily(server.pid).processorSeconds
  const startedAt = performance.now()
  await mapConcurrently(files, UPLOAD_CONCURRENCY, (file) => mira.upload(file, fields))
  const failed = await mira.waitUntilProcessed()
  const seconds = (performance.now() - startedAt) / 1000
  if (failed > 0) throw new Error(`${failed} files failed`)
  const processorMs = (measureFamily(server.pid).processorSeconds - before) * 1000
  const { statements, transactions } = await readServerFigures(server.pid, figuresFile)
  const each = (all: number) => all / files.length
  const taken = {
    perSecond: files.length / seconds,
    statements: each(statements),
    transactions: each(transactions),
    processorMs: each(processorMs),
  }
  logProgress(`${files.length} files like ${files[0]?.filename}`, fields, taken)
  return taken
}

const perFile = ({ perSecond, statements, transactions, processorMs }: Ingestion) =>
  [perSecond, statements, transactions, processorMs] as const

const SEARCHES = ['median (ms)', 'p95 (ms)']

async function measureSearches(mira: Mira, questions: string[], name: string): Promise<FigureTable['rows'][number]> {
  for (const question of questions.slice(-WARM_UP)) await mira.search(question)
  const times: number[] = []
  for (const question of questions.slice(0, QUESTIONS)) times.push((await mira.search(question)).ms)
  const { median, p95 } = percentiles(times)
  logProgress('searches over', name, median, p95)
  return [name, median, p95]
}

/** Times to first token, alternating between the server and the model server itself. */
async function measureChats(running: Running, { texts, questions }: Inputs, modelUrl: string): Promise<FigureTable> {
  const { url } = running
  const direct = connectToModel(modelUrl)
  const mira = connectWithTokens(url, [await signInTo(url, 'admin')])
  const questionAt = (index: number) => questions[index % questions.length] ?? ''
  const measureKind = async (name: string, isNew: boolean): Promise<FigureTable['rows'][number]> => {
    const [through, alone]: [number[], number[]] = [[], []]
    for (let round = -WARM_UP; round < CHATS; round++) {
      const content = questionAt(round + WARM_UP)
      const own = (await mira.ask(0, content, { isNew })).firstTokenMs
      const bare = (await direct.ask(0, content)).firstTokenMs
      if (round < 0) continue
      through.push(own)
      alone.push(bare)
    }
    logProgress(name, percentiles(through), 'directly', percentiles(alone))
    return [name, ...added(through, alone)]
  }
  const burst = async (target: Target, round: number) => {
    const conversations = Array.from({ length: BURST }, async (_, index) => {
      await sleep((index * BURST_MS) / BURST)
      return (await target.ask(index, questionAt(round * BURST + index), { isNew: true })).firstTokenMs
    })
    return Promise.all(conversations)
  }
  const rows = [await measureKind('a new conversation', true), await measureKind('a running conversation', false)]
  const [through, alone]: [number[], number[]] = [[], []]
  const crowd = connectWithTokens(url, await createCrowd(running, texts))
  for (let round = 0; round < BURSTS; round++) {
    through.push(...(await burst(crowd, round)))
    alone.push(...(await burst(direct, round)))
  }
  rows.push([`${BURST} new conversations within ${BURST_MS / 1000} s`, ...added(through, alone)])
  const metrics = ['first token, median (ms)', 'p95 (ms)', 'added, median (ms)', 'added, p95 (ms)']
  return { setup: `${ALL_ON}, ${FEW_RECORDS.toLocaleString('en')} records in memory`, metrics, rows }
}

/** Creates users with their own records, as one user can't get so many answers at once. @returns their tokens. */
async function createCrowd({ url }: Running, texts: string[]): Promise<string[]> {
  const names = Array.from({ length: BURST / STREAMS_PER_USER }, (_, index) => `person${index}`)
  const tokens = await createUsers(url, names)
  for (const [index, name] of names.entries()) {
    const mira = await connect(url, name)
    const own = texts.slice(index * FIRST_TEXTS, (index + 1) * FIRST_TEXTS)
    await mapConcurrently(own.map(asText), UPLOAD_CONCURRENCY, (file) => mira.upload(file))
    await mira.waitUntilProcessed()
  }
  return tokens
}

function added(through: number[], alone: number[]): Cell[] {
  const [own, bare] = [percentiles(through), percentiles(alone)]
  const directly = (ms: number) => `directly ${ms.toFixed(1)}`
  return [
    { value: own.median, comparison: directly(bare.median) },
    { value: own.p95, comparison: directly(bare.p95) },
    own.median - bare.median,
    own.p95 - bare.p95,
  ]
}

/** Photos with everything on and without reading text, alternating with the minimum that any server does. */
async function measurePhotos(running: Running, photos: string[]): Promise<FigureTable['rows']> {
  const kinds = [
    { name: 'photos', fields: {} },
    { name: 'photos, NOT read', fields: { extract_text: 'false' } },
  ].map((kind) => ({ ...kind, taken: [] as Ingestion[] }))
  const alone: number[] = []
  for (let round = 0; round < PHOTO_ROUNDS; round++) {
    for (const { fields, taken } of kinds) {
      alone.push(photos.length / (await measureBarePhotos(photos)))
      taken.push(await ingest(running, await readPhotos(photos), fields))
    }
  }
  const bare = percentiles(alone).median
  return kinds.map(({ name, taken }) => {
    const middle = (of: (one: Ingestion) => number) => percentiles(taken.map(of)).median
    const perSecond = middle((one) => one.perSecond)
    return [
      name,
      { value: perSecond, comparison: compared(perSecond, bare, 'alone') },
      middle((one) => one.statements),
      middle((one) => one.transactions),
      middle((one) => one.processorMs),
      bare,
    ]
  })
}

if (flags.role === 'model-server') await serveModel()
else await bench()
