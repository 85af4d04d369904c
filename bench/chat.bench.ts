// Overhead of chatting through this server, compared with calling the model server directly.
//   node bench/chat.bench.ts [--seconds 20] [--memory-seconds 20] [--streams 1,20,100] [--database-url postgresql://…]
//     [--data-dir /path/of/the/embedded/database] [--no-write]
//   with --tools and/or --pictures: messages whose answer calls a tool, and messages with a picture, instead of the others
// Model server, this server and the client share the machine. Each stream asks repeatedly in its own conversation; an answer has 50 tokens
// (3 for one stream alone), one every 40 ms. Requests directly and through this server alternate. A photo of 12 megapixels is decoded,
// stored durably and shrunk first; directly it's sent shrunk.
import { fork } from 'node:child_process'
import { closeSync, existsSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { startOpenAiServer, toolResults } from '../apps/api/test/openai-server.ts'
import { noisyImage } from '../apps/api/test/pictures.ts'
import { type ProcessUnderTest, startProcess } from '../apps/api/test/server-process.ts'
import {
  connectToModel,
  connectToServer,
  type Extras,
  PASSWORD,
  STREAMS_PER_USER,
  type Target,
  TOOL_QUESTION,
} from './support/chat-targets.ts'
import { sampleMemory } from './support/resident-memory.ts'
import { type Cell, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { startEnvironment } from './support/started-server.ts'

const TOKENS = Array.from({ length: 50 }, (_, n) => `token${n} `)
const TOKEN_DELAY_MS = 40
const BRIEF_TOKENS = TOKENS.slice(0, 3)
const FAST_TOKENS = Array.from({ length: 2000 }, (_, n) => `token${n} `)
const FAST_STREAMS = 20
const ROUNDS = 3
const FIRST_TOKEN = ['first token through Mira, median (ms)', 'p95 (ms)', 'added, median (ms)', 'added, p95 (ms)']
const PICTURE_QUESTION = 'Look at the picture, and be brief'
const TOOL_STREAMS = [1, 20]
/** More at once have to wait until earlier pictures are stored. */
const PICTURE_STREAMS = [1, 2]

const { values: flags } = parseArgs({
  options: {
    role: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    'memory-seconds': { type: 'string', default: '20' },
    streams: { type: 'string', default: '1,20,100' },
    'database-url': { type: 'string' },
    'data-dir': { type: 'string', default: tmpdir() },
    tools: { type: 'boolean', default: false },
    pictures: { type: 'boolean', default: false },
    'no-write': { type: 'boolean', default: false },
  },
})

if (flags.role === 'model-server') await serveModel()
else await bench()

/** Runs in a separate process, so that it does not share an event loop with the measurement. */
async function serveModel(): Promise<void> {
  const server = await startOpenAiServer()
  server.when('fast', { text: FAST_TOKENS })
  server.when('brief', { text: BRIEF_TOKENS, delayMs: TOKEN_DELAY_MS })
  server.when(TOOL_QUESTION, (request) => {
    // other tools call services on the internet
    const name = request.body.tools?.find((tool) => tool.function.name.includes('calculator'))?.function.name ?? ''
    if (toolResults(request).length === 0) return { calls: [{ name, arguments: { input: '15% of 80' } }] }
    return { text: BRIEF_TOKENS, delayMs: TOKEN_DELAY_MS }
  })
  server.defaultResponse = { text: TOKENS, delayMs: TOKEN_DELAY_MS }
  // Recorded requests would pile up during the run.
  setInterval(() => {
    server.requests.length = 0
  }, 1000)
  process.send?.(server.baseUrl)
}

async function bench(): Promise<void> {
  const machine = describeMachine()
  const disk = measureDisk()
  const model = fork(import.meta.filename, ['--role', 'model-server'])
  const modelUrl = await new Promise<string>((resolve) => model.once('message', (url) => resolve(String(url))))
  const measuresKinds = flags.tools || flags.pictures
  const tables: FigureTable[] = []
  try {
    const databaseUrl = flags['database-url']
    const setups: [string, Record<string, string>][] = [['embedded', {}]]
    if (databaseUrl) setups.push(['PostgreSQL', { DATABASE_URL: databaseUrl }])
    for (const [name, environment] of setups) {
      tables.push(...(await (measuresKinds ? measureKinds : measure)(name, modelUrl, environment)))
    }
  } finally {
    model.kill()
  }
  if (measuresKinds) return report('Chat, kinds of questions', machine, tables, flags['no-write'])
  report('Chat', machine, [...tables, disk, ...firstLoad()], flags['no-write'])
}

/** Runs `work` with a server on an empty data folder. */
async function withServer<Result>(
  modelUrl: string,
  environment: Record<string, string>,
  work: (server: ProcessUnderTest, url: string) => Promise<Result>,
): Promise<Result> {
  const dataDir = mkdtempSync(join(flags['data-dir'], 'mira-bench-'))
  const server = startProcess('server.ts', {
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: PASSWORD,
    OPENAI_BASE_URL: modelUrl,
    CHAT_MODEL: 'bench',
    LOG_LEVEL: 'error',
    ...startEnvironment,
    ...environment,
  })
  try {
    return await work(server, await server.ready)
  } finally {
    server.kill('SIGTERM')
    await server.exited
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function measureKinds(
  setup: string,
  modelUrl: string,
  environment: Record<string, string>,
): Promise<FigureTable[]> {
  return withServer(modelUrl, environment, async (_server, url) => {
    const mira = await connectToServer(url, Math.max(...TOOL_STREAMS))
    const direct = connectToModel(modelUrl)
    await warmUp(mira, Math.max(...TOOL_STREAMS))
    const rows: FigureTable['rows'] = []
    if (flags.tools) {
      for (const count of TOOL_STREAMS) {
        const figures = await compare(count, direct, mira, { content: TOOL_QUESTION })
        rows.push([`a question with a tool, ${streamsOf(count)}`, ...figures])
      }
    }
    if (flags.pictures) {
      const [original, shrunk] = await Promise.all([makePicture(4000, 3000), makePicture(1568, 1176)])
      for (const count of PICTURE_STREAMS) {
        const question = { content: PICTURE_QUESTION, direct: shrunk, through: original }
        rows.push([`a question with a picture, ${streamsOf(count)}`, ...(await compare(count, direct, mira, question))])
      }
    }
    return [{ setup, metrics: FIRST_TOKEN, rows }]
  })
}

/** A photo as base64: like one of a camera, it has about 2 bits for each pixel. */
async function makePicture(width: number, height: number): Promise<string> {
  return (await noisyImage({ width, height, sigma: 12, quality: 85 })).toString('base64')
}

async function measure(setup: string, modelUrl: string, environment: Record<string, string>): Promise<FigureTable[]> {
  return withServer(modelUrl, environment, async (server, url) => {
    const streams = flags.streams.split(',').map(Number)
    const mira = await connectToServer(url, Math.max(...streams, FAST_STREAMS, 100))
    const direct = connectToModel(modelUrl)
    await warmUp(mira, Math.max(...streams))
    const rows: FigureTable['rows'] = []
    for (const count of streams) rows.push([streamsOf(count), ...(await compare(count, direct, mira))])
    const relayed = [await relay(direct), await relay(mira)]
    const tokens = { value: relayed[1] ?? 0, unit: 'per s', comparison: `directly ${relayed[0]}` }
    const figures: FigureTable['rows'] = [
      [`tokens relayed, ${FAST_STREAMS} streams`, tokens],
      ...(await watchMemory(server.pid, mira)),
    ]
    return [
      { setup, metrics: FIRST_TOKEN, rows },
      { setup: `${setup}, the server`, metrics: ['value'], rows: figures },
    ]
  })
}

/** Question with an optional picture for each target; small talk by default. */
interface QuestionVariants {
  content?: string
  direct?: string
  through?: string
}

function streamsOf(count: number): string {
  return `${count} stream${count === 1 ? '' : 's'}`
}

/** Alternates between both, so that a temporarily busy machine affects both. */
async function compare(count: number, direct: Target, mira: Target, question: QuestionVariants = {}): Promise<Cell[]> {
  const times = { direct: [] as number[], mira: [] as number[] }
  const roundMs = (Number(flags.seconds) * 1000) / ROUNDS
  for (let round = 0; round < ROUNDS; round++) {
    times.direct.push(...(await load(direct, count, roundMs, question.content, { picture: question.direct })))
    times.mira.push(...(await load(mira, count, roundMs, question.content, { picture: question.through })))
  }
  const [one, other] = [percentiles(times.direct), percentiles(times.mira)]
  const row = [one.median, one.p95, other.median, other.p95, other.median - one.median, other.p95 - one.p95]
  console.info(`${count} streams: ${row.map((ms) => ms.toFixed(1)).join(' ')} (${times.mira.length} answers)`)
  const directly = (ms: number) => `directly ${ms.toFixed(1)}`
  return [
    { value: other.median, comparison: directly(one.median) },
    { value: other.p95, comparison: directly(one.p95) },
    other.median - one.median,
    other.p95 - one.p95,
  ]
}

/** Creates the conversation of each stream, and lets the server compile its code. */
async function warmUp(mira: Target, streams: number): Promise<void> {
  for (let round = 0; round < 5; round++) {
    for (let first = 0; first < streams; first += STREAMS_PER_USER) {
      const group = Array.from({ length: Math.min(STREAMS_PER_USER, streams - first) }, (_, index) => first + index)
      await Promise.all(group.map((stream) => mira.ask(stream, 'Be brief')))
    }
  }
}

/** Times to first token while `count` streams ask one question after the other; their starts are spread over one answer. */
async function load(
  target: Target,
  count: number,
  durationMs: number,
  // A single stream would ask too rarely with long answers.
  content = count === 1 ? 'Be brief' : 'Tell me something',
  extras: Extras = {},
): Promise<number[]> {
  const endsAt = performance.now() + durationMs
  const times: number[] = []
  const answerMs = TOKENS.length * TOKEN_DELAY_MS
  await Promise.all(
    Array.from({ length: count }, async (_, stream) => {
      await sleep((stream / count) * Math.min(answerMs, durationMs / 2))
      do {
        times.push((await target.ask(stream, content, extras)).firstTokenMs)
        await sleep(Math.random() * 100)
      } while (performance.now() < endsAt)
    }),
  )
  return times
}

async function relay(target: Target): Promise<number> {
  const startedAt = performance.now()
  const answers = await Promise.all(Array.from({ length: FAST_STREAMS }, (_, stream) => target.ask(stream, 'Be fast')))
  const tokens = answers.reduce((sum, answer) => sum + answer.tokens, 0)
  return Math.round(tokens / ((performance.now() - startedAt) / 1000))
}

async function watchMemory(pid: number, mira: Target): Promise<FigureTable['rows']> {
  const seconds = Number(flags['memory-seconds'])
  const memory = sampleMemory(pid)
  await load(mira, 100, seconds * 1000)
  const samples = memory.stop()
  const half = samples.slice(Math.floor(samples.length / 2))
  const figure = (value = Number.NaN) => ({ value, unit: 'MB', note: `${seconds} s` })
  return [
    ['memory with 100 streams, most', figure(Math.max(...samples))],
    ['memory with 100 streams, in the middle', figure(half[0])],
    ['memory with 100 streams, at the end', figure(half.at(-1))],
  ]
}

/** Time until a small write is durable. */
function measureDisk(): FigureTable {
  const folder = mkdtempSync(join(flags['data-dir'], 'mira-disk-'))
  const file = openSync(join(folder, 'file'), 'w')
  const times: number[] = []
  for (let count = 0; count < 200; count++) {
    writeSync(file, Buffer.alloc(8192), 0, 8192, count * 8192)
    const startedAt = performance.now()
    fdatasyncSync(file)
    times.push(performance.now() - startedAt)
  }
  closeSync(file)
  rmSync(folder, { recursive: true })
  const { median, p95 } = percentiles(times)
  const note = 'embedded, twice a message'
  return { setup: 'disk', metrics: ['median (ms)', 'p95 (ms)'], rows: [['8 KB made durable', median, p95]], note }
}

/** Size of the JavaScript that the page references, compressed as sent. */
function firstLoad(): FigureTable[] {
  const dist = join(import.meta.dirname, '../apps/web/dist')
  const index = join(dist, 'index.html')
  if (!existsSync(index)) return []
  const scripts = [...readFileSync(index, 'utf8').matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(
    (match) => match[1] ?? '',
  )
  const bytes = scripts.reduce((sum, script) => sum + gzipSync(readFileSync(join(dist, script))).length, 0)
  const metrics = ['JavaScript, gzip (kB)', 'files']
  return [{ setup: 'web app', metrics, rows: [['before the first paint', bytes / 1000, scripts.length]] }]
}
