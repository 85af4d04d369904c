import { appendFile, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import { TooManyRequestsError, ValidationError } from '../../../errors.ts'
import { createScanning } from './scanning.ts'
import { createWatchedFoldersStore } from './watched-folders.store.ts'

let database: TestDatabase
let root: string
beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'mira-scanning-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))
afterAll(() => database.close())

/** Creates a watched folder with some files, and its scanner with a fake upload service. */
async function setUp({
  refusals = 0,
  fileNames = ['a.txt', 'b.txt'],
  onReceive = async () => {},
  onAccept = async (_userId: string) => {},
}) {
  const store = createWatchedFoldersStore(database)
  const { id: userId } = await insertUser(database)
  const folderId = await store.add({ path: root, userId, isEnabled: true })
  for (const name of fileNames) {
    await writeFile(join(root, name), name)
    await utimes(join(root, name), new Date(), new Date(Date.now() - 60_000))
  }
  const names: string[] = []
  const keptLocations: boolean[] = []
  const uploads = {
    admit: async (_userId: string, _bytes: number, work: () => Promise<unknown>) => {
      if (refusals-- > 0) throw new TooManyRequestsError('Not now.', { retryAfterSeconds: 0.01 })
      return work()
    },
    receive: async (content: AsyncIterable<Uint8Array>) => {
      let sha256 = ''
      for await (const bytes of content) sha256 += Buffer.from(bytes).toString()
      await onReceive()
      return { sha256, sizeBytes: sha256.length, discard: async () => {} }
    },
    accept: async ({ name }: { name: string }, options: { keep_place: boolean }) => {
      names.push(name)
      keptLocations.push(options.keep_place)
      await onAccept(userId)
      return insertMediaItem(database, userId)
    },
  }
  const settings = { current: () => ({ limits: { upload_bytes: 1000 } }) }
  const scanning = createScanning({ store, root, uploads, settings } as never)
  return {
    run: () => scanning.run(folderId, new AbortController().signal),
    folderId,
    userId,
    store,
    names,
    keptLocations,
  }
}

test('doesn’t keep a file that grew while it was read, and takes the whole file in a later scan', async () => {
  let growths = 1
  const { run, names, store, folderId } = await setUp({
    fileNames: ['film.mp4'],
    onReceive: async () => {
      if (growths-- > 0) await appendFile(join(root, 'film.mp4'), 'more')
    },
  })
  await run()
  expect(names).toEqual([])
  await utimes(join(root, 'film.mp4'), new Date(), new Date(Date.now() - 30_000))
  await run()
  expect(names).toEqual(['film.mp4'])
  expect(await store.find(folderId)).toMatchObject({ kept: 1, failed: 0, gone: 0 })
})

test('keeps the location where pictures were taken when the folder’s user has chosen so', async () => {
  const { run, userId, keptLocations } = await setUp({})
  await run()
  expect(keptLocations).toEqual([false, false])
  await writeFile(join(root, 'c.txt'), 'c.txt')
  await utimes(join(root, 'c.txt'), new Date(), new Date(Date.now() - 60_000))
  await database.pool.query('UPDATE users SET keeps_places = true WHERE id = $1', [userId])
  await run()
  expect(keptLocations).toEqual([false, false, true])
})

test('waits with a file while too many uploads are running', async () => {
  const { run, store, folderId, names } = await setUp({ refusals: 3 })
  await run()
  expect(names).toEqual(['a.txt', 'b.txt'])
  expect(await store.find(folderId)).toMatchObject({ kept: 2, failed: 0, scanning: false })
})

test('still counts as scanning while a file takes longer than a claim lasts', async () => {
  const { run, store, folderId } = await setUp({
    onAccept: async (userId) => {
      await database.pool.query(
        `UPDATE watched_folders SET claimed_at = now() - interval '1 hour' WHERE user_id = $1`,
        [userId],
      )
      vi.advanceTimersByTime(60_000)
      await vi.waitFor(async () => expect((await store.find(folderId))?.scanning).toBe(true))
    },
  })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await run().finally(() => vi.useRealTimers())
  expect(await store.find(folderId)).toMatchObject({ kept: 2, scanning: false })
})

test('doesn’t read a refused file again after a day without a restart', async () => {
  const { run, names } = await setUp({
    onAccept: async () => {
      throw new ValidationError('No file of a kind that is read here.')
    },
  })
  await run()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60_000 })
  await run().finally(() => vi.useRealTimers())
  expect(names).toEqual(['a.txt', 'b.txt'])
})

test('copies the other files when one fails unexpectedly, and then reports the failure', async () => {
  const { run, names, store, folderId } = await setUp({
    onAccept: async () => {
      if (names.length === 1) throw new Error('refused')
    },
  })
  await expect(run()).rejects.toThrow('refused')
  expect(names).toEqual(['a.txt', 'b.txt'])
  expect(await store.find(folderId)).toMatchObject({ kept: 1, failed: 1, scanning: false })
})

test('ends after twenty unexpected failures, shows the problem, and doesn’t soon retry the same files', async () => {
  const { run, names, store, folderId } = await setUp({
    fileNames: Array.from({ length: 21 }, (_, n) => `${n}.txt`),
    onAccept: async () => {
      throw Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' })
    },
  })
  await expect(run()).rejects.toThrow('No space left')
  expect(names).toHaveLength(20)
  const problem = 'Something unexpected went wrong.'
  expect(await store.find(folderId)).toMatchObject({ failed: 20, problem, scanning: false })
  await expect(run()).rejects.toThrow('No space left')
  expect(names).toHaveLength(21)
})

test.each([
  ['the folder is disabled', 'UPDATE watched_folders SET is_enabled = false WHERE user_id = $1'],
  ['the user is deactivated', 'UPDATE users SET is_active = false WHERE id = $1'],
  ['the folder is removed', 'DELETE FROM watched_folders WHERE user_id = $1 RETURNING id'],
])('stops scanning when %s', async (_name, sql) => {
  const { run, names, store, folderId } = await setUp({
    onAccept: async (userId) => void (await database.pool.query(sql, [userId])),
  })
  await run().catch(() => {})
  expect(names).toEqual(['a.txt'])
  expect((await store.find(folderId))?.scanning ?? false).toBe(false)
})
