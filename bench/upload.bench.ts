// What taking a file in costs against a bare Node server that streams it to the disk with the same hash and fsync.
//   node bench/upload.bench.ts [--megabytes 96] [--rounds 5] [--database-url postgresql://…]
//     [--data-dir /where/the/files/lie] [--no-write]
// Random bytes go to both in turns, and in parts to /media/uploads. They begin like pictures and go on as noise, so processing ends at once; it's
// waited for before the next one. The program that sends runs on the same machine.
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type ProcessUnderTest, startProcess } from '../apps/api/test/server-process.ts'
import { keepUpload } from './support/bare-upload.ts'
import { residentMegabytes } from './support/resident-memory.ts'
import { compared, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'

const PASSWORD = 'violet-harbour-teapot-91'
const MEGABYTE = 1_000_000
const PIECE_BYTES = 64 * 1024
const PART_BYTES = 64 * 1024 * 1024
const SMALL_BYTES = 300_000
const SMALL_FILES = 60

const { values: flags } = parseArgs({
  options: {
    role: { type: 'string' },
    folder: { type: 'string' },
    megabytes: { type: 'string', default: '96' },
    rounds: { type: 'string', default: '5' },
    'database-url': { type: 'string' },
    'data-dir': { type: 'string', default: tmpdir() },
    'no-write': { type: 'boolean', default: false },
  },
})

if (flags.role === 'bare-server') serveBare(flags.folder ?? '')
else await bench()

function serveBare(folder: string): void {
  const server = createServer(async (request, response) => {
    await keepUpload(request, folder)
    response.writeHead(201).end('{}')
  })
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  })
}

interface Target {
  /** Resolves when the file was answered for. */
  send(content: Buffer): Promise<void>
  /** The same in parts (tus), as the web app sends what is large. */
  sendInParts?(content: Buffer): Promise<void>
  /** Resolves when nothing is left to do with what was sent. */
  rest(): Promise<void>
}

async function bench(): Promise<void> {
  const machine = describeMachine()
  const folder = mkdtempSync(join(flags['data-dir'], 'mira-bench-'))
  const bareFolder = join(folder, 'bare')
  mkdirSync(bareFolder)
  const bareServer = fork(import.meta.filename, ['--role', 'bare-server', '--folder', bareFolder])
  const bareUrl = await new Promise<string>((resolve) => bareServer.once('message', (url) => resolve(String(url))))
  const databaseUrl = flags['database-url']
  const server = startProcess('server.ts', {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'error',
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
  })
  try {
    const mira = await connectToServer(await server.ready)
    const bare: Target = { send: (content) => post(bareUrl, {}, [content]), rest: () => sleep(100) }
    const tables = await measure(databaseUrl ? 'PostgreSQL' : 'embedded', server, bare, mira)
    report('Upload', machine, tables, flags['no-write'])
  } finally {
    bareServer.kill()
    server.kill('SIGTERM')
    await server.exited
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(setup: string, server: ProcessUnderTest, bare: Target, mira: Target): Promise<FigureTable[]> {
  const largeBytes = Number(flags.megabytes) * MEGABYTE
  await sleep(3000)
  for (const target of [bare, mira]) for (let n = 0; n < 3; n++) await target.send(noiseOf(10 * MEGABYTE))
  await sleep(3000)
  const idle = residentMegabytes(server.pid)
  const watch = watchMemory(server.pid)
  const large = { bare: [] as number[], mira: [] as number[], parts: [] as number[] }
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const [name, target] of Object.entries({ bare, mira }) as ['bare' | 'mira', Target][]) {
      const content = noiseOf(largeBytes)
      large[name].push(largeBytes / MEGABYTE / (await timed(() => target.send(content))))
      // what is processed of the one before must not be measured with the next
      await target.rest()
    }
    const content = noiseOf(largeBytes)
    large.parts.push(largeBytes / MEGABYTE / (await timed(async () => mira.sendInParts?.(content))))
    await mira.rest()
  }
  const max = watch.stop()
  const small = { bare: [] as number[], mira: [] as number[] }
  for (const [name, target] of Object.entries({ bare, mira }) as ['bare' | 'mira', Target][]) {
    for (let n = 0; n < SMALL_FILES; n++) {
      const content = noiseOf(SMALL_BYTES)
      small[name].push(1000 * (await timed(() => target.send(content))))
      await target.rest()
    }
  }
  const [one, other] = [percentiles(large.bare).median, percentiles(large.mira).median]
  const inParts = percentiles(large.parts).median
  const [fast, slow] = [percentiles(small.bare), percentiles(small.mira)]
  const sizeOf = `${flags.megabytes} MB`
  return [
    {
      setup,
      metrics: ['Mira (MB/s)', 'bare (MB/s)'],
      rows: [
        [`${sizeOf}, one at a time`, { value: other, comparison: compared(other, one, 'bare') }, one],
        [`${sizeOf} in parts of 64 MiB (tus)`, { value: inParts, comparison: compared(inParts, one, 'bare') }, one],
      ],
    },
    {
      setup: `${setup}, 0.3 MB`,
      metrics: ['Mira (ms)', 'bare (ms)'],
      rows: [
        ['median', slow.median, fast.median],
        ['p95', slow.p95, fast.p95],
      ],
    },
    {
      setup: `${setup}, memory`,
      metrics: ['server (MB)'],
      rows: [
        ['before', idle],
        [`most, while ${flags.rounds} files of ${sizeOf} arrive`, max],
      ],
    },
  ]
}

/** Begins like a picture and goes on as noise, other noise each time. */
function noiseOf(bytes: number): Buffer {
  const content = Buffer.alloc(bytes)
  const noise = randomBytes(1 << 20)
  for (let at = 0; at < bytes; at += noise.length) noise.copy(content, at)
  randomBytes(32).copy(content, bytes - 32)
  content.set([0xff, 0xd8, 0xff, 0xe0])
  return content
}

async function connectToServer(url: string): Promise<Target> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: PASSWORD }),
  })
  if (!response.ok) throw new Error(`signing in was answered with ${response.status}`)
  const { access_token } = (await response.json()) as { access_token: string }
  const boundary = 'bench-7b1f0e6a'
  const headers = {
    authorization: `Bearer ${access_token}`,
    'content-type': `multipart/form-data; boundary=${boundary}`,
  }
  const field = `--${boundary}\r\nContent-Disposition: form-data; name="wait"\r\n\r\n0\r\n`
  const beginning = `${field}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="noise.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`
  const parts = (content: Buffer) => [Buffer.from(beginning), content, Buffer.from(`\r\n--${boundary}--\r\n`)]
  const isBusy = async () => {
    const answer = await fetch(`${url}/api/media/stats`, { headers: { authorization: headers.authorization } })
    return ((await answer.json()) as { processing: number }).processing > 0
  }
  return {
    send: (content) => post(`${url}/api/media/upload`, headers, parts(content)),
    async sendInParts(content) {
      const tus = { authorization: headers.authorization, 'tus-resumable': '1.0.0' }
      const metadata = `filename ${Buffer.from('noise.jpg').toString('base64')}`
      const begun = await fetch(`${url}/api/media/uploads`, {
        method: 'POST',
        headers: { ...tus, 'upload-length': String(content.length), 'upload-metadata': metadata },
      })
      const address = new URL(begun.headers.get('location') ?? '', `${url}/api/media/uploads`).href
      for (let at = 0; at < content.length; at += PART_BYTES) {
        const part = { 'upload-offset': String(at), 'content-type': 'application/offset+octet-stream' }
        await post(address, { ...tus, ...part }, [content.subarray(at, at + PART_BYTES)], 'PATCH')
      }
    },
    async rest() {
      while (await isBusy()) await sleep(100)
    },
  }
}

function post(url: string, headers: Record<string, string>, parts: Buffer[], method = 'POST'): Promise<void> {
  return new Promise((resolve, reject) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    const request = httpRequest(url, { method, headers: { ...headers, 'content-length': length } })
    request.on('error', reject)
    request.on('response', (response) => {
      response.resume()
      response.on('end', () => {
        if ((response.statusCode ?? 500) < 300) resolve()
        else reject(new Error(`a file was answered with ${response.statusCode}`))
      })
    })
    void write(request, parts).catch(reject)
  })
}

/** In pieces, as a browser reads them from its disk. */
async function write(request: ReturnType<typeof httpRequest>, parts: Buffer[]): Promise<void> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      if (request.write(part.subarray(at, at + PIECE_BYTES))) continue
      await new Promise<void>((resolve) => request.once('drain', () => resolve()))
    }
  }
  request.end()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

function watchMemory(pid: number) {
  let max = 0
  const timer = setInterval(() => {
    max = Math.max(max, residentMegabytes(pid))
  }, 100)
  return {
    stop() {
      clearInterval(timer)
      return max
    },
  }
}
