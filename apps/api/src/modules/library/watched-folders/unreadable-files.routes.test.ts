import disk, { mkdir, mkdtemp, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { type WatchedFolderCalls, watchedFolderCallsOf } from '../../../../test/watched-folder-calls.ts'

let mira: TestApp
let base: string
let root: string
let folder: string
let account: TestAccount
let folders: WatchedFolderCalls

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'mira-watched-')))
  root = join(base, 'root')
  await mkdir(root)
  mira = await startTestApp({ environment: { WATCHED_FOLDERS_ROOT: root }, settledMs: 0, isStarted: true })
})
beforeEach(async () => {
  account = await mira.createUser({ can_upload: true })
  folders = watchedFolderCallsOf(mira, account)
  folder = await mkdtemp(join(root, 'folder-'))
})
afterAll(async () => {
  await mira.close()
  await rm(base, { recursive: true, force: true })
})

/** Error codes that disk operations fail with, by operation and file name. */
const failures = { lstat: new Map<string, string>(), open: new Map<string, string>(), read: new Map<string, string>() }
function breakDisk() {
  const errorOf = (codes: Map<string, string>, path: unknown) => {
    const code = codes.get(basename(String(path)))
    return code === undefined ? null : Object.assign(new Error(`${code}: no luck`), { code })
  }
  const { lstat, open } = disk
  const spies = [
    vi.spyOn(disk, 'lstat').mockImplementation((async (path: string) => {
      const error = errorOf(failures.lstat, path)
      if (error !== null) throw error
      return lstat(path)
    }) as typeof lstat),
    vi.spyOn(disk, 'open').mockImplementation(async (path, ...options) => {
      const [openError, readError] = [errorOf(failures.open, path), errorOf(failures.read, path)]
      if (openError !== null) throw openError
      const handle = await open(path, ...options)
      if (readError === null) return handle
      async function* content() {
        yield Buffer.from('This')
        throw readError
      }
      return Object.assign(handle, { createReadStream: () => Readable.from(content(), { objectMode: false }) })
    }),
  ]
  syncBuiltinESMExports()
  return () => {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
    for (const codes of Object.values(failures)) codes.clear()
  }
}

test.each([
  ['trashed', false],
  ['permanently deleted', true],
])('doesn’t bring back a %s item after a failed read, an edit or a log rotation', async (_name, isPermanent) => {
  const { prisma, pool } = mira.context.database
  const [log, rotated] = [join(folder, 'a.txt'), join(folder, 'a.1.txt')]
  await writeFile(log, 'Monday.')
  const { id } = await folders.watch(folder)
  const item = await prisma.mediaItem.findFirstOrThrow({ where: { userId: account.user.id } })
  const trash = mira.request.post('/api/media/trash').auth(account.token, { type: 'bearer' })
  await trash.send({ ids: [item.id] }).expect(({ ok }) => expect(ok).toBe(true))
  if (isPermanent) await prisma.mediaItem.delete({ where: { id: item.id } })
  failures.read.set('a.txt', 'EIO')
  const repairDisk = breakDisk()
  onTestFinished(repairDisk)
  await utimes(log, new Date(), new Date(Date.now() - 3_600_000))
  await folders.rescan(id)
  repairDisk()
  await pool.query(`UPDATE watched_files SET checked_at = now() - interval '61 minutes'`)
  await folders.rescan(id)
  await rename(log, rotated)
  await writeFile(log, 'Tuesday.')
  await folders.rescan(id)
  await writeFile(rotated, 'Wednesday.')
  await folders.rescan(id)
  await writeFile(rotated, 'Monday.')
  await folders.rescan(id)
  expect(await prisma.mediaItem.count({ where: { sha256: item.sha256, userId: { not: null } } })).toBe(0)
  expect(await folders.itemNames()).toEqual(['a.1.txt', 'a.txt'])
})

test('reads a refused file again once it changes, or a day later after a restart', async () => {
  const program = Buffer.from([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff])
  const file = join(folder, 'a.txt')
  await writeFile(file, program)
  const { id } = await folders.watch(folder)
  await mira.context.database.pool.query(`UPDATE watched_files SET checked_at = now() - interval '61 minutes'`)
  failures.open.set('a.txt', 'EIO')
  const repairDisk = breakDisk()
  onTestFinished(repairDisk)
  await folders.rescan(id)
  expect((await folders.filesOf(id))[0]?.problem).not.toContain('EIO')
  await mira.context.database.pool.query(`UPDATE watched_files SET checked_at = now() - interval '25 hours'`)
  await folders.rescan(id)
  expect((await folders.filesOf(id))[0]?.problem).toContain('EIO')
  repairDisk()
  await writeFile(file, 'Now a text.')
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, failed: 0, gone: 0 })
})

test('keeps the item of a copied file that becomes unreadable', async () => {
  const file = join(folder, 'a.txt')
  await writeFile(file, 'One.')
  const { id } = await folders.watch(folder)
  const [before] = await folders.filesOf(id)
  failures.read.set('a.txt', 'EIO')
  const repairDisk = breakDisk()
  onTestFinished(repairDisk)
  await utimes(file, new Date(), new Date(Date.now() - 3_600_000))
  await folders.rescan(id)
  expect(await folders.filesOf(id)).toMatchObject([{ state: 'failed', media_id: before?.media_id }])
  repairDisk()
  await rename(file, join(folder, 'b.txt'))
  await folders.rescan(id)
  expect(await folders.filesOf(id)).toMatchObject([
    { path: 'b.txt', state: 'kept', problem: null, media_id: before?.media_id },
  ])
})

test('lists unreadable files with the reason, copies the others, and retries', async () => {
  const names = ['closed.txt', 'broken.txt', 'whole.txt']
  for (const name of names) await writeFile(join(folder, name), `This is ${name}.`)
  failures.open.set('closed.txt', 'EACCES')
  failures.read.set('broken.txt', 'EIO')
  const repairDisk = breakDisk()
  onTestFinished(repairDisk)
  const { id, ...counts } = await folders.watch(folder)
  expect(counts).toMatchObject({ kept: 1, failed: 2, problem: null })
  const reasons = async () => (await folders.filesOf(id)).map(({ path, problem }) => [path, problem]).sort()
  expect(await reasons()).toEqual([
    ['broken.txt', 'broken.txt can’t be read (EIO).'],
    ['closed.txt', 'closed.txt can’t be read (EACCES).'],
    ['whole.txt', null],
  ])
  expect(await folders.itemNames()).toEqual(['whole.txt'])

  // Missing during one scan: still failed afterwards, and not kept without an item.
  await rename(join(folder, 'closed.txt'), join(base, 'closed.txt'))
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, failed: 1, gone: 1 })
  await rename(join(base, 'closed.txt'), join(folder, 'closed.txt'))
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, failed: 2, gone: 0 })

  repairDisk()
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, failed: 2 })
  await mira.context.database.pool.query(`UPDATE watched_files SET checked_at = now() - interval '61 minutes'`)
  expect(await folders.rescan(id)).toMatchObject({ kept: 3, failed: 0 })
  expect(await folders.itemNames()).toEqual(names.toSorted())
})

test('doesn’t mark a file as gone when looking it up fails with an I/O error', async () => {
  await writeFile(join(folder, 'a.txt'), 'Still here.')
  const { id } = await folders.watch(folder)
  const repairDisk = breakDisk()
  onTestFinished(repairDisk)
  failures.lstat.set('a.txt', 'EIO')
  const problem_told = [{ code: 'folder_unreadable', params: { path: join(folder, 'a.txt'), cause: 'EIO' } }]
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, gone: 0, problem_told })
  repairDisk()
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, problem: null })
})
