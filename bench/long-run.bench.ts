// A hundred users use one server for ten minutes: they ask, upload, search and open pages, at random but by fixed shares. Exits with 1 when
// anything was rejected or broke off, when acknowledged data is missing, or when memory grew.
//   node bench/long-run.bench.ts [--people 100] [--minutes 10] [--database-url postgresql://…]
//     [--data-dir /path/of/the/files] [--no-write]
// Each follows the event stream and thinks for four seconds on average. A separate model server answers with 50 tokens, one every 40 ms;
// uploads are embedded, and text in photos and papers is read. Answers are timed until their first words, everything else until complete.
// At the end, each user checks everything acknowledged. Server, model server and users share the machine.
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '../apps/api/test/chance.ts'
import { createPhotoLikeImage } from '../apps/api/test/photographs.ts'
import { type ProcessUnderTest, startProcess } from '../apps/api/test/server-process.ts'
import { PASSWORD } from './support/chat-targets.ts'
import { deviationsOf, makeAccounts, readEvents, runClosedLoop, waitForProcessing } from './support/crowd.ts'
import { modelEnvironment, startModelProcess } from './support/model-process.ts'
import { type Action, createSimulatedUser } from './support/person-at-work.ts'
import { sampleMemory } from './support/resident-memory.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { readServerFigures } from './support/server-figures.ts'
import { startEnvironment } from './support/started-server.ts'

/** Average time between the end of an action and the next one. */
const THINKING_MS = 4000
/** Maximum delay of the event loop's timers, at the 99th percentile. */
const MAX_LATE_MS = 50
/** Maximum growth of the median memory from the second to the last third that still counts as flat. */
const MAX_GROWTH = 1.1

const { values: flags } = parseArgs({
  options: {
    people: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '10' },
    'database-url': { type: 'string' },
    'data-dir': { type: 'string', default: tmpdir() },
    'no-write': { type: 'boolean', default: false },
  },
})

process.exitCode = await bench()

async function bench(): Promise<number> {
  const machine = describeMachine()
  const folder = mkdtempSync(join(flags['data-dir'], 'mira-long-run-'))
  const figuresFile = join(folder, 'figures.json')
  const model = await startModelProcess()
  const databaseUrl = flags['database-url']
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
    model.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function serverTables(setup: string, run: Awaited<ReturnType<typeof useServer>>): FigureTable[] {
  const { p99, max } = run.figures.loopDelay
  const growth = { value: run.growth, unit: '×', comparison: `target ≤ ${MAX_GROWTH}` }
  return [
    {
      setup,
      metrics: ['value'],
      rows: [
        ['refused or broken off', { value: run.errors.length, comparison: 'target 0' }],
        ['acknowledged and missing', { value: run.missing.length, comparison: 'target 0' }],
        ['event loop delay, p99', { value: p99, unit: 'ms', comparison: `target ≤ ${MAX_LATE_MS}` }],
        ['event loop delay, most', { value: max, unit: 'ms' }],
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
  const accounts = await makeAccounts([url], Number(flags.people))
  const times = new Map<Action, number[]>()
  const errors: string[] = []
  const photo = await createPhotoLikeImage(1600, 1200, 1)
  const people = accounts.map(({ name, miras }, index) =>
    createSimulatedUser({
      name,
      miras,
      photos: [photo],
      chance: createRandom(index),
      onDone: ({ deed, ms }) => times.set(deed, [...(times.get(deed) ?? []), ms]),
      onError: (deed, error) => errors.push(`${name} cannot ${deed}: ${error.message}`),
    }),
  )
  const aborter = new AbortController()
  const clients = accounts.flatMap(({ miras }) => miras)
  const following = clients.map((mira, index) =>
    readEvents(mira, aborter.signal, (sentence) => errors.push(`person${index}: ${sentence}`)),
  )
  await readServerFigures(server.pid, figuresFile)
  const memory = sampleMemory(server.pid)
  const startedAt = performance.now()
  await runClosedLoop(people, createRandom(accounts.length), THINKING_MS, Number(flags.minutes) * 60_000)
  const seconds = (performance.now() - startedAt) / 1000
  const figures = await readServerFigures(server.pid, figuresFile)
  const samples = memory.stop()
  const load = loadavg()[0]?.toFixed(1) ?? ''
  aborter.abort()
  await Promise.all(following)
  const { waiting, seconds: settlingSeconds } = await waitForProcessing(clients)
  const missing = await deviationsOf(people)
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

/** Median of each minute of samples taken every second. */
function minutesOf(samples: number[]): number[] {
  const minutes = Array.from({ length: Math.ceil(samples.length / 60) }, (_, index) =>
    samples.slice(index * 60, index * 60 + 60),
  )
  return minutes.map((minute) => percentiles(minute).median)
}
