// Memory and time that a server needs for a video of many gigabytes, which is uploaded in chunks and fully processed.
//   node bench/large-video.bench.ts [--gigabytes 10] [--video /a/video.mov] [--heap-megabytes 1024]
//     [--database-url postgresql://…] [--data-dir /path/of/the/files] [--no-write]
// The video lasts twenty minutes; most of the file is padding after the frames. Memory is resident memory.
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { open, stat, truncate } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startProcess } from '../apps/api/test/server-process.ts'
import { createVideo } from '../apps/api/test/videos.ts'
import { describeMachine, type FigureTable, report } from './support/results.ts'

const PASSWORD = 'violet-harbour-teapot-91'
const GIGABYTE = 1024 ** 3
const CHUNK_BYTES = 64 * 1024 * 1024
const READ_BYTES = 256 * 1024
const TIMEOUT_MS = 30 * 60_000

const { values: flags } = parseArgs({
  options: {
    gigabytes: { type: 'string', default: '10' },
    video: { type: 'string' },
    'heap-megabytes': { type: 'string', default: '1024' },
    'database-url': { type: 'string' },
    'data-dir': { type: 'string', default: tmpdir() },
    'no-write': { type: 'boolean', default: false },
  },
})

const machine = describeMachine()
const folder = mkdtempSync(join(flags['data-dir'], 'mira-large-video-'))
const video =
  flags.video ?? (await makeLarge(join(folder, 'video.mov'), Math.round(Number(flags.gigabytes) * GIGABYTE)))
const { size } = await stat(video)
const server = startProcess('server.ts', {
  DATA_DIR: join(folder, 'data'),
  ADMIN_PASSWORD: PASSWORD,
  LOG_LEVEL: 'error',
  NODE_OPTIONS: `--max-old-space-size=${flags['heap-megabytes']}`,
  ...(flags['database-url'] ? { DATABASE_URL: flags['database-url'] } : {}),
})
try {
  const url = await server.ready
  const token = await signIn(url)
  await sleep(5000)
  const idle = residentMegabytes(server.pid)
  const sending = watchMemory(server.pid)
  const { seconds, lastSeconds, id } = await send(url, token)
  const whileSent = sending.stop()
  const working = watchMemory(server.pid)
  const startedAt = performance.now()
  const item = await waitUntilProcessed(url, token, id)
  const workedSeconds = (performance.now() - startedAt) / 1000
  const whileWorking = working.stop()
  const failed = item.processing_steps.find(({ status }) => status === 'failed')
  if (failed) throw new Error(`nothing is measured: ${failed.name} failed: ${failed.error}`)
  const steps = item.processing_steps.map(({ name, status }) => `${name} ${status}`).join(', ')
  const table = {
    setup: `${(size / GIGABYTE).toFixed(1)} GB`,
    metrics: ['server (MB)', 'with its processes (MB)', 'time (s)', 'speed (MB/s)'],
    rows: [
      ['at rest', idle.own, idle.all, null, null],
      ['while it arrives', whileSent.own, whileSent.all, seconds, size / 1e6 / seconds],
      ['the request that ends it', null, null, lastSeconds, null],
      ['while it is worked on', whileWorking.own, whileWorking.all, workedSeconds, null],
    ] satisfies FigureTable['rows'],
  }
  console.info(`It has ${item.frames_count} frames; steps: ${steps}.`)
  report('A video of many gigabytes', machine, [table], flags['no-write'])
} finally {
  server.kill('SIGTERM')
  await server.exited
  rmSync(folder, { recursive: true, force: true })
}

/** Creates a video of twenty minutes, followed by a box that readers skip: any size, and quick to write. */
async function makeLarge(filename: string, bytes: number): Promise<string> {
  const colours = ['#204060', '#804020', '#207040', '#705080', '#a0a020']
  const scenes = Array.from({ length: 40 }, (_, n) => ({
    seconds: 30,
    colour: colours[n % colours.length] ?? '#000000',
  }))
  const picture = { codec: 'libx264', width: 640, height: 360, framesPerSecond: 2, scenes, keyFrameEvery: 20 }
  await createVideo({ filename, muxer: 'mov', video: picture })
  const { size } = await stat(filename)
  const header = Buffer.alloc(16)
  header.writeUInt32BE(1, 0)
  header.write('free', 4, 'ascii')
  header.writeBigUInt64BE(BigInt(bytes - size), 8)
  const file = await open(filename, 'a')
  await file.write(header)
  await file.close()
  await truncate(filename, bytes)
  return filename
}

async function signIn(url: string): Promise<string> {
  const body = new URLSearchParams({ username: 'admin', password: PASSWORD })
  const response = await fetch(`${url}/api/auth/login`, { method: 'POST', body })
  if (!response.ok) throw new Error(`signing in failed with ${response.status}`)
  return ((await response.json()) as { access_token: string }).access_token
}

async function send(url: string, token: string): Promise<{ seconds: number; lastSeconds: number; id: string }> {
  const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' }
  const metadata = `filename ${Buffer.from('video.mov').toString('base64')}`
  const startedAt = performance.now()
  const created = await fetch(`${url}/api/media/uploads`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(size), 'upload-metadata': metadata },
  })
  if (created.status !== 201)
    throw new Error(`creating the upload failed with ${created.status}: ${await created.text()}`)
  const address = new URL(created.headers.get('location') ?? '', `${url}/api/media/uploads`).href
  let lastSeconds = 0
  for (let offset = 0; offset < size; offset += CHUNK_BYTES) {
    const chunkStartedAt = performance.now()
    const length = Math.min(CHUNK_BYTES, size - offset)
    const content = createReadStream(video, { start: offset, end: offset + length - 1, highWaterMark: READ_BYTES })
    await new Promise<void>((resolve, reject) => {
      const part = {
        'content-type': 'application/offset+octet-stream',
        'upload-offset': offset,
        'content-length': length,
      }
      const request = httpRequest(address, { method: 'PATCH', headers: { ...headers, ...part } }, (response) => {
        response.resume()
        if (response.statusCode === 204) response.on('end', resolve)
        else reject(new Error(`a chunk failed with ${response.statusCode}`))
      })
      request.on('error', reject)
      content.pipe(request)
    })
    lastSeconds = (performance.now() - chunkStartedAt) / 1000
  }
  const seconds = (performance.now() - startedAt) / 1000
  const state = (await (await fetch(address, { headers })).json()) as { media_item: { id: string } }
  return { seconds, lastSeconds, id: state.media_item.id }
}

interface Item {
  duration: number | null
  frames_count: number | null
  processing_status: string
  processing_steps: { name: string; status: string; error: string | null }[]
}

async function waitUntilProcessed(url: string, token: string, id: string): Promise<Item> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(500)) {
    const response = await fetch(`${url}/api/media/${id}`, { headers: { authorization: `Bearer ${token}` } })
    const item = (await response.json()) as Item
    if (['completed', 'failed'].includes(item.processing_status)) return item
  }
  throw new Error('the video was not processed in time')
}

interface Memory {
  own: number
  all: number
}

function watchMemory(pid: number): { stop(): Memory } {
  const max: Memory = { own: 0, all: 0 }
  const timer = setInterval(() => {
    const { own, all } = residentMegabytes(pid)
    max.own = Math.max(max.own, own)
    max.all = Math.max(max.all, all)
  }, 250)
  return {
    stop() {
      clearInterval(timer)
      return max
    },
  }
}

/** Memory of a process, alone and with its descendants. */
function residentMegabytes(pid: number): Memory {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) && /PPid:\s+(\d+)/.exec(statusOf(Number(name)))?.[1]
    if (parent) parents.set(Number(name), Number(parent))
  }
  const isOurs = (one: number | undefined): boolean => one === pid || (one !== undefined && isOurs(parents.get(one)))
  const own = residentOf(pid)
  const all = [...parents.keys()].filter(isOurs).reduce((sum, one) => sum + residentOf(one), 0)
  return { own: Math.round(own), all: Math.round(all) }
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(statusOf(pid))?.[1] ?? 0) / 1024
}

/** Empty when the process has ended. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
