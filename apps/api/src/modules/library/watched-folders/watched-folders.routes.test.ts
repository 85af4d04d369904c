import disk, { mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WatchedFilesResponseJson, WatchedFolderJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let base: string
let root: string
let folder: string
let account: TestAccount

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'mira-watched-')))
  root = join(base, 'root')
  await mkdir(root)
  mira = await startTestApp({ environment: { WATCHED_FOLDERS_ROOT: root }, settledMs: 0, isStarted: true })
})
beforeEach(async () => {
  account = await mira.createUser({ can_upload: true })
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

const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object) => {
  const request = mira.request[method](`/api/admin/watched-folders${path}`).auth(mira.admin.token, { type: 'bearer' })
  return body === undefined ? request : request.send(body)
}
/** Waits until a requested scan ends. */
async function waitForScan(id: string): Promise<WatchedFolderJson> {
  for (let tries = 0; tries < 300; tries++) {
    const { body } = await call('get', '').expect(200)
    const folder = (body.folders as WatchedFolderJson[]).find((folder) => folder.id === id)!
    if (!folder.scanning && (folder.scanned_at !== null || folder.problem !== null)) return folder
    await sleep(50)
  }
  throw new Error('the folder was not scanned')
}
async function watch(path = folder): Promise<WatchedFolderJson> {
  const { body } = await call('post', '', { path, user_id: account.user.id }).expect(201)
  return waitForScan(body.id)
}
/** Scans the folder again. */
async function rescan(id: string): Promise<WatchedFolderJson> {
  await mira.context.database.pool.query('UPDATE watched_folders SET scanned_at = NULL, problem = NULL WHERE id = $1', [
    id,
  ])
  await call('post', `/${id}/scan`).expect(202)
  return waitForScan(id)
}
const itemNames = async () => {
  const items = await mira.context.database.prisma.mediaItem.findMany({
    where: { userId: account.user.id },
    orderBy: { originalFilename: 'asc' },
  })
  return items.map(({ originalFilename }) => originalFilename)
}
const filesOf = async (id: string): Promise<WatchedFilesResponseJson['files']> =>
  (await call('get', `/${id}/files`).expect(200)).body.files

test('copies files, also from subfolders, and skips links, hidden files, empty files and system files', async () => {
  await mkdir(join(folder, 'deep'))
  await writeFile(join(folder, 'letter.txt'), 'The boat leaves at nine.')
  await writeFile(join(folder, 'deep', 'note.txt'), 'The harbour is closed.')
  await writeFile(join(folder, '.hidden.txt'), 'hidden')
  await writeFile(join(folder, 'empty.txt'), '')
  await writeFile(join(folder, 'Thumbs.db'), 'what Windows keeps there')
  await mkdir(join(folder, 'deep', '@eaDir', 'note.txt'), { recursive: true })
  await writeFile(join(folder, 'deep', '@eaDir', 'note.txt', 'SYNO.txt'), 'what a Synology keeps there')
  await writeFile(join(base, 'secret.txt'), 'secret')
  await symlink(join(base, 'secret.txt'), join(folder, 'link.txt'))
  await symlink(base, join(folder, 'way-out'))
  const watched = await watch()
  expect(watched).toMatchObject({ kept: 2, failed: 0, gone: 0, username: account.user.username, problem: null })
  expect(await itemNames()).toEqual(['letter.txt', 'note.txt'])
  // Nothing changed, so nothing is copied again.
  expect(await rescan(watched.id)).toMatchObject({ kept: 2 })
  expect(await itemNames()).toHaveLength(2)
})

test('keeps the item of a renamed file, and marks the item of a deleted file as gone until the file returns', async () => {
  await writeFile(join(folder, 'a.txt'), 'The first letter.')
  await writeFile(join(folder, 'b.txt'), 'The second letter.')
  const { id } = await watch()
  const before = (await filesOf(id)).find(({ path }) => path === 'a.txt')
  await rename(join(folder, 'a.txt'), join(folder, 'renamed.txt'))
  await rm(join(folder, 'b.txt'))
  expect(await rescan(id)).toMatchObject({ kept: 1, gone: 1 })
  const files = await filesOf(id)
  expect(files.find(({ path }) => path === 'renamed.txt')).toMatchObject({ state: 'kept', media_id: before?.media_id })
  expect(files.find(({ path }) => path === 'b.txt')).toMatchObject({ state: 'gone', gone_at: expect.any(String) })
  expect(await itemNames()).toEqual(['b.txt', 'renamed.txt'])
  const goneAt = async (name: string) => {
    const item = await mira.context.database.prisma.mediaItem.findFirstOrThrow({
      where: { userId: account.user.id, originalFilename: name },
    })
    const { body } = await mira.request.get(`/api/media/${item.id}`).auth(account.token, { type: 'bearer' }).expect(200)
    return body.source_gone_at
  }
  // The items say so, too.
  expect([await goneAt('b.txt'), await goneAt('renamed.txt')]).toEqual([expect.any(String), null])
  await writeFile(join(folder, 'b.txt'), 'The second letter.')
  expect(await rescan(id)).toMatchObject({ kept: 2, gone: 0 })
  expect(await goneAt('b.txt')).toBeNull()
  expect(await itemNames()).toHaveLength(2)
})

test('doesn’t bring back a deleted item, even when its file is renamed', async () => {
  await writeFile(join(folder, 'a.txt'), 'Forget me.')
  const { id } = await watch()
  await mira.context.database.prisma.mediaItem.deleteMany({ where: { userId: account.user.id } })
  await rescan(id)
  await rename(join(folder, 'a.txt'), join(folder, 'other.txt'))
  await rescan(id)
  expect(await itemNames()).toEqual([])
})

test('doesn’t bring back a deleted item when its file is touched, or replaced by the file of another deleted item', async () => {
  const [file, moved] = [join(folder, 'a.txt'), join(folder, 'moved.txt')]
  await writeFile(file, 'Forget me.')
  const { id } = await watch()
  await mira.context.database.prisma.mediaItem.deleteMany({ where: { userId: account.user.id } })
  await utimes(file, new Date(), new Date(Date.now() - 3_600_000))
  expect(await rescan(id)).toMatchObject({ kept: 1, failed: 0 })
  expect(await itemNames()).toEqual([])
  await writeFile(moved, 'Another.')
  await rescan(id)
  await mira.context.database.prisma.mediaItem.deleteMany({ where: { userId: account.user.id } })
  await rename(moved, file)
  expect(await rescan(id)).toMatchObject({ kept: 1, gone: 1 })
  expect(await itemNames()).toEqual([])
})

test.each([
  ['trashed', false],
  ['permanently deleted', true],
])('doesn’t bring back a %s item after a failed read, an edit or a log rotation', async (_name, isPermanent) => {
  const { prisma, pool } = mira.context.database
  const [log, rotated] = [join(folder, 'a.txt'), join(folder, 'a.1.txt')]
  await writeFile(log, 'Monday.')
  const { id } = await watch()
  const item = await prisma.mediaItem.findFirstOrThrow({ where: { userId: account.user.id } })
  const trash = mira.request.post('/api/media/trash').auth(account.token, { type: 'bearer' })
  await trash.send({ ids: [item.id] }).expect(({ ok }) => expect(ok).toBe(true))
  if (isPermanent) await prisma.mediaItem.delete({ where: { id: item.id } })
  failures.read.set('a.txt', 'EIO')
  const repairDisk = breakDisk()
  onTestFinished(repairDisk)
  await utimes(log, new Date(), new Date(Date.now() - 3_600_000))
  await rescan(id)
  repairDisk()
  await pool.query(`UPDATE watched_files SET checked_at = now() - interval '61 minutes'`)
  await rescan(id)
  await rename(log, rotated)
  await writeFile(log, 'Tuesday.')
  await rescan(id)
  await writeFile(rotated, 'Wednesday.')
  await rescan(id)
  await writeFile(rotated, 'Monday.')
  await rescan(id)
  expect(await prisma.mediaItem.count({ where: { sha256: item.sha256, userId: { not: null } } })).toBe(0)
  expect(await itemNames()).toEqual(['a.1.txt', 'a.txt'])
})

test('copies a file dated in the future once it no longer changes', async () => {
  const file = join(folder, 'a.txt')
  await writeFile(file, 'From tomorrow.')
  const tomorrow = Date.now() + 86_400_000
  await utimes(file, new Date(), new Date(tomorrow))
  const { id } = await watch()
  // It's still being written.
  await writeFile(file, 'From tomorrow. More of it.')
  await utimes(file, new Date(), new Date(tomorrow + 1000))
  expect(await rescan(id)).toMatchObject({ kept: 0 })
  expect(await rescan(id)).toMatchObject({ kept: 1 })
  expect(await itemNames()).toEqual(['a.txt'])
})

test('reads a refused file again once it changes, or a day later after a restart', async () => {
  const program = Buffer.from([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff])
  const file = join(folder, 'a.txt')
  await writeFile(file, program)
  const { id } = await watch()
  await mira.context.database.pool.query(`UPDATE watched_files SET checked_at = now() - interval '61 minutes'`)
  failures.open.set('a.txt', 'EIO')
  const repairDisk = breakDisk()
  onTestFinished(repairDisk)
  await rescan(id)
  expect((await filesOf(id))[0]?.problem).not.toContain('EIO')
  await mira.context.database.pool.query(`UPDATE watched_files SET checked_at = now() - interval '25 hours'`)
  await rescan(id)
  expect((await filesOf(id))[0]?.problem).toContain('EIO')
  repairDisk()
  await writeFile(file, 'Now a text.')
  expect(await rescan(id)).toMatchObject({ kept: 1, failed: 0, gone: 0 })
})

test('keeps the item of a copied file that becomes unreadable', async () => {
  const file = join(folder, 'a.txt')
  await writeFile(file, 'One.')
  const { id } = await watch()
  const [before] = await filesOf(id)
  failures.read.set('a.txt', 'EIO')
  const repairDisk = breakDisk()
  onTestFinished(repairDisk)
  await utimes(file, new Date(), new Date(Date.now() - 3_600_000))
  await rescan(id)
  expect(await filesOf(id)).toMatchObject([{ state: 'failed', media_id: before?.media_id }])
  repairDisk()
  await rename(file, join(folder, 'b.txt'))
  await rescan(id)
  expect(await filesOf(id)).toMatchObject([{ path: 'b.txt', state: 'kept', problem: null, media_id: before?.media_id }])
})

test('reports file names that can’t be decoded and folders that are nested too deeply', async () => {
  await writeFile(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]), 'Latin 1.')
  const unreadable = (path: string, cause: string) => ({
    problem_told: [{ code: 'folder_unreadable', params: { path: join(folder, path), cause } }],
  })
  const watched = await watch()
  expect(watched).toMatchObject(unreadable('caf\uFFFD.txt', 'EILSEQ'))
  await call('delete', `/${watched.id}`).expect(204)
  folder = await mkdtemp(join(root, 'folder-'))
  const deep = Array.from({ length: 33 }, () => 'd').join('/')
  await mkdir(join(folder, deep), { recursive: true })
  expect(await watch()).toMatchObject(unreadable(deep, '> 32'))
})

test('creates a new item for a changed file, and lists files that can’t be copied with the reason', async () => {
  const file = join(folder, 'a.txt')
  await writeFile(file, 'One.')
  await writeFile(join(folder, 'program.exe'), Buffer.from([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff]))
  const watched = await watch()
  expect(watched).toMatchObject({ kept: 1, failed: 1 })
  expect((await filesOf(watched.id)).find(({ state }) => state === 'failed')).toMatchObject({
    path: 'program.exe',
    problem: expect.any(String),
  })
  await writeFile(file, 'One, and two.')
  await utimes(file, new Date(), new Date(Date.now() - 1000))
  expect(await rescan(watched.id)).toMatchObject({ kept: 1, gone: 1 })
  expect(await itemNames()).toEqual(['a.txt', 'a.txt'])
  const isGone = async ({ media_id }: { media_id: string | null }) => {
    const { body } = await mira.request
      .get(`/api/media/${media_id}`)
      .auth(account.token, { type: 'bearer' })
      .expect(200)
    return body.source_gone_at !== null
  }
  const files = (await filesOf(watched.id)).filter(({ media_id }) => media_id !== null)
  expect(await Promise.all(files.map(isGone))).toEqual(files.map(({ path }) => path !== 'a.txt'))
  // The first version again: its item exists.
  await writeFile(file, 'One.')
  expect(await rescan(watched.id)).toMatchObject({ kept: 1, gone: 1 })
  const [current] = (await filesOf(watched.id)).filter(({ path }) => path === 'a.txt')
  expect(current && (await isGone(current))).toBe(false)
  expect(await itemNames()).toHaveLength(2)
})

test('lists unreadable files with the reason, copies the others, and retries', async () => {
  const names = ['closed.txt', 'broken.txt', 'whole.txt']
  for (const name of names) await writeFile(join(folder, name), `This is ${name}.`)
  failures.open.set('closed.txt', 'EACCES')
  failures.read.set('broken.txt', 'EIO')
  const repairDisk = breakDisk()
  onTestFinished(repairDisk)
  const { id, ...counts } = await watch()
  expect(counts).toMatchObject({ kept: 1, failed: 2, problem: null })
  const reasons = async () => (await filesOf(id)).map(({ path, problem }) => [path, problem]).sort()
  expect(await reasons()).toEqual([
    ['broken.txt', 'broken.txt can’t be read (EIO).'],
    ['closed.txt', 'closed.txt can’t be read (EACCES).'],
    ['whole.txt', null],
  ])
  expect(await itemNames()).toEqual(['whole.txt'])

  // Missing during one scan: still failed afterwards, and not kept without an item.
  await rename(join(folder, 'closed.txt'), join(base, 'closed.txt'))
  expect(await rescan(id)).toMatchObject({ kept: 1, failed: 1, gone: 1 })
  await rename(join(base, 'closed.txt'), join(folder, 'closed.txt'))
  expect(await rescan(id)).toMatchObject({ kept: 1, failed: 2, gone: 0 })

  repairDisk()
  expect(await rescan(id)).toMatchObject({ kept: 1, failed: 2 })
  await mira.context.database.pool.query(`UPDATE watched_files SET checked_at = now() - interval '61 minutes'`)
  expect(await rescan(id)).toMatchObject({ kept: 3, failed: 0 })
  expect(await itemNames()).toEqual(names.toSorted())
})

test('doesn’t mark a file as gone when looking it up fails with an I/O error', async () => {
  await writeFile(join(folder, 'a.txt'), 'Still here.')
  const { id } = await watch()
  const repairDisk = breakDisk()
  onTestFinished(repairDisk)
  failures.lstat.set('a.txt', 'EIO')
  const problem_told = [{ code: 'folder_unreadable', params: { path: join(folder, 'a.txt'), cause: 'EIO' } }]
  expect(await rescan(id)).toMatchObject({ kept: 1, gone: 0, problem_told })
  repairDisk()
  expect(await rescan(id)).toMatchObject({ kept: 1, problem: null })
})

test('reports a missing folder, and doesn’t mark its files as gone', async () => {
  await writeFile(join(folder, 'a.txt'), 'Still here.')
  const { id } = await watch()
  await rename(folder, `${folder}-away`)
  expect(await rescan(id)).toMatchObject({ kept: 1, gone: 0, problem_told: [{ code: 'folder_outside' }] })
  // A link in its place isn't followed.
  await symlink(base, folder)
  expect(await rescan(id)).toMatchObject({ kept: 1, problem_told: [{ code: 'folder_outside' }] })
})

test('watches only folders below the configured root, once per user', async () => {
  await symlink(base, join(root, 'out'), 'dir').catch(() => {})
  for (const path of [base, join(root, '..'), join(root, 'out'), '/etc', join(root, 'nowhere'), 'relative']) {
    const { body } = await call('post', '', { path, user_id: account.user.id }).expect(422)
    expect(body.code).toBe('folder_outside')
  }
  const { id } = await watch()
  await call('post', '', { path: folder, user_id: account.user.id }).expect(409)
  await call('delete', `/${id}`).expect(204)
  await call('post', `/${id}/scan`).expect(404)
  const withoutRoot = await startTestApp()
  const { body } = await withoutRoot.request
    .post('/api/admin/watched-folders')
    .auth(withoutRoot.admin.token, { type: 'bearer' })
    .send({ path: folder, user_id: withoutRoot.admin.user.id })
    .expect(422)
  expect(body.code).toBe('folder_no_root')
  await withoutRoot.close()
})

test('only administrators see and change watched folders', async () => {
  const { id } = await watch()
  const path = '/api/admin/watched-folders'
  for (const [method, address] of [
    ['get', path],
    ['post', path],
    ['get', `${path}/${id}/files`],
    ['patch', `${path}/${id}`],
    ['post', `${path}/${id}/scan`],
    ['delete', `${path}/${id}`],
  ] as const)
    await mira.request[method](address).auth(account.token, { type: 'bearer' }).expect(403)
  expect((await call('get', '').expect(200)).body.folders).toContainEqual(expect.objectContaining({ id }))
})

test('copies a file once when scans run at the same time', async () => {
  const { id } = await watch()
  await writeFile(join(folder, 'a.txt'), 'Once.')
  const { watchedFolders } = mira.context
  await Promise.all([watchedFolders.scan(id), watchedFolders.scan(id), watchedFolders.scan(id)])
  await rescan(id)
  expect(await itemNames()).toEqual(['a.txt'])
})

test('doesn’t queue a second scan of a folder while one is queued or running', async () => {
  const quiet = await startTestApp({ environment: { WATCHED_FOLDERS_ROOT: root } })
  const { database, watchedFolders } = quiet.context
  await watchedFolders.add({ path: folder, user_id: quiet.admin.user.id, enabled: true })
  const jobs = async () =>
    (await database.pool.query<{ state: string }>(`SELECT state FROM pgboss.job WHERE name = 'scan-folder'`)).rows
  for (const state of ['created', 'active']) {
    await database.pool.query(`UPDATE pgboss.job SET state = $1 WHERE name = 'scan-folder'`, [state])
    await watchedFolders.scanAll()
    expect(await jobs()).toEqual([{ state }])
  }
  await database.pool.query(`UPDATE pgboss.job SET state = 'completed' WHERE name = 'scan-folder'`)
  await watchedFolders.scanAll()
  expect((await jobs()).map(({ state }) => state).sort()).toEqual(['completed', 'created'])
  await quiet.close()
})
