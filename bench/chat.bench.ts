// What chatting through this server costs against calling the model server directly.
//   node bench/chat.bench.ts [--seconds 20] [--memory-seconds 20] [--streams 1,20,100] [--database-url postgresql://…]
//     [--data-dir /where/the/embedded/database/lies] [--no-write]
import { fork } from 'node:child_process'
import { closeSync, existsSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { startOpenAiServer } from '../apps/api/test/openai-server.ts'
import { type ProcessUnderTest, startProcess } from '../apps/api/test/server-process.ts'
import { describeMachine, percentiles, table, writeSection } from './support/results.ts'

const TOKENS = Array.from({ length: 50 }, (_, n) => `token${n} `)
const TOKEN_DELAY_MS = 40
const BRIEF_TOKENS = TOKENS.slice(0, 3)
const FAST_TOKENS = Array.from({ length: 2000 }, (_, n) => `token${n} `)
const FAST_STREAMS = 20
const PASSWORD = 'violet-harbour-teapot-91'
const STREAMS_PER_USER = 10
const ROUNDS = 3

const { values: flags } = parseArgs({
  options: {
    role: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    'memory-seconds': { type: 'string', default: '20' },
    streams: { type: 'string', default: '1,20,100' },
    'database-url': { type: 'string' },
    'data-dir': { type: 'string', default: tmpdir() },
    'no-write': { type: 'boolean', default: false },
  },
})

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

if (flags.role === 'model-server') await serveModel()
else await bench()

/** In a process of its own, so that it does not share an event loop with what is measured. */
async function serveModel(): Promise<void> {
  const server = await startOpenAiServer()
  server.when('fast', { text: FAST_TOKENS })
  server.when('brief', { text: BRIEF_TOKENS, delayMs: TOKEN_DELAY_MS })
  server.fallback = { text: TOKENS, delayMs: TOKEN_DELAY_MS }
  // What is recorded would grow for as long as the bench runs.
  setInterval(() => {
    server.requests.length = 0
  }, 1000)
  process.send?.(server.baseUrl)
}

interface Target {
  /** Begins an answer for a stream; resolves when it has ended. */
  ask(stream: number, content: string): Promise<{ firstTokenMs: number; tokens: number }>
}

async function bench(): Promise<void> {
  const machine = describeMachine()
  const disk = measureDisk()
  const model = fork(import.meta.filename, ['--role', 'model-server'])
  const modelUrl = await new Promise<string>((resolve) => model.once('message', (url) => resolve(String(url))))
  const sections: string[] = []
  try {
    sections.push(await measure('Embedded database', modelUrl, {}))
    const databaseUrl = flags['database-url']
    if (databaseUrl) sections.push(await measure('Server database', modelUrl, { DATABASE_URL: databaseUrl }))
  } finally {
    model.kill()
  }
  const body = [
    `\`node bench/chat.bench.ts\`, ${new Date().toISOString().slice(0, 10)}: ${machine}.`,
    `The disk takes ${disk} to make 8 KB durable, which the embedded database does twice for each message.`,
    `The model server, this server and the program that asks run on the same machine. Each stream asks again and again in a conversation of its own; an answer has ${TOKENS.length} tokens (${BRIEF_TOKENS.length} for one stream alone), one every ${TOKEN_DELAY_MS} ms. Direct and through this server take turns.`,
    ...sections,
    `First load: ${firstLoad()}.`,
  ].join('\n\n')
  console.info(`\n${body}\n`)
  if (!flags['no-write']) writeSection('Chat', body)
}

async function measure(name: string, modelUrl: string, environment: Record<string, string>): Promise<string> {
  const dataDir = mkdtempSync(join(flags['data-dir'], 'mira-bench-'))
  const start = async () => {
    const startedAt = performance.now()
    const server = startProcess('server.ts', {
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: PASSWORD,
      OPENAI_BASE_URL: modelUrl,
      CHAT_MODEL: 'bench',
      LOG_LEVEL: 'error',
      ...environment,
    })
    return { server, url: await server.ready, ms: performance.now() - startedAt }
  }
  const end = async (server: ProcessUnderTest) => {
    server.kill('SIGTERM')
    await server.exited
  }
  try {
    const cold = await start()
    await end(cold.server)
    const warm: number[] = []
    for (let times = 0; times < 3; times++) {
      const one = await start()
      warm.push(one.ms)
      await end(one.server)
    }
    const { server, url } = await start()
    try {
      await sleep(5000)
      const idle = residentMegabytes(server.pid)
      const streams = flags.streams.split(',').map(Number)
      const mira = await connectToServer(url, Math.max(...streams, FAST_STREAMS, 100))
      const direct = connectToModel(modelUrl)
      await warmUp(mira, Math.max(...streams))
      const rows: (string | number)[][] = []
      for (const count of streams) rows.push(await compare(count, direct, mira))
      const relayed = [await relay(direct), await relay(mira)]
      const memory = await watchMemory(server.pid, mira)
      return [
        `### ${name}`,
        table(['streams', 'direct median', 'p95', 'through', 'p95', 'added median', 'added p95 (ms)'], rows),
        `Tokens relayed at full speed (${FAST_STREAMS} streams): ${relayed[1]} per second; directly ${relayed[0]}.`,
        `Start: ${Math.round(cold.ms)} ms with an empty data folder, ${Math.round(percentiles(warm).median)} ms after that.`,
        `Memory (resident): ${idle} MB idle; ${memory}.`,
      ].join('\n\n')
    } finally {
      await end(server)
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Both in turns, so that a machine that is busy for a while is so for both. */
async function compare(count: number, direct: Target, mira: Target): Promise<(string | number)[]> {
  const times = { direct: [] as number[], mira: [] as number[] }
  const roundMs = (Number(flags.seconds) * 1000) / ROUNDS
  for (let round = 0; round < ROUNDS; round++) {
    times.direct.push(...(await load(direct, count, roundMs)))
    times.mira.push(...(await load(mira, count, roundMs)))
  }
  const [one, other] = [percentiles(times.direct), percentiles(times.mira)]
  const row = [one.median, one.p95, other.median, other.p95, other.median - one.median, other.p95 - one.p95]
  console.info(`${count} streams: ${row.map((ms) => ms.toFixed(1)).join(' ')} (${times.mira.length} answers)`)
  return [count, ...row.map((ms) => ms.toFixed(1))]
}

/** Lets every stream have its conversation, and the server its code compiled. */
async function warmUp(mira: Target, streams: number): Promise<void> {
  for (let round = 0; round < 5; round++) {
    for (let first = 0; first < streams; first += STREAMS_PER_USER) {
      const group = Array.from({ length: Math.min(STREAMS_PER_USER, streams - first) }, (_, at) => first + at)
      await Promise.all(group.map((stream) => mira.ask(stream, 'Be brief')))
    }
  }
}

/** Times to first token while `count` streams ask one answer after the other; they begin spread over one answer. */
async function load(target: Target, count: number, durationMs: number): Promise<number[]> {
  const endsAt = performance.now() + durationMs
  const times: number[] = []
  const answerMs = TOKENS.length * TOKEN_DELAY_MS
  await Promise.all(
    Array.from({ length: count }, async (_, stream) => {
      await sleep((stream / count) * Math.min(answerMs, durationMs / 2))
      do {
        // One stream alone would be asked too seldom.
        times.push((await target.ask(stream, count === 1 ? 'Be brief' : 'Tell me something')).firstTokenMs)
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

async function watchMemory(pid: number, mira: Target): Promise<string> {
  const seconds = Number(flags['memory-seconds'])
  const samples: number[] = []
  const sampling = setInterval(() => samples.push(residentMegabytes(pid)), 1000)
  await load(mira, 100, seconds * 1000)
  clearInterval(sampling)
  const half = samples.slice(Math.floor(samples.length / 2))
  return `with 100 streams for ${seconds} s ${Math.max(...samples)} MB at most, ${half[0]} MB in the middle, ${half.at(-1)} MB at the end`
}

/** Posts JSON and watches the stream that comes back for its first token. */
function stream(
  url: string,
  headers: Record<string, string>,
  body: object,
  isToken: RegExp,
): Promise<{ firstTokenMs: number; text: string }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const request = httpRequest(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        let firstTokenMs = Number.NaN
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          text += piece
          if (Number.isNaN(firstTokenMs) && isToken.test(text)) firstTokenMs = performance.now() - startedAt
        })
        response.on('end', () => {
          if (response.statusCode === 200 && !Number.isNaN(firstTokenMs)) resolve({ firstTokenMs, text })
          else reject(new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 500)}`))
        })
      },
    )
    request.on('error', reject)
    request.end(JSON.stringify(body))
  })
}

function connectToModel(modelUrl: string): Target {
  return {
    async ask(_stream, content) {
      const body = { model: 'bench', stream: true, messages: [{ role: 'user', content }] }
      const { firstTokenMs, text } = await stream(`${modelUrl}/chat/completions`, {}, body, /"content":"/)
      return { firstTokenMs, tokens: text.split('token').length - 1 }
    },
  }
}

async function connectToServer(url: string, streams: number): Promise<Target> {
  const signIn = async (username: string) => {
    const body = new URLSearchParams({ username, password: PASSWORD })
    const response = await fetch(`${url}/api/auth/login`, { method: 'POST', body })
    if (!response.ok) throw new Error(`${username} cannot sign in: ${await response.text()}`)
    return ((await response.json()) as { access_token: string }).access_token
  }
  const admin = await signIn('admin')
  const tokens: string[] = []
  for (let user = 0; user * STREAMS_PER_USER < streams; user++) {
    const username = `bench${user}`
    const response = await fetch(`${url}/api/admin/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
      body: JSON.stringify({ username, email: `${username}@example.org`, password: PASSWORD }),
    })
    if (!response.ok && response.status !== 409) throw new Error(`no account: ${await response.text()}`)
    tokens.push(await signIn(username))
  }
  const sessions = new Map<number, string>()
  return {
    async ask(number, content) {
      const headers = { authorization: `Bearer ${tokens[Math.floor(number / STREAMS_PER_USER)]}` }
      const body = { content, session_id: sessions.get(number) ?? null }
      const { firstTokenMs, text } = await stream(`${url}/api/chat/message`, headers, body, /"type":"chunk"/)
      const session = /"session_id":"([^"]+)"/.exec(text)?.[1]
      if (session) sessions.set(number, session)
      return { firstTokenMs, tokens: text.split('token').length - 1 }
    },
  }
}

/** How long it takes until a small write is durable. */
function measureDisk(): string {
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
  return `${median.toFixed(2)} ms (median; p95 ${p95.toFixed(2)})`
}

function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

/** The JavaScript that the page names, compressed as it is sent. */
function firstLoad(): string {
  const dist = join(import.meta.dirname, '../apps/web/dist')
  const index = join(dist, 'index.html')
  if (!existsSync(index)) return 'the web app is not built'
  const scripts = [...readFileSync(index, 'utf8').matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(
    (match) => match[1] ?? '',
  )
  const bytes = scripts.reduce((sum, script) => sum + gzipSync(readFileSync(join(dist, script))).length, 0)
  return `${(bytes / 1000).toFixed(1)} kB of JavaScript (gzip) in ${scripts.length} files before the first paint`
}
