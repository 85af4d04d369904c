// What real photos cost from the upload to a finished item, as a new user has it: text read, captions and embeddings asked of
// a stand-in for a model server that takes 20 ms for every answer. Beside it, in turns, what no server can do without: hash,
// write, fsync, and sharp making the same small pictures.
//   node bench/real-photos.bench.ts --photos /folder/of/jpegs [--rounds 3] [--unread] [--no-write]
// Three are sent at a time and counted once nothing is left to do with any; the bare ones are made two at a time. The first
// round, of six photos, makes all ready and isn't counted. --unread leaves reading out, which the figures then say.
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeSmallPictures } from '../apps/api/test/bare-pictures.ts'
import { startProcess } from '../apps/api/test/server-process.ts'
import { CHAT_MODEL, startModelStandIn } from './support/model-stand-in.ts'
import { compared, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { STARTED_WITH } from './support/started-server.ts'

const PASSWORD = 'violet-harbour-teapot-91'
const [BARE_AT_ONCE, SENT_AT_ONCE] = [2, 3]
const POLL_MS = 50
const ANSWER_MS = 20
const FIRST = 6

const { values: flags } = parseArgs({
  options: {
    role: { type: 'string' },
    photos: { type: 'string' },
    folder: { type: 'string' },
    count: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    unread: { type: 'boolean', default: false },
    'no-write': { type: 'boolean', default: false },
  },
})
if (flags.photos === undefined) throw new Error('Which photos? --photos /folder/of/jpegs')
const photos = flags.photos
const names = (await readdir(photos)).filter((name) => /\.jpe?g$/i.test(name)).toSorted()
if (names.length === 0) throw new Error(`There is no JPEG in ${photos}.`)

if (flags.role === 'bare') process.send?.(await keepBare(flags.folder ?? '', Number(flags.count)))
else await bench(photos)

/** Takes each of some items, several at once. @returns seconds */
async function timed<Item>(items: Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<number> {
  const left = [...items]
  const startedAt = performance.now()
  const takeAll = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, takeAll))
  return (performance.now() - startedAt) / 1000
}

async function keepBare(folder: string, count: number): Promise<number> {
  const keep = async (name: string, content: Uint8Array) => {
    const handle = await open(join(folder, name), 'w')
    await handle.writeFile(content)
    await handle.sync()
    await handle.close()
  }
  return timed(names.slice(0, count), BARE_AT_ONCE, async (name) => {
    const content = await readFile(join(photos, name))
    await keep(createHash('sha256').update(content).digest('hex'), content)
    const made = await makeSmallPictures(join(photos, name))
    for (const [index, small] of made.entries()) await keep(`${name}-${index}`, small)
  })
}

/** In a process of its own, as the server is one. */
async function bareSeconds(count: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'mira-bare-'))
  const args = ['--role', 'bare', '--photos', photos, '--folder', folder, '--count', String(count)]
  const child = fork(import.meta.filename, args)
  try {
    return await new Promise((resolve, reject) => {
      child.once('message', (seconds) => resolve(Number(seconds)))
      child.once('exit', (code) => reject(new Error(`the bare process ended with ${code}`)))
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function bench(photos: string): Promise<void> {
  const machine = describeMachine()
  const folder = mkdtempSync(join(tmpdir(), 'mira-real-photos-'))
  const model = await startModelStandIn('bag-of-words', undefined, ANSWER_MS)
  const server = startProcess('server.ts', {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'error',
    OPENAI_BASE_URL: model.baseUrl,
    CHAT_MODEL,
    EMBEDDING_MODEL: model.embeddingModel ?? '',
    ...STARTED_WITH,
  })
  try {
    const takeIn = await connect(await server.ready)
    const [alone, through]: [number[], number[]] = [[], []]
    for (let round = 0; round <= Number(flags.rounds); round++) {
      const count = round === 0 ? Math.min(FIRST, names.length) : names.length
      const bare = count / (await bareSeconds(count))
      const contents = await Promise.all(names.slice(0, count).map((name) => readFile(join(photos, name))))
      // the same file wouldn't be taken in twice
      const taken =
        count / (await takeIn(contents.map((content) => Buffer.concat([content, Buffer.from(crypto.randomUUID())]))))
      if (round === 0) continue
      console.info(`bare, Mira ${bare.toFixed(1)}, ${taken.toFixed(2)} a second`)
      alone.push(bare)
      through.push(taken)
    }
    const [own, bare] = [percentiles(through).median, percentiles(alone).median]
    const kind = flags.unread ? 'real photos, NOT READ' : 'real photos, read'
    const row: FigureTable['rows'][number] = [
      `${names.length} ${kind}`,
      { value: own, comparison: compared(own, bare, 'bare') },
      bare,
    ]
    const metrics = ['Mira (photos/s)', 'sharp, hash, write and fsync alone (photos/s)']
    report('Real photos', machine, [{ setup: 'embedded', metrics, rows: [row] }], flags['no-write'])
  } finally {
    server.kill('SIGTERM')
    await server.exited
    await model.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Signs in. @returns what sends files and waits for the end of all work on them, in seconds */
async function connect(url: string): Promise<(files: Buffer[]) => Promise<number>> {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: PASSWORD }),
  })
  if (!answer.ok) throw new Error(`signing in was answered with ${answer.status}`)
  const { access_token } = (await answer.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}` }
  const send = async (content: Buffer) => {
    const form = new FormData()
    form.append('wait', '0')
    if (flags.unread) form.append('extract_text', 'false')
    form.append('file', new Blob([new Uint8Array(content)], { type: 'image/jpeg' }), 'photo.jpg')
    const sent = await fetch(`${url}/api/media/upload`, { method: 'POST', headers, body: form })
    if (sent.status !== 202) throw new Error(`a photo was answered with ${sent.status}: ${await sent.text()}`)
  }
  const left = async () => {
    const told = await fetch(`${url}/api/media/stats`, { headers })
    const { processing, failed } = (await told.json()) as { processing: number; failed: number }
    if (failed > 0) throw new Error(`${failed} photos failed`)
    return processing
  }
  return async (files) => {
    const startedAt = performance.now()
    await timed(files, SENT_AT_ONCE, send)
    while ((await left()) > 0) await sleep(POLL_MS)
    return (performance.now() - startedAt) / 1000
  }
}
