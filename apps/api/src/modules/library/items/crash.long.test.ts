import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LibraryJson, MediaItemJson } from '@mira/shared'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { TEST_PASSWORD } from '../../../../test/factories.ts'
import { noisyImage } from '../../../../test/pictures.ts'
import {
  type ProcessUnderTest,
  prepareInstance,
  startProcess,
  type TestInstance,
} from '../../../../test/server-process.ts'
import { openDatabase } from '../../../platform/database/client.ts'

const CRASHES = process.env.TEST_LONG ? 30 : 2
// With a database server, a killed process counts as dead after up to 40 seconds.
vi.setConfig({ testTimeout: CRASHES * 30_000 + 180_000 })

let instance: TestInstance
let server: ProcessUnderTest | undefined
beforeEach(async () => {
  instance = await prepareInstance()
})
afterEach(async () => {
  server?.kill('SIGKILL')
  await server?.exited
  await instance.remove()
})

async function start() {
  server = startProcess('server.ts', { ...instance.environment, ADMIN_PASSWORD: TEST_PASSWORD, LOG_LEVEL: 'warn' })
  const address = await server.ready
  const body = new URLSearchParams({ username: 'admin', password: TEST_PASSWORD })
  const login = await fetch(`${address}/api/auth/login`, { method: 'POST', body })
  const { access_token } = (await login.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}` }
  return { server, get: (path: string) => fetch(address + path, { headers }), address, headers }
}
type Running = Awaited<ReturnType<typeof start>>

/** Contents of new files by name. */
async function newFiles(round: number): Promise<Map<string, Buffer>> {
  const text = `Round ${round}. ${'The lighthouse keeper wrote a line each night. '.repeat(2000)}`
  return new Map([
    [`photo ${round}.jpg`, await noisyImage({ width: 640, height: 480 })],
    [`small ${round}.jpg`, await noisyImage({ width: 300, height: 200 })],
    [`notes ${round}.txt`, Buffer.from(text)],
  ])
}

/** Uploads files and records those that the server accepts. */
async function send({ address, headers }: Running, files: Map<string, Buffer>, accepted: Map<string, string>) {
  for (const [name, content] of files) {
    const body = new FormData()
    body.append('file', new Blob([new Uint8Array(content)]), name)
    body.append('wait', '0')
    const response = await fetch(`${address}/api/media/upload`, { method: 'POST', headers, body })
    if (response.ok) accepted.set(((await response.json()) as MediaItemJson).id, name)
  }
}

async function libraryOf({ get }: Running): Promise<MediaItemJson[]> {
  const library = (await (await get('/api/media/library?limit=500')).json()) as LibraryJson
  return library.media_items
}

const isOpen = (status: string) => status === 'pending' || status === 'processing'

/** Paths of all stored files, and paths that the database references or lists as loose. */
async function readStore(dataDir: string, databaseUrl: string | undefined) {
  const database = await openDatabase({ dataDir, ...(databaseUrl ? { databaseUrl } : {}), log: silentLog })
  try {
    const { rows } = await database.pool.query<{ path: string }>(
      `SELECT path FROM media_items UNION SELECT path FROM media_parts UNION SELECT path FROM media_copies`,
    )
    const loose = await database.pool.query<{ path: string }>('SELECT path FROM loose_files')
    const names = await readdir(join(dataDir, 'files'), { recursive: true, withFileTypes: true })
    const stored = names
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('incoming'))
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(dataDir, 'files').length + 1))
    return { referenced: rows.map(({ path }) => path), loose: new Set(loose.rows.map(({ path }) => path)), stored }
  } finally {
    await database.close()
  }
}

test(`a server killed ${CRASHES} times while receiving and processing files loses and truncates nothing`, async () => {
  const contents = new Map<string, Buffer>()
  const accepted = new Map<string, string>()
  for (let round = 0; round < CRASHES; round++) {
    const running = await start()
    const files = await newFiles(round)
    for (const [name, content] of files) contents.set(name, content)
    // Interrupts some files during their upload, and some during their processing.
    const sending = send(running, files, accepted).catch(() => {})
    await sleep(100 + Math.random() * 1500)
    running.server.kill('SIGKILL')
    await Promise.all([running.server.exited, sending])
  }

  const running = await start()
  // Steps that were interrupted several times are retried after two minutes at most.
  await expect
    .poll(async () => (await libraryOf(running)).filter(({ processing_status }) => isOpen(processing_status)).length, {
      timeout: 180_000,
      interval: 100,
    })
    .toBe(0)
  const items = new Map((await libraryOf(running)).map((item) => [item.id, item]))
  expect(accepted.size).toBeGreaterThan(0)
  expect([...accepted.keys()].filter((id) => !items.has(id))).toEqual([])

  for (const item of items.values()) {
    const content = contents.get(item.metadata.original_filename) ?? Buffer.alloc(0)
    const file = Buffer.from(await (await running.get(item.url)).arrayBuffer())
    expect(createHash('sha256').update(file).digest('hex')).toBe(createHash('sha256').update(content).digest('hex'))
    expect(item.processing_steps.filter(({ status }) => isOpen(status))).toEqual([])
    // A step that was running at each crash may have failed, with the reason.
    for (const { status, error } of item.processing_steps) if (status === 'failed') expect(error).toMatch(/server stop/)
    if (item.processing_status === 'failed') expect(item.error).toMatch(/server stop/)
    else if (item.media_type === 'image') expect((await running.get(item.thumbnail ?? '')).status).toBe(200)
  }

  running.server.kill('SIGTERM')
  expect(await running.server.exited).toBe(0)
  const { referenced, loose, stored } = await readStore(
    instance.environment.DATA_DIR,
    instance.environment.DATABASE_URL,
  )
  const onDisk = new Set(stored)
  expect(referenced.filter((path) => !onDisk.has(path))).toEqual([])
  expect(stored.filter((path) => !referenced.includes(path) && !loose.has(path))).toEqual([])
  // Next to other servers, a server can't know at once which scratch folders belong to dead ones.
  const entries = await readdir(join(instance.environment.DATA_DIR, 'scratch'))
  expect(entries.length).toBeLessThanOrEqual(instance.environment.DATABASE_URL ? CRASHES : 0)
})
