// One server under the load of many users, and what an answer, a photo and a search cost it.
//   node bench/load.bench.ts --database-url postgresql://… [--users 100,300,1000] [--minutes 10] [--every 10] [--cost 100]
//     [--url http://…,http://…] [--life FILE] [--photos FOLDER] [--seed 1] [--data-dir /path/of/the/files] [--no-write]
// Open model: each user's actions arrive at random times, --every seconds apart on average, however long others take, and are timed from
// when they were scheduled: an answer until its first words, everything else until complete. The model server answers after 20 ms with 50
// tokens, one every 40 ms. With --life, texts are those of a year of a life (LifeBench). Costs are those of --cost actions of one kind at
// two a second, including their processing; statements and log (WAL) of the database are counted there. With --url, the servers already run
// and have the password of bench accounts, and nothing is counted. It stops at the first number of users at which anything fails, at which
// an action takes ten seconds at the 95th percentile, or whose uploads aren't all processed ten minutes afterwards.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createRandom } from '../apps/api/test/chance.ts'
import { createPhotoLikeImage } from '../apps/api/test/photographs.ts'
import { type ProcessUnderTest, startProcess } from '../apps/api/test/server-process.ts'
import { PASSWORD } from './support/chat-targets.ts'
import { deviationsOf, makeAccounts, runOpenLoop, waitForProcessing, waitForProcessingUpTo } from './support/crowd.ts'
import { readProc, statOf } from './support/killable.ts'
import { modelEnvironment, startModelProcess } from './support/model-process.ts'
import {
  type Action,
  actionNames,
  createSimulatedUser,
  type SimulatedUser,
  type SimulatedUserTexts,
} from './support/person-at-work.ts'
import { since, watchProcesses } from './support/process-figures.ts'
import { type Cell, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { readSet, textOf } from './support/retrieval-sets.ts'
import { readServerFigures } from './support/server-figures.ts'
import { startEnvironment } from './support/started-server.ts'

const MODEL_LATENCY_MS = 20
const COSTLY: Action[] = ['begin a conversation', 'ask in a conversation', 'upload a photo', 'upload a text', 'search']
/** Number of users who share the actions of one kind. */
const COST_PEOPLE = 10
const COST_EVERY_MS = COST_PEOPLE * 500
/** 95th percentile above which an action counts as failed. */
const BROKEN_MS = 10_000
/** Time for processing the backlog of uploads; a server that needs longer can't keep up. */
const BACKLOG_MS = 10 * 60_000

const { values: flags } = parseArgs({
  options: {
    'database-url': { type: 'string' },
    url: { type: 'string' },
    users: { type: 'string', default: '100,300,1000' },
    minutes: { type: 'string', default: '10' },
    every: { type: 'string', default: '10' },
    cost: { type: 'string', default: '100' },
    life: { type: 'string' },
    photos: { type: 'string' },
    seed: { type: 'string', default: '1' },
    'data-dir': { type: 'string', default: tmpdir() },
    'no-write': { type: 'boolean', default: false },
  },
})

/** A server that this bench started, and its database. */
interface Measured {
  server: ProcessUnderTest
  figuresFile: string
  database: pg.Client | undefined
  processes: ReturnType<typeof watchProcesses>
  /** Empty for the embedded database, and for one on another machine. */
  databaseProcesses: ReturnType<typeof watchProcesses>
}

const chance = createRandom(Number(flags.seed))
process.exitCode = await bench()

async function bench(): Promise<number> {
  const machine = describeMachine()
  const tables: FigureTable[] = []
  let deviations: string[] = []
  await withServers(async (urls, measured) => {
    const createUser = await createUserFactory()
    let accountCount = 0
    const people = async (
      count: number,
      onDone: (deed: Action, ms: number) => void,
      onError: (error: Error) => void,
    ) => {
      const accounts = await makeAccounts(urls, count, accountCount)
      accountCount += count
      return accounts.map((account) => createUser(account, onDone, onError))
    }
    const everybody: SimulatedUser[] = []
    let hasBacklog = false
    if (measured && Number(flags.cost) > 0) {
      const own = await people(COST_PEOPLE, () => {}, fail)
      everybody.push(...own)
      tables.push(await costs(own, measured))
    }
    for (const count of flags.users.split(',').map(Number)) {
      const times = new Map<Action, number[]>(actionNames.map((deed) => [deed, []]))
      const errors: string[] = []
      const own = await people(
        count,
        (deed, ms) => times.get(deed)?.push(ms),
        (error) => errors.push(error.message),
      )
      everybody.push(...own)
      const before = measured && totals(measured)
      await runOpenLoop(own, chance, {
        everyMs: Number(flags.every) * 1000,
        isOver: (ms) => ms > Number(flags.minutes) * 60_000,
      })
      tables.push(timesTable(setupOf(count), times, errors))
      const after = measured && totals(measured)
      const settled = await waitForProcessingUpTo(
        own.map(({ mira }) => mira),
        BACKLOG_MS,
      )
      if (before && after) tables.push(wholeTable(setupOf(count), before, after, errors.length, settled))
      console.info(`${count} users:`, JSON.stringify({ errors: errors.length, ...settled }))
      for (const error of new Set(errors)) console.error(`${count} users: ${error}`)
      const slowest = Math.max(...[...times.values()].map((all) => percentiles(all).p95 || 0))
      hasBacklog = settled.remaining > 0
      if (errors.length > 0 || slowest > BROKEN_MS || hasBacklog) break
    }
    // unprocessed uploads aren't as acknowledged yet
    if (!hasBacklog) deviations = await deviationsOf(everybody)
  })
  for (const deviation of deviations.slice(0, 50)) console.error(deviation)
  report('Load', machine, tables, flags['no-write'])
  return deviations.length > 0 ? 1 : 0
}

function fail(error: Error): never {
  throw error
}

function setupOf(users: number): string {
  const place = flags.url ? 'servers elsewhere' : flags['database-url'] ? 'PostgreSQL' : 'embedded'
  return `${place}, ${users} users, a deed every ${flags.every} s each, ${flags.minutes} minutes`
}

async function createUserFactory() {
  const photos = flags.photos
    ? readdirSync(flags.photos)
        .filter((name) => /\.jpe?g$/i.test(name))
        .map((name) => readFileSync(join(flags.photos ?? '', name)))
    : [await createPhotoLikeImage(1600, 1200, 1)]
  const set = flags.life ? readSet(flags.life, null) : undefined
  const texts: SimulatedUserTexts | undefined = set && {
    records: set.things.map(textOf),
    questions: set.questions.map(({ text }) => text),
  }
  return (
    account: Awaited<ReturnType<typeof makeAccounts>>[number],
    onDone: (deed: Action, ms: number) => void,
    onError: (error: Error) => void,
  ) =>
    createSimulatedUser({
      ...account,
      ...{ chance, photos, texts },
      onDone: ({ deed, ms }) => onDone(deed, ms),
      onError: (deed, error) => onError(new Error(`cannot ${deed}: ${error.message}`, { cause: error })),
    })
}

async function withServers(work: (urls: string[], measured?: Measured) => Promise<void>): Promise<void> {
  if (flags.url) return work(flags.url.split(','))
  const folder = mkdtempSync(join(flags['data-dir'], 'mira-load-'))
  const figuresFile = join(folder, 'figures.json')
  const databaseUrl = flags['database-url']
  const model = await startModelProcess(MODEL_LATENCY_MS)
  const database = databaseUrl ? new pg.Client(databaseUrl) : undefined
  const server = startProcess('server.ts', {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'error',
    ...modelEnvironment(model.baseUrl),
    ...startEnvironment,
    NODE_OPTIONS: `${startEnvironment.NODE_OPTIONS} --import ${new URL('./support/server-figures.ts', import.meta.url).href}`,
    SERVER_FIGURES_FILE: figuresFile,
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
  })
  try {
    const url = await server.ready
    await database?.connect()
    const processes = watchProcesses([server.pid])
    const databaseProcesses = watchProcesses(database ? await postmasterOf(database) : [])
    await work([url], { server, figuresFile, database, processes, databaseProcesses })
    processes.stop()
    databaseProcesses.stop()
  } finally {
    server.kill('SIGTERM')
    await server.exited
    await database?.end()
    model.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Process id of the postmaster; empty when the database is on another machine. */
async function postmasterOf(database: pg.Client): Promise<number[]> {
  const { rows } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const pid = rows[0]?.pid ?? 0
  return readProc(pid, 'comm').startsWith('postgres') ? [Number(statOf(pid)[1])] : []
}

function totals({ processes, databaseProcesses }: Measured) {
  return { at: performance.now(), server: processes.totals(), database: databaseProcesses.totals() }
}

async function logBytes(database: pg.Client | undefined): Promise<number> {
  const { rows } = (await database?.query(`SELECT pg_current_wal_lsn() - '0/0' AS bytes`)) ?? { rows: [] }
  return Number(rows[0]?.bytes ?? Number.NaN)
}

/** Cost of an action of each kind, including its processing afterwards. */
async function costs(people: SimulatedUser[], measured: Measured): Promise<FigureTable> {
  const rows: FigureTable['rows'] = []
  for (const deed of COSTLY) {
    await waitForProcessing(people.map(({ mira }) => mira))
    await readServerFigures(measured.server.pid, measured.figuresFile)
    const [before, logBefore] = [totals(measured), await logBytes(measured.database)]
    const count = await performActions(people, deed)
    const after = totals(measured)
    const { statements } = await readServerFigures(measured.server.pid, measured.figuresFile)
    const [server, database] = [since(before.server, after.server), since(before.database, after.database)]
    const log = (await logBytes(measured.database)) - logBefore
    rows.push([
      deed,
      ...[(1000 * server.processorSeconds) / count, (1000 * database.processorSeconds) / count, statements / count],
      ...[server.bytes / count / 1000, log / count / 1000, server.megabytes, database.megabytes],
    ])
  }
  const metrics = ['server (CPU ms)', 'database (CPU ms)', 'statements', 'read and written by the server (kB)']
  metrics.push('log of the database (kB)', 'memory of the server (MB)', 'memory of the database (MB)')
  return { setup: `${flags['database-url'] ? 'PostgreSQL' : 'embedded'}, cost of one`, metrics, rows }
}

/** Lets users perform actions of one kind. @returns their number. */
async function performActions(people: SimulatedUser[], deed: Action): Promise<number> {
  const countDone = () => people.reduce((sum, { ledger }) => sum + ledger.questions.length + ledger.uploads.length, 0)
  const before = countDone()
  const durationMs = Number(flags.cost) * (COST_EVERY_MS / COST_PEOPLE)
  const count = await runOpenLoop(people, chance, { everyMs: COST_EVERY_MS, isOver: (ms) => ms > durationMs, deed })
  // polling would add to the cost
  if (deed.startsWith('upload')) await waitForProcessing(people.map(({ mira }) => mira))
  return countDone() - before || count
}

function timesTable(setup: string, times: Map<Action, number[]>, errors: string[]): FigureTable {
  const rows = [...times].map(([deed, all]): FigureTable['rows'][number] => {
    const { median, p95, p99 } = percentiles(all)
    const failed = errors.filter((error) => error.startsWith(`cannot ${deed}:`)).length
    return [deed, all.length, median, p95, p99, failed]
  })
  return { setup, metrics: ['times', 'median (ms)', 'p95 (ms)', 'p99 (ms)', 'failed'], rows }
}

function wholeTable(
  setup: string,
  before: ReturnType<typeof totals>,
  after: ReturnType<typeof totals>,
  failed: number,
  backlog: { waiting: number; remaining: number; seconds: number },
): FigureTable {
  const seconds = (after.at - before.at) / 1000
  const [server, database] = [since(before.server, after.server), since(before.database, after.database)]
  const rows: [string, ...Cell[]][] = [
    ['failed', failed],
    ['uploads not taken in at the end', backlog.waiting],
    backlog.remaining > 0
      ? ['uploads not taken in ten minutes later', backlog.remaining]
      : ['until all were', { value: backlog.seconds, unit: 's' }],
    ['CPU of the server', { value: server.processorSeconds / seconds, unit: 'processors' }],
    ['CPU of the database', { value: database.processorSeconds / seconds, unit: 'processors' }],
    ['memory of the server', { value: server.megabytes, unit: 'MB' }],
    ['memory of the database', { value: database.megabytes, unit: 'MB' }],
    ['load at the end', Number(loadavg()[0]?.toFixed(1))],
  ]
  return { setup: `${setup}, the server`, metrics: ['value'], rows }
}
