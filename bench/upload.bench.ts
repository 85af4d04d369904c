// Cost of an upload compared with a bare Node server that streams the file to disk with the same hash and fsync.
//   node bench/upload.bench.ts [--megabytes 96] [--rounds 5] [--database-url postgresql://…]
//     [--data-dir /path/of/the/files] [--no-write]
// Random bytes go to both alternately, and in chunks to /media/uploads. They begin like pictures and continue as noise, so processing ends
// immediately; it's awaited before the next upload. The client runs on the same machine.
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
import { storeUpload } from './support/bare-upload.ts'
import { residentMegabytes } from './support/resident-memory.ts'
import { compared, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'

const PASSWORD = 'violet-harbour-teapot-91'
const MEGABYTE = 1_000_000
const WRITE_BYTES = 64 * 1024
const CHUNK_BYTES = 64 * 1024 * 1024
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
    await storeUpload(request, folder)
    response.writeHead(201).end('{}')
  })
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  })
}

interface Target {
  /** Uploads a file; resolves with the response. */
  send(content: Buffer): Promise<void>
  /** Uploads in chunks (tus), like the web app with large files. */
  sendInParts?(content: Buffer): Promise<void>
  /** Resolves when everything sent has been processed. */
  settle(): Promise<void>
}

async function bench(): Promise<void> {
  const machine = describeMachine()
  const folder = mkdtempSync(join(flags['data-dir'], 'mira-bench-'))
  const baselineFolder = join(folder, 'bare')
  mkdirSync(baselineFolder)
  const baselineServer = fork(import.meta.filename, ['--role', 'bare-server', '--folder', baselineFolder])
  const baselineUrl = await new Promise<string>((resolve) =>
    baselineServer.once('message', (url) => resolve(String(url))),
  )
  const databaseUrl = flags['database-url']
  const server = startProcess('server.ts', {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'error',
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
  })
  try {
    const mira = await connectToServer(await server.ready)
    const baseline: Target = { send: (content) => post(baselineUrl, {}, [content]), settle: () => sleep(100) }
    const tables = await measure(databaseUrl ? 'PostgreSQL' : 'embedded', server, baseline, mira)
    report('Upload', machine, tables, flags['no-write'])
  } finally {
    baselineServer.kill()
    server.kill('SIGTERM')
    await server.exited
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(
  setup: string,
  server: ProcessUnderTest,
  baseline: Target,
  mira: Target,
): Promise<FigureTable[]> {
  const largeBytes = Number(flags.megabytes) * MEGABYTE
  await sleep(3000)
  for (const target of [baseline, mira]) for (let n = 0; n < 3; n++) await target.send(noiseOf(10 * MEGABYTE))
  await sleep(3000)
  const idle = residentMegabytes(server.pid)
  const watch = watchMemory(server.pid)
  const large = { baseline: [] as number[], mira: [] as number[], parts: [] as number[] }
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const [name, target] of Object.entries({ baseline, mira }) as ['baseline' | 'mira', Target][]) {
      const content = noiseOf(largeBytes)
      large[name].push(largeBytes / MEGABYTE / (await timed(() => target.send(content))))
      // the processing of this file mustn't be measured with the next one
      await target.settle()
    }
    const content = noiseOf(largeBytes)
    large.parts.push(largeBytes / MEGABYTE / (await timed(async () => mira.sendInParts?.(content))))
    await mira.settle()
  }
  const max = watch.stop()
  const small = { baseline: [] as number[], mira: [] as number[] }
  for (const [name, target] of Object.entries({ baseline, mira }) as ['baseline' | 'mira', Target][]) {
    for (let n = 0; n < SMALL_FILES; n++) {
      const content = noiseOf(SMALL_BYTES)
      small[name].push(1000 * (await timed(() => target.send(content))))
      await target.settle()
    }
  }
  const [baselineSpeed, miraSpeed] = [percentiles(large.baseline).median, percentiles(large.mira).median]
  const inParts = percentiles(large.parts).median
  const [fast, slow] = [percentiles(small.baseline), percentiles(small.mira)]
  const sizeOf = `${flags.megabytes} MB`
  return [
    {
      setup,
      metrics: ['Mira (MB/s)', 'bare (MB/s)'],
      rows: [
        [
          `${sizeOf}, one at a time`,
          { value: miraSpeed, comparison: compared(miraSpeed, baselineSpeed, 'bare') },
          baselineSpeed,
        ],
        [
          `${sizeOf} in parts of 64 MiB (tus)`,
          { value: inParts, comparison: compared(inParts, baselineSpeed, 'bare') },
          baselineSpeed,
        ],
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

/** Bytes that begin like a picture and continue as noise, different each time. */
function noiseOf(bytes: number): Buffer {
  const content = Buffer.alloc(bytes)
  const noise = randomBytes(1 << 20)
  for (let offset = 0; offset < bytes; offset += noise.length) noise.copy(content, offset)
  randomBytes(32).copy(content, bytes - 32)
  content.set([0xff, 0xd8, 0xff, 0xe0])
  return content
}

async function connectToServer(url: string): Promise<Target> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: PASSWORD }),
  })
  if (!response.ok) throw new Error(`signing in failed with ${response.status}`)
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
    const response = await fetch(`${url}/api/media/stats`, { headers: { authorization: headers.authorization } })
    return ((await response.json()) as { processing: number }).processing > 0
  }
  return {
    send: (content) => post(`${url}/api/media/upload`, headers, parts(content)),
    async sendInParts(content) {
      const tus = { authorization: headers.authorization, 'tus-resumable': '1.0.0' }
      const metadata = `filename ${Buffer.from('noise.jpg').toString('base64')}`
      const created = await fetch(`${url}/api/media/uploads`, {
        method: 'POST',
        headers: { ...tus, 'upload-length': String(content.length), 'upload-metadata': metadata },
      })
      const address = new URL(created.headers.get('location') ?? '', `${url}/api/media/uploads`).href
      for (let offset = 0; offset < content.length; offset += CHUNK_BYTES) {
        const part = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
        await post(address, { ...tus, ...part }, [content.subarray(offset, offset + CHUNK_BYTES)], 'PATCH')
      }
    },
    async settle() {
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
        else reject(new Error(`a request failed with ${response.statusCode}`))
      })
    })
    void write(request, parts).catch(reject)
  })
}

/** Writes in pieces, like a browser that reads from disk. */
async function write(request: ReturnType<typeof httpRequest>, parts: Buffer[]): Promise<void> {
  for (const part of parts) {
    for (let offset = 0; offset < part.length; offset += WRITE_BYTES) {
      if (request.write(part.subarray(offset, offset + WRITE_BYTES))) continue
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
