// What taking pictures in costs, from the upload to a finished item, against sharp alone making the same small pictures.
//   node bench/ingest.bench.ts [--pictures 40] [--rounds 3] [--database-url postgresql://…]
//     [--data-dir /where/the/files/lie] [--no-write]
import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeSmallPictures } from '../apps/api/test/bare-pictures.ts'
import { noisyPicture } from '../apps/api/test/pictures.ts'
import { type ProcessUnderTest, startProcess } from '../apps/api/test/server-process.ts'
import type { LoopDelay } from './support/loop-delay.ts'
import { describeMachine, percentiles, table, writeSection } from './support/results.ts'

const PASSWORD = 'violet-harbour-teapot-91'
const WORKERS = 2
const SENT_AT_ONCE = 3
const POLL_MS = 50
const sizes = [
  { name: '2 megapixels', width: 1600, height: 1200 },
  { name: '12 megapixels', width: 4000, height: 3000 },
]

const { values: flags } = parseArgs({
  options: {
    role: { type: 'string' },
    folder: { type: 'string' },
    pictures: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '3' },
    'database-url': { type: 'string' },
    'data-dir': { type: 'string', default: tmpdir() },
    'no-write': { type: 'boolean', default: false },
  },
})
const count = Number(flags.pictures)

if (flags.role === 'bare') process.send?.(await makeBare(flags.folder ?? ''))
else await bench()

/** As little as makes the same small pictures and keeps them, as many at once as the server does. */
async function makeBare(folder: string): Promise<number> {
  const made = join(folder, 'made')
  await mkdir(made, { recursive: true })
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jpg'))
  const startedAt = performance.now()
  const work = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      for (const [index, content] of (await makeSmallPictures(join(folder, name))).entries()) {
        const handle = await open(join(made, `${name}-${index}`), 'w')
        await handle.writeFile(content)
        await handle.sync()
        await handle.close()
      }
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  return (performance.now() - startedAt) / 1000
}

async function bench(): Promise<void> {
  const machine = describeMachine()
  const folder = mkdtempSync(join(flags['data-dir'], 'mira-bench-'))
  const delayFile = join(folder, 'loop-delay.json')
  const databaseUrl = flags['database-url']
  const server = startProcess('server.ts', {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'error',
    INGEST_CONCURRENCY: String(WORKERS),
    NODE_OPTIONS: `--import ${new URL('./support/loop-delay.ts', import.meta.url).href}`,
    LOOP_DELAY_FILE: delayFile,
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
  })
  try {
    const mira = await connectToServer(await server.ready)
    const rows: (string | number)[][] = []
    for (const size of sizes) rows.push(await measure({ ...size, folder, server, mira, delayFile }))
    const body = [
      `\`node bench/ingest.bench.ts --pictures ${count} --rounds ${flags.rounds}\`, ${new Date().toISOString().slice(0, 10)}: ${machine}, after ${loadavg()[0]?.toFixed(1)}; ${databaseUrl ? 'PostgreSQL server' : 'embedded database'}.`,
      `${count} photos are uploaded, ${SENT_AT_ONCE} at a time and without reading or describing them, until each is a finished item with thumbnail, blurred picture, camera facts, name that can be found and, from 4 megapixels on, a copy to look at. Sharp alone makes the same thumbnails and copies from files on the disk and calls fsync for each, ${WORKERS} at a time like the server. Both take turns; medians of ${flags.rounds} rounds. The delay is how much later than it should a timer of the server comes meanwhile.`,
      table(
        ['photos of', 'sharp alone (a second)', 'Mira (a second)', 'share', 'loop delay median', 'p99', 'most (ms)'],
        rows,
      ),
    ].join('\n\n')
    console.info(`\n${body}\n`)
    if (!flags['no-write']) writeSection('Ingestion of pictures', body)
  } finally {
    server.kill('SIGTERM')
    await server.exited
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Measured {
  name: string
  width: number
  height: number
  folder: string
  server: ProcessUnderTest
  mira: Target
  delayFile: string
}

async function measure({ name, width, height, folder, server, mira, delayFile }: Measured) {
  const times = { bare: [] as number[], mira: [] as number[] }
  const delays: LoopDelay[] = []
  const rounds = Number(flags.rounds)
  // the first round makes either ready and is not counted
  for (let round = 0; round <= rounds; round++) {
    const pictures = await makePictures(round === 0 ? 6 : count, width, height)
    const bareFolder = mkdtempSync(join(folder, 'bare-'))
    for (const [index, content] of pictures.entries()) await writeFile(join(bareFolder, `${index}.jpg`), content)
    const bare = await bareSeconds(bareFolder)
    process.kill(server.pid, 'SIGUSR2')
    await sleep(500)
    const seconds = await mira.takeIn(pictures)
    const delay = JSON.parse(readFileSync(delayFile, 'utf8')) as LoopDelay
    rmSync(bareFolder, { recursive: true })
    if (round === 0) continue
    times.bare.push(pictures.length / bare)
    times.mira.push(pictures.length / seconds)
    delays.push(delay)
    console.info(
      `${name}: sharp ${times.bare.at(-1)?.toFixed(1)}, Mira ${times.mira.at(-1)?.toFixed(1)} a second`,
      delay,
    )
  }
  const [bare, whole] = [percentiles(times.bare).median, percentiles(times.mira).median]
  const delay = (pick: (one: LoopDelay) => number) => percentiles(delays.map(pick)).median.toFixed(1)
  return [
    name,
    bare.toFixed(1),
    whole.toFixed(1),
    `${(whole / bare).toFixed(2)} ×`,
    delay(({ median }) => median),
    delay(({ p99 }) => p99),
    delay(({ most }) => most),
  ]
}

/** All different, and like those of a camera: about 2 bits for each pixel. */
async function makePictures(wanted: number, width: number, height: number): Promise<Buffer[]> {
  const picture = await noisyPicture({ width, height, sigma: 12, quality: 85 })
  return Array.from({ length: wanted }, () => Buffer.concat([picture, Buffer.from(`\n${crypto.randomUUID()}`)]))
}

/** In a process of its own, as the server is one. */
function bareSeconds(folder: string): Promise<number> {
  const child = fork(import.meta.filename, ['--role', 'bare', '--folder', folder])
  return new Promise((resolve, reject) => {
    child.once('message', (seconds) => resolve(Number(seconds)))
    child.once('exit', (code) => code !== 0 && reject(new Error(`sharp alone ended with ${code}`)))
  })
}

interface Target {
  /** Seconds until all are finished items. */
  takeIn(pictures: Buffer[]): Promise<number>
}

async function connectToServer(url: string): Promise<Target> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: PASSWORD }),
  })
  if (!response.ok) throw new Error(`signing in was answered with ${response.status}`)
  const { access_token } = (await response.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}` }
  const send = async (content: Buffer) => {
    const form = new FormData()
    for (const [field, value] of Object.entries({ wait: '0', generate_caption: 'false', extract_text: 'false' })) {
      form.append(field, value)
    }
    form.append('file', new Blob([new Uint8Array(content)], { type: 'image/jpeg' }), 'photo.jpg')
    const answer = await fetch(`${url}/api/media/upload`, { method: 'POST', headers, body: form })
    if (answer.status !== 202) throw new Error(`a picture was answered with ${answer.status}: ${await answer.text()}`)
  }
  const stats = async () => {
    const answer = await fetch(`${url}/api/media/stats`, { headers })
    return (await answer.json()) as { processing: number; failed: number }
  }
  return {
    async takeIn(pictures) {
      const left = [...pictures]
      const startedAt = performance.now()
      const work = async () => {
        for (let picture = left.pop(); picture !== undefined; picture = left.pop()) await send(picture)
      }
      await Promise.all(Array.from({ length: SENT_AT_ONCE }, work))
      for (;;) {
        const { processing, failed } = await stats()
        if (failed > 0) throw new Error(`${failed} pictures failed`)
        if (processing === 0) return (performance.now() - startedAt) / 1000
        await sleep(POLL_MS)
      }
    },
  }
}
