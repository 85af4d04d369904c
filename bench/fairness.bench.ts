// Time for one user's first item, alone and while another user has long queues of everything. Photos of 800 × 600 pixels are inspected
// (read with --read) and not described; local models are off. An import ends when its server turns out not to be Immich; a webhook is
// measured from the upload of a note until its receiver is called. The model server takes 1.5 s for an answer and does one after the other.
// “Begun” is when the first step of a photo has started.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createPhotoLikeImage } from '../apps/api/test/photographs.ts'
import { startProcess } from '../apps/api/test/server-process.ts'
import { compared, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { startEnvironment } from './support/started-server.ts'

const PASSWORD = 'violet-harbour-teapot-91'
const POLL_MS = 25
const ANSWER_MS = 1_500

const { values: flags } = parseArgs({
  options: {
    'database-url': { type: 'string' },
    photos: { type: 'string', default: '40,400' },
    /** Reads the text in the photos, too, which takes seconds each. */
    read: { type: 'boolean', default: false },
    /** Measures only page, import, message, hook or photo. */
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    'no-write': { type: 'boolean', default: false },
  },
})
const rounds = Number(flags.rounds)
const wants = (name: string) => flags.only === undefined || flags.only === name
const queueLengths = flags.photos.split(',').map(Number)

async function listen(handle: RequestListener) {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, close: () => server.closeAllConnections() }
}

/** Server that never responds. */
const silent = await listen(() => {})
/** Server that responds immediately. */
const quick = await listen((_request, response) => {
  received++
  response.setHeader('content-type', 'text/html')
  response.end(`<title>Page ${received}</title><p>The keeper wrote a line about the ships each night, ${received}.`)
})
let received = 0
let previous: Promise<unknown> = Promise.resolve()
/** Model server that handles one request at a time, in order of arrival. */
const models = await listen((request, response) => {
  if (request.url?.endsWith('/models')) {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'one-at-a-time', object: 'model' }] }))
    return
  }
  request.resume()
  previous = previous.then(async () => {
    if (response.destroyed) return
    await sleep(ANSWER_MS)
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', model: 'one-at-a-time', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
    response.setHeader('content-type', 'text/event-stream')
    response.end(`${chunk({ role: 'assistant', content: 'Done.' })}${chunk({}, 'stop')}data: [DONE]\n\n`)
  })
})

const folder = mkdtempSync(join(tmpdir(), 'mira-fairness-'))
const server = startProcess('server.ts', {
  DATA_DIR: join(folder, 'data'),
  ADMIN_PASSWORD: PASSWORD,
  LOG_LEVEL: 'error',
  OPENAI_BASE_URL: `${models.url}/v1`,
  CHAT_MODEL: 'one-at-a-time',
  FETCH_ALLOWED_HOSTS: [silent, quick].map(({ port }) => `127.0.0.1:${port}`).join(','),
  ...startEnvironment,
  ...(flags['database-url'] ? { DATABASE_URL: flags['database-url'] } : {}),
})

interface User {
  call(path: string, init?: RequestInit & { json?: unknown }): Promise<Response>
}

async function signIn(url: string, username: string): Promise<User> {
  const body = new URLSearchParams({ username, password: PASSWORD })
  const response = await fetch(`${url}/api/auth/login`, { method: 'POST', body })
  const { access_token } = (await response.json()) as { access_token: string }
  return {
    call: (path, { json, ...init } = {}) =>
      fetch(`${url}/api${path}`, {
        ...init,
        headers: {
          authorization: `Bearer ${access_token}`,
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
      }),
  }
}

async function upload(user: User, content: Buffer, name: string, type: string): Promise<string> {
  for (;;) {
    const form = new FormData()
    for (const [field, value] of Object.entries({
      wait: '0',
      generate_caption: 'false',
      extract_text: String(flags.read),
    })) {
      form.append(field, value)
    }
    form.append('file', new Blob([new Uint8Array(content)], { type }), name)
    const response = await user.call('/media/upload', { method: 'POST', body: form })
    if (response.ok) return ((await response.json()) as { id: string }).id
    if (response.status !== 429 && response.status !== 503) throw new Error(await response.text())
    await sleep(200)
  }
}

/** Milliseconds until the first step of an item has started, and until the item is done. */
async function untilDone(user: User, id: string) {
  const begin = performance.now()
  let startedMs = Number.NaN
  for (;;) {
    const item = (await (await user.call(`/media/${id}`)).json()) as {
      processing_status: string
      processing_steps: { status: string }[]
    }
    if (Number.isNaN(startedMs) && item.processing_steps.some(({ status }) => status !== 'pending')) {
      startedMs = performance.now() - begin
    }
    if (item.processing_status === 'completed' || item.processing_status === 'failed') {
      return { startedMs, doneMs: performance.now() - begin }
    }
    await sleep(POLL_MS)
  }
}

let photoNumber = 0
const photo = () => createPhotoLikeImage(800, 600, ++photoNumber)

async function onePhoto(user: User) {
  const content = Buffer.from(await photo())
  const id = await upload(user, content, 'photo.jpg', 'image/jpeg')
  return untilDone(user, id)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

async function onePage(user: User) {
  const response = await user.call('/pages', { json: { url: `${quick.url}/${Math.random()}`, wait: 0 } })
  if (!response.ok) throw new Error(`saving a page failed with ${response.status}: ${await response.text()}`)
}

async function oneImport(user: User) {
  const response = await user.call('/imports', {
    json: { source: 'immich', url: quick.url, key: 'key', preview: true },
  })
  const { id } = (await response.json()) as { id: string }
  for (;;) {
    const { state } = (await (await user.call(`/imports/${id}`)).json()) as { state: string }
    // the server is not Immich, and the import ends when that is detected
    if (state === 'failed' || state === 'done') return
    await sleep(POLL_MS)
  }
}

const oneMessage = async (user: User) =>
  (await user.call('/chat/message', { json: { content: 'Tell me a word, please.' } })).text()

/** Uploads a note, and waits until the user's webhook receiver is called. */
async function oneHook(user: User) {
  const receivedBefore = received
  await upload(user, Buffer.from(`The lamp was lit at ${Math.random()}.`), 'note.txt', 'text/plain')
  while (received === receivedBefore) await sleep(POLL_MS)
}

const median = (values: number[]) => percentiles(values).median
const rows: FigureTable['rows'] = []
const row = (name: string, aloneMs: number[], behindMs: number[], startedMs: number | null = null) => {
  const [own, behind] = [median(aloneMs) / 1000, median(behindMs) / 1000]
  const comparison = compared(behind, own, 'alone')
  rows.push([name, own, { value: behind, comparison }, startedMs === null ? null : startedMs / 1000])
  console.info(name, own, behind, startedMs ?? '')
}

async function repeat(work: () => Promise<number>) {
  const values: number[] = []
  for (let round = 0; round < rounds; round++) values.push(await work())
  return values
}

try {
  const url = await server.ready
  const admin = await signIn(url, 'admin')
  for (const username of ['ada', 'bob']) {
    const account = {
      username,
      email: `${username}@example.org`,
      password: PASSWORD,
      can_upload: true,
      can_use_agents: true,
    }
    const response = await admin.call('/admin/users', { json: account })
    if (!response.ok && response.status !== 409) throw new Error(await response.text())
  }
  const [ada, bob] = [await signIn(url, 'ada'), await signIn(url, 'bob')]
  const machine = describeMachine()

  if (wants('page')) {
    const aloneMs = await repeat(() => timed(() => onePage(bob)))
    const aborter = new AbortController()
    const stuck = Array.from({ length: 50 }, () =>
      ada
        .call('/pages', { json: { url: `${silent.url}/${Math.random()}`, wait: 0 }, signal: aborter.signal })
        .catch(() => {}),
    )
    await sleep(500)
    row('a page behind 50 that never answer', aloneMs, await repeat(() => timed(() => onePage(bob))))
    aborter.abort()
    await Promise.all(stuck)
  }

  if (wants('import')) {
    const aloneMs = await repeat(() => timed(() => oneImport(bob)))
    for (let n = 0; n < 3; n++) {
      await ada.call('/imports', { json: { source: 'immich', url: silent.url, key: 'key', preview: true } })
    }
    await sleep(500)
    row('an import behind a server that never answers', aloneMs, await repeat(() => timed(() => oneImport(bob))))
  }

  if (wants('message')) {
    const aloneMs = await repeat(() => timed(() => oneMessage(bob)))
    const messages = Array.from({ length: 12 }, () => oneMessage(ada))
    await sleep(ANSWER_MS)
    row('a message behind 12 to a model server that answers one at a time', aloneMs, [
      await timed(() => oneMessage(bob)),
    ])
    await Promise.all(messages)
  }

  if (wants('hook')) {
    await bob.call('/me/hooks', { json: { url: `${quick.url}/hook`, name: 'quick', events: ['media.done'] } })
    const aloneMs = await repeat(() => timed(() => oneHook(bob)))
    for (let n = 0; n < 6; n++) {
      await ada.call('/me/hooks', { json: { url: `${silent.url}/${n}`, name: `silent ${n}`, events: ['media.done'] } })
    }
    for (let n = 0; n < 20; n++) {
      await upload(ada, Buffer.from(`Line ${n} of ${Math.random()}.`), `${n}.txt`, 'text/plain')
    }
    await sleep(1000)
    row('a webhook behind 120 to receivers that never answer', aloneMs, await repeat(() => timed(() => oneHook(bob))))
  }

  const photosAlone: number[] = []
  if (wants('photo')) {
    // the first photo starts the reader processes
    await onePhoto(bob)
    photosAlone.push(...(await repeat(async () => (await onePhoto(bob)).doneMs)))
  }
  for (const count of wants('photo') ? queueLengths : []) {
    const began = performance.now()
    const pictures = await Promise.all(Array.from({ length: count }, photo))
    for (const content of pictures) await upload(ada, Buffer.from(content), 'photo.jpg', 'image/jpeg')
    const measured: Awaited<ReturnType<typeof onePhoto>>[] = []
    for (let round = 0; round < rounds; round++) measured.push(await onePhoto(bob))
    row(
      `a photo behind another user's ${count}`,
      photosAlone,
      measured.map(({ doneMs }) => doneMs),
      median(measured.map(({ startedMs }) => startedMs)),
    )
    for (;;) {
      const { processing } = (await (await ada.call('/media/stats')).json()) as { processing: number }
      if (processing === 0) break
      await sleep(500)
    }
    console.info(`all ${count} took ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }

  const setup = `${flags['database-url'] ? 'PostgreSQL' : 'embedded'}, ${rounds} rounds${flags.read ? ', photos read' : ''}`
  const metrics = ['alone (s)', 'behind the other user (s)', 'begun after (s)']
  report('Fairness between users', machine, [{ setup, metrics, rows }], flags['no-write'])
} finally {
  server.kill('SIGTERM')
  await server.exited
  for (const one of [silent, quick, models]) one.close()
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}
