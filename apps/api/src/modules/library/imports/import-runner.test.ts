import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { StorageFullError } from '../../../errors.ts'
import type { ChatArchives } from '../../../parsers/chat-archives/chat-archives.ts'
import { createChatImporter } from './chat-importer.ts'
import { createImportRunner, type ImportRunnerDeps } from './import-runner.ts'
import { createImportedObjectsStore } from './imported-objects.store.ts'
import { createImportsStore } from './imports.store.ts'

let mira: TestApp

beforeAll(async () => {
  mira = await startTestApp()
})

afterAll(() => mira.close())

const unused = () => {
  throw new Error('This isn’t needed to read a file.')
}

/** Creates a runner with a fake reader of files. */
function runnerWith(read: ChatArchives['count']) {
  const archives: ChatArchives = { count: read, read: unused, close: async () => {} }
  const store = createImportsStore(mira.context.database)
  const importTarget = { importOne: unused }
  const deps: Partial<ImportRunnerDeps> = {
    archives,
    store,
    chatImporter: createChatImporter({
      store: createImportedObjectsStore(mira.context.database),
      conversations: { importMany: unused, indexNext: unused },
      importTargets: { project: importTarget, persona: importTarget, prompt: importTarget },
    }),
    files: { useLocal: (path, use) => use(path) },
    withTempFolder: async (use) => use(await mkdtemp(join(tmpdir(), 'import-'))),
    queue: { enqueue: async () => {} },
    events: { publish: () => {} },
    log: silentLog,
  }
  return createImportRunner(deps as ImportRunnerDeps)
}

async function addImport({ user }: TestAccount): Promise<string> {
  const data = { userId: user.id, source: 'chatgpt', name: 'years.zip', path: randomUUID(), isPreview: true }
  return (await mira.context.database.prisma.import.create({ data })).id
}

const get = async (account: TestAccount, id: string): Promise<ImportJson> =>
  (await mira.request.get(`/api/imports/${id}`).auth(account.token, { type: 'bearer' }).expect(200)).body

const run = { signal: new AbortController().signal, isLastAttempt: false }

test('reports how much of a file has been read', async () => {
  const anna = await mira.createUser()
  const id = await addImport(anna)
  const remainder = Promise.withResolvers<void>()
  const runner = runnerWith(async (_file, { onProgress }) => {
    onProgress({ bytes: 412_000_000, ofBytes: 2_048_000_000 })
    await remainder.promise
    return { found: 0, unreadable: [], sourceIds: async function* () {} }
  })
  expect((await get(anna, id)).reading).toBeNull()
  const running = runner.handleJob(id, run)
  await expect.poll(async () => (await get(anna, id)).reading).toEqual({ bytes: 412_000_000, of_bytes: 2_048_000_000 })
  remainder.resolve()
  await running
  expect(await get(anna, id)).toMatchObject({ state: 'done', reading: null })
})

test('stops reading the file of a cancelled import', async () => {
  const anna = await mira.createUser()
  const id = await addImport(anna)
  const onStart = vi.fn()
  const runner = runnerWith(async (_file, { signal, onProgress }) => {
    onStart()
    for (let bytes = 1; ; bytes++) {
      signal.throwIfAborted()
      onProgress({ bytes, ofBytes: 1_000_000 })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
  const running = runner.handleJob(id, run)
  await vi.waitFor(() => expect(onStart).toHaveBeenCalled(), 30_000)
  await mira.request.delete(`/api/imports/${id}`).auth(anna.token, { type: 'bearer' }).expect(204)
  await running
  expect(await get(anna, id)).toMatchObject({ state: 'cancelled', reading: null })
})

test('stopping a cancelled import aborts reading at once, even when no more bytes arrive', async () => {
  const anna = await mira.createUser()
  const id = await addImport(anna)
  const startSignal = Promise.withResolvers<AbortSignal>()
  const runner = runnerWith((_file, { signal }) => {
    startSignal.resolve(signal)
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  const running = runner.handleJob(id, run)
  const signal = await startSignal.promise
  expect(await createImportsStore(mira.context.database).cancel(anna.user.id, id)).toBe(true)
  runner.stop(id)
  expect(signal.aborted).toBe(true)
  await running
  expect(await get(anna, id)).toMatchObject({ state: 'cancelled', error: null })
})

test('notices while waiting for bytes that the import was cancelled on another server', async () => {
  const anna = await mira.createUser()
  const id = await addImport(anna)
  const runner = runnerWith(
    (_file, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  )
  const running = runner.handleJob(id, run)
  await vi.waitFor(async () => expect(await get(anna, id)).toMatchObject({ state: 'running' }))
  await createImportsStore(mira.context.database).cancel(anna.user.id, id)
  await running
  expect(await get(anna, id)).toMatchObject({ state: 'cancelled' })
})

test('starts an import that crashes the server only four times, but retries one that merely fails', async () => {
  const anna = await mira.createUser()
  const id = await addImport(anna)
  const onStart = vi.fn()
  const failing = runnerWith(async () => {
    onStart()
    throw new Error('the disk is away')
  })
  for (let n = 0; n < 6; n++) await expect(failing.handleJob(id, run)).rejects.toThrow('the disk is away')
  expect(onStart).toHaveBeenCalledTimes(6)

  const store = createImportsStore(mira.context.database)
  for (let n = 0; n < 4; n++) await store.claim(id)
  await failing.handleJob(id, run)
  expect(onStart).toHaveBeenCalledTimes(6)
  expect(await get(anna, id)).toMatchObject({ state: 'failed', told: [{ code: 'import_failed' }] })
})

test.each([
  ['its folder', () => Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' })],
  ['the process that reads it', () => new StorageFullError()],
])('keeps the file of an import and waits while the disk of %s is full', async (_name, fullDisk) => {
  const anna = await mira.createUser()
  const id = await addImport(anna)
  const failing = runnerWith(async () => {
    throw fullDisk()
  })
  await expect(failing.handleJob(id, run)).rejects.toThrow(StorageFullError)
  expect(await get(anna, id)).toMatchObject({ told: [{ code: 'storage_full' }], finished_at: null })
  const working = runnerWith(async () => ({ found: 3, unreadable: [], sourceIds: async function* () {} }))
  await working.handleJob(id, run)
  expect(await get(anna, id)).toMatchObject({ state: 'done', found: 3, told: [] })
})

test('fails when the user has no storage left', async () => {
  const anna = await mira.createUser()
  const id = await addImport(anna)
  const failing = runnerWith(async () => {
    throw new StorageFullError('Your storage is full.', { code: 'user_storage_full' })
  })
  await failing.handleJob(id, run)
  expect(await get(anna, id)).toMatchObject({ state: 'failed', error: 'Your storage is full.' })
})
