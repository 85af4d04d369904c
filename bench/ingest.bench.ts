// What taking files in costs, from the upload to a finished item: pictures, against sharp alone making the same small
// pictures, and against a bare server that also receives, hashes, stores and syncs them; and small texts.
//   node bench/ingest.bench.ts [--pictures 40] [--texts 200] [--rounds 3] [--database-url postgresql://…]
//     [--data-dir /where/the/files/lie] [--no-write]
// Three are sent at a time, pictures are made two at a time. Photos, neither read nor described, count once they're
// finished items with thumbnail, blurred picture, camera facts, a name that can be found and, from 4 megapixels on, a
// copy to look at; texts once they can be found. All take turns. What is sent is written before the clock runs.
// Statements and transactions are all that the server asks of its database meanwhile, CPU is that of its process, each
// divided by the files. The loop's delay is how much later than it should a timer of the server comes.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createSemaphore } from '../apps/api/src/platform/lib/semaphore.ts'
import { makeSmallPictures } from '../apps/api/test/bare-pictures.ts'
import { noisyPicture } from '../apps/api/test/pictures.ts'
import { type ProcessUnderTest, startProcess } from '../apps/api/test/server-process.ts'
import { keepUpload } from './support/bare-upload.ts'
import { compared, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { figuresSoFar, type ServerFigures } from './support/server-figures.ts'
import { STARTED_WITH } from './support/started-server.ts'

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
    texts: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    'database-url': { type: 'string' },
    'data-dir': { type: 'string', default: tmpdir() },
    'no-write': { type: 'boolean', default: false },
  },
})
const count = Number(flags.pictures)
const textCount = Number(flags.texts)

if (flags.role === 'bare') process.send?.(await makeBare(flags.folder ?? ''))
else if (flags.role === 'bare-server') serveBare(flags.folder ?? '')
else await bench()

/** As little as makes the same small pictures and keeps them, as many at once as the server does. */
async function makeBare(folder: string): Promise<number> {
  const made = join(folder, 'made')
  await mkdir(made, { recursive: true })
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jpg'))
  const startedAt = performance.now()
  const work = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) await makeSmall(join(folder, name), made)
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  return (performance.now() - startedAt) / 1000
}

async function makeSmall(filename: string, folder: string): Promise<void> {
  for (const [index, content] of (await makeSmallPictures(filename)).entries()) {
    const handle = await open(join(folder, `${basename(filename)}-${index}`), 'w')
    await handle.writeFile(content)
    await handle.sync()
    await handle.close()
  }
}

/** The same behind a server: each file is kept as one that is answered for, then made small. A GET tells how many are left. */
function serveBare(folder: string): void {
  const semaphore = createSemaphore({ permits: WORKERS })
  let left = 0
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      const filename = await keepUpload(request, folder)
      left++
      void semaphore.run(() => makeSmall(filename, folder)).then(() => left--)
    }
    response.end(String(left))
  })
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  })
}

/** Begins such a server. */
async function startBareServer(folder: string): Promise<Target & { stop(): void }> {
  const child = fork(import.meta.filename, ['--role', 'bare-server', '--folder', folder])
  const url = await new Promise<string>((resolve) => child.once('message', (told) => resolve(String(told))))
  return {
    ...takingIn({
      prepare: async ({ content }) => new Uint8Array(content),
      send: async (body) => {
        const answer = await fetch(url, { method: 'POST', body })
        if (!answer.ok) throw new Error(`the bare server answered with ${answer.status}`)
      },
      left: async () => Number(await (await fetch(url)).text()),
    }),
    stop: () => child.kill(),
  }
}

async function bench(): Promise<void> {
  const machine = describeMachine()
  const folder = mkdtempSync(join(flags['data-dir'], 'mira-bench-'))
  const figuresFile = join(folder, 'figures.json')
  const databaseUrl = flags['database-url']
  const server = startProcess('server.ts', {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'error',
    INGEST_CONCURRENCY: String(WORKERS),
    ...STARTED_WITH,
    NODE_OPTIONS: `${STARTED_WITH.NODE_OPTIONS} --import ${new URL('./support/server-figures.ts', import.meta.url).href}`,
    SERVER_FIGURES_FILE: figuresFile,
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
  })
  try {
    const mira = await connectToServer(await server.ready)
    const rows: FigureTable['rows'] = []
    for (const size of sizes) rows.push(await measurePictures({ ...size, folder, server, mira, figuresFile }))
    rows.push(await measureTexts({ folder, server, mira, figuresFile }))
    const metrics = [
      ...[
        'Mira (files/s)',
        'sharp alone (files/s)',
        'bare server (files/s)',
        'statements (each)',
        'transactions (each)',
      ],
      ...['CPU (ms each)', 'loop delay, median (ms)', 'p99 (ms)', 'most (ms)'],
    ]
    report('Ingestion', machine, [{ setup: databaseUrl ? 'PostgreSQL' : 'embedded', metrics, rows }], flags['no-write'])
  } finally {
    server.kill('SIGTERM')
    await server.exited
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Place {
  folder: string
  server: ProcessUnderTest
  mira: Target
  figuresFile: string
}

/** The server's figures of taking files in, and how many of them a second. */
async function takeIn(files: UploadedFile[], { server, mira, figuresFile }: Place) {
  await figuresSoFar(server.pid, figuresFile)
  const seconds = await mira.takeIn(files)
  const figures = await figuresSoFar(server.pid, figuresFile)
  return { perSecond: files.length / seconds, figures }
}

interface Rounds {
  name: string
  /** A second, by sharp alone and by the bare server; none of texts. */
  alone: number[]
  served: number[]
  through: Awaited<ReturnType<typeof takeIn>>[]
  files: number
}

function rowOf({ name, alone, served, through, files }: Rounds): FigureTable['rows'][number] {
  const value = percentiles(through.map(({ perSecond }) => perSecond)).median
  const [sharp, bare] = [percentiles(alone).median, percentiles(served).median]
  const comparison =
    alone.length > 0 ? `${compared(value, sharp, 'sharp alone')}, ${compared(value, bare, 'bare server')}` : ''
  const of = (pick: (figures: ServerFigures) => number) =>
    percentiles(through.map(({ figures }) => pick(figures))).median
  return [
    name,
    { value, comparison },
    sharp,
    bare,
    of(({ statements }) => statements) / files,
    of(({ transactions }) => transactions) / files,
    of(({ processorMs }) => processorMs) / files,
    of(({ loopDelay }) => loopDelay.median),
    of(({ loopDelay }) => loopDelay.p99),
    of(({ loopDelay }) => loopDelay.max),
  ]
}

async function measurePictures({
  name,
  width,
  height,
  ...place
}: Place & { name: string; width: number; height: number }) {
  const rounds: Rounds = { name: `photos of ${name}`, alone: [], served: [], through: [], files: count }
  // the first round makes either ready and is not counted
  for (let round = 0; round <= Number(flags.rounds); round++) {
    const pictures = await makePictures(round === 0 ? 6 : count, width, height)
    const bareFolder = mkdtempSync(join(place.folder, 'bare-'))
    for (const [index, content] of pictures.entries()) await writeFile(join(bareFolder, `${index}.jpg`), content)
    const alone = pictures.length / (await bareSeconds(bareFolder))
    const files = pictures.map((content) => ({ content, name: 'photo.jpg', type: 'image/jpeg' }))
    const servedFolder = mkdtempSync(join(place.folder, 'bare-'))
    const bareServer = await startBareServer(servedFolder)
    const served = files.length / (await bareServer.takeIn(files))
    bareServer.stop()
    const taken = await takeIn(files, place)
    for (const made of [bareFolder, servedFolder]) rmSync(made, { recursive: true })
    if (round === 0) continue
    rounds.alone.push(alone)
    rounds.served.push(served)
    rounds.through.push(taken)
    const speeds = [alone, served, taken.perSecond].map((speed) => speed.toFixed(1)).join(', ')
    console.info(`${name}: sharp, bare server, Mira ${speeds} a second`, taken.figures)
  }
  return rowOf(rounds)
}

async function measureTexts(place: Place) {
  const rounds: Rounds = { name: 'small texts', alone: [], served: [], through: [], files: textCount }
  for (let round = 0; round <= Number(flags.rounds); round++) {
    const files = Array.from({ length: round === 0 ? 20 : textCount }, () => ({
      content: Buffer.from(
        `${crypto.randomUUID()}\n${'The keeper wrote a line about the ships each night. '.repeat(8)}`,
      ),
      ...{ name: 'notes.txt', type: 'text/plain' },
    }))
    const taken = await takeIn(files, place)
    if (round === 0) continue
    rounds.through.push(taken)
    console.info(`texts: Mira ${taken.perSecond.toFixed(1)} a second`, taken.figures)
  }
  return rowOf(rounds)
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

interface UploadedFile {
  content: Buffer
  name: string
  type: string
}

interface Target {
  /** Seconds until all are finished items. */
  takeIn(files: UploadedFile[]): Promise<number>
}

async function connectToServer(url: string): Promise<Target> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: PASSWORD }),
  })
  if (!response.ok) throw new Error(`signing in was answered with ${response.status}`)
  const { access_token } = (await response.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}` }
  const prepare = async ({ content, name, type }: UploadedFile) => {
    const form = new FormData()
    const unwanted = type === 'image/jpeg' ? { generate_caption: 'false', extract_text: 'false' } : {}
    for (const [field, value] of Object.entries({ wait: '0', ...unwanted })) {
      form.append(field, value)
    }
    form.append('file', new Blob([new Uint8Array(content)], { type }), name)
    const written = new Response(form)
    return { body: await written.bytes(), contentType: written.headers.get('content-type') ?? '' }
  }
  const send = async ({ body, contentType }: Awaited<ReturnType<typeof prepare>>) => {
    const answer = await fetch(`${url}/api/media/upload`, {
      method: 'POST',
      headers: { ...headers, 'content-type': contentType },
      body,
    })
    if (answer.status !== 202) throw new Error(`a file was answered with ${answer.status}: ${await answer.text()}`)
  }
  const stats = async () => {
    const answer = await fetch(`${url}/api/media/stats`, { headers })
    return (await answer.json()) as { processing: number; failed: number }
  }
  return takingIn({
    prepare,
    send,
    left: async () => {
      const { processing, failed } = await stats()
      if (failed > 0) throw new Error(`${failed} files failed`)
      return processing
    },
  })
}

/** Writes what is sent of each file, and then sends them, some at once, and waits until nothing is left to do with them. */
function takingIn<Body>({
  prepare,
  send,
  left,
}: {
  prepare(file: UploadedFile): Promise<Body>
  send(body: Body): Promise<void>
  left(): Promise<number>
}): Target {
  return {
    async takeIn(files) {
      const waiting = await Promise.all(files.map(prepare))
      const startedAt = performance.now()
      const work = async () => {
        for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) await send(body)
      }
      await Promise.all(Array.from({ length: SENT_AT_ONCE }, work))
      while ((await left()) > 0) await sleep(POLL_MS)
      return (performance.now() - startedAt) / 1000
    },
  }
}
