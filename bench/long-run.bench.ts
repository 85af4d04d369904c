// A hundred people use one server for ten minutes: ask, upload, search and look at pages, at random but by fixed shares.
// Ends with 1 when anything was refused or broke off, when something that was acknowledged is missing, or when memory grew.
//   node bench/long-run.bench.ts [--people 100] [--minutes 10] [--database-url postgresql://…]
//     [--data-dir /where/the/files/lie] [--no-write]
// Each follows the stream of events and thinks for four seconds on the average. A model server beside answers with 50 tokens, one every 40 ms; uploads
// are embedded, photos and papers read. Answers are timed until their first words, everything else until it's whole. At the end everything that
// was acknowledged is looked for by its owner. Server, model server and people share the machine.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createMira } from '@mira/client'
import { chanceFrom } from '../apps/api/test/chance.ts'
import { startOpenAiServer } from '../apps/api/test/openai-server.ts'
import { likeAPhotograph } from '../apps/api/test/photographs.ts'
import { type ProcessUnderTest, startProcess } from '../apps/api/test/server-process.ts'
import { PASSWORD } from './support/chat-targets.ts'
import { forEachOf } from './support/mira-client.ts'
import { createPerson, type Deed } from './support/person-at-work.ts'
import { sampleMemory } from './support/resident-memory.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { figuresSoFar } from './support/server-figures.ts'
import { STARTED_WITH } from './support/started-server.ts'

const TOKENS = Array.from({ length: 50 }, (_, n) => `token${n} `)
const TOKEN_DELAY_MS = 40
const DIMENSIONS = 384
/** Signing in costs a quarter of a second of a processor. */
const SIGNED_IN_AT_ONCE = 4
/** Maximum delay of the event loop's timers, at the 99th percentile. */
const MAX_LATE_MS = 50
/** Maximum growth of the median memory from the second to the last third that still counts as flat. */
const MAX_GROWTH = 1.1
const MAX_SETTLING_MS = 10 * 60_000

const { values: flags } = parseArgs({
  options: {
    role: { type: 'string' },
    people: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '10' },
    'database-url': { type: 'string' },
    'data-dir': { type: 'string', default: tmpdir() },
    'no-write': { type: 'boolean', default: false },
  },
})

if (flags.role === 'model-server') await serveModel()
else process.exitCode = await bench()

/** In a process of its own, as model servers are. */
async function serveModel(): Promise<void> {
  const server = await startOpenAiServer()
  server.fallback = { text: TOKENS, delayMs: TOKEN_DELAY_MS }
  server.embeddings = { dimensions: DIMENSIONS }
  // what is recorded would grow for as long as the run takes
  setInterval(() => {
    server.requests.length = 0
  }, 1000)
  process.send?.(server.baseUrl)
}

async function bench(): Promise<number> {
  const machine = describeMachine()
  const folder = mkdtempSync(join(flags['data-dir'], 'mira-long-run-'))
  const figuresFile = join(folder, 'figures.json')
  const model = fork(import.meta.filename, ['--role', 'model-server'])
  const modelUrl = await new Promise<string>((resolve) => model.once('message', (url) => resolve(String(url))))
  const databaseUrl = flags['database-url']
  const server = startProcess('server.ts', {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'error',
    OPENAI_BASE_URL: modelUrl,
    CHAT_MODEL: 'test-model',
    EMBEDDING_MODEL: 'test-embedding',
    ...STARTED_WITH,
    NODE_OPTIONS: `${STARTED_WITH.NODE_OPTIONS} --import ${new URL('./support/server-figures.ts', import.meta.url).href}`,
    SERVER_FIGURES_FILE: figuresFile,
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
  })
  try {
    const run = await useServer(await server.ready, server, figuresFile)
    for (const line of [...run.errors, ...run.missing].slice(0, 50)) console.error(line)
    const setup = `${databaseUrl ? 'PostgreSQL' : 'embedded'}, ${flags.people} people, ${flags.minutes} minutes`
    const tables: FigureTable[] = [
      { setup, metrics: ['times', 'median (ms)', 'p95 (ms)'], rows: run.rows },
      ...serverTables(`${setup}, the server`, run),
    ]
    report('A long run', machine, tables, flags['no-write'])
    return run.errors.length + run.missing.length > 0 || run.growth > MAX_GROWTH ? 1 : 0
  } finally {
    server.kill('SIGTERM')
    await server.exited
    model.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function serverTables(setup: string, run: Awaited<ReturnType<typeof useServer>>): FigureTable[] {
  const { p99, most } = run.figures.loopDelay
  const growth = { value: run.growth, unit: '×', comparison: `target ≤ ${MAX_GROWTH}` }
  return [
    {
      setup,
      metrics: ['value'],
      rows: [
        ['refused or broken off', { value: run.errors.length, comparison: 'target 0' }],
        ['acknowledged and missing', { value: run.missing.length, comparison: 'target 0' }],
        ['event loop delay, p99', { value: p99, unit: 'ms', comparison: `target ≤ ${MAX_LATE_MS}` }],
        ['event loop delay, most', { value: most, unit: 'ms' }],
        ['CPU', { value: run.processorShare, unit: 'processors' }],
        ['uploads waiting at the end', run.waiting],
        ['until they were taken in', { value: run.settlingSeconds, unit: 's' }],
        ['memory, median of the last minute', { value: run.memory.at(-1) ?? Number.NaN, unit: 'MB' }],
        ['memory, last third beside the one before', growth],
        ['load at the end', Number(run.load)],
      ],
    },
  ]
}

async function useServer(url: string, server: ProcessUnderTest, figuresFile: string) {
  const accounts = await makeAccounts(url, Number(flags.people))
  const times = new Map<Deed, number[]>()
  const errors: string[] = []
  const photo = await likeAPhotograph(1600, 1200, 1)
  const people = accounts.map(({ name, mira }, at) =>
    createPerson({
      name,
      mira,
      photo,
      chance: chanceFrom(at),
      onDone: ({ deed, ms }) => times.set(deed, [...(times.get(deed) ?? []), ms]),
      onError: (deed, error) => errors.push(`${name} cannot ${deed}: ${error.message}`),
    }),
  )
  const leaving = new AbortController()
  const following = accounts.map(({ name, mira }) =>
    follow(mira, leaving.signal, (told) => errors.push(`${name}: ${told}`)),
  )
  await figuresSoFar(server.pid, figuresFile)
  const memory = sampleMemory(server.pid)
  const startedAt = performance.now()
  const until = startedAt + Number(flags.minutes) * 60_000
  await Promise.all(people.map((person) => person.live(until)))
  const seconds = (performance.now() - startedAt) / 1000
  const figures = await figuresSoFar(server.pid, figuresFile)
  const samples = memory.stop()
  const load = loadavg()[0]?.toFixed(1) ?? ''
  leaving.abort()
  await Promise.all(following)
  const { waiting, seconds: settlingSeconds } = await settle(accounts)
  const missing = (await forEachOf(people, SIGNED_IN_AT_ONCE, (person) => person.missing())).flat()
  const third = Math.floor(samples.length / 3)
  const [before, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)].map(
    (part) => percentiles(part).median,
  )
  return {
    load,
    errors,
    missing,
    figures,
    waiting,
    settlingSeconds,
    rows: [...times].map(([deed, all]): FigureTable['rows'][number] => {
      const { median, p95 } = percentiles(all)
      return [deed, all.length, median, p95]
    }),
    processorShare: figures.processorMs / 1000 / seconds,
    memory: minutesOf(samples),
    growth: (last ?? Number.NaN) / (before ?? Number.NaN),
  }
}

/** People with the rights of somebody who uses everything. */
async function makeAccounts(url: string, count: number) {
  const signIn = async (username: string) => {
    const body = new URLSearchParams({ username, password: PASSWORD })
    const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', body })
    if (!answer.ok) throw new Error(`${username} cannot sign in: ${await answer.text()}`)
    const { access_token } = (await answer.json()) as { access_token: string }
    return createMira({ url, token: access_token })
  }
  const admin = await signIn('admin')
  const names = Array.from({ length: count }, (_, at) => `person${at}`)
  return forEachOf(names, SIGNED_IN_AT_ONCE, async (name) => {
    const rights = { can_chat: true, can_upload: true, can_use_agents: true }
    const account = { username: name, email: `${name}@example.org`, password: PASSWORD, ...rights }
    await admin.call('POST /admin/users', { json: account })
    return { name, mira: await signIn(name) }
  })
}

type Mira = ReturnType<typeof createMira>

/** Reads the stream of events as an open page does, until the person leaves. */
async function follow(mira: Mira, signal: AbortSignal, onError: (told: string) => void): Promise<void> {
  try {
    const events = mira.follow(signal)
    while (!(await events.next()).done);
    if (!signal.aborted) onError('the stream of events ended')
  } catch (error) {
    if (!signal.aborted) onError(`the stream of events broke off: ${error}`)
  }
}

/** Waits until everything is taken in. @throws Error when that takes too long. */
async function settle(accounts: { mira: Mira }[]): Promise<{ waiting: number; seconds: number }> {
  const startedAt = performance.now()
  const count = async () => {
    const counts = await forEachOf(accounts, SIGNED_IN_AT_ONCE, async ({ mira }) => {
      return mira.call('GET /media/stats')
    })
    return counts.reduce((sum, { processing }) => sum + processing, 0)
  }
  const waiting = await count()
  for (let left = waiting; left > 0; left = await count()) {
    if (performance.now() - startedAt > MAX_SETTLING_MS) throw new Error(`${left} uploads were not taken in`)
    await sleep(500)
  }
  return { waiting, seconds: (performance.now() - startedAt) / 1000 }
}

/** The median of each minute of samples that were taken each second. */
function minutesOf(samples: number[]): number[] {
  const minutes = Array.from({ length: Math.ceil(samples.length / 60) }, (_, at) =>
    samples.slice(at * 60, at * 60 + 60),
  )
  return minutes.map((minute) => percentiles(minute).median)
}
