import { mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
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
  const watched = await folders.watch(folder)
  expect(watched).toMatchObject({ kept: 2, failed: 0, gone: 0, username: account.user.username, problem: null })
  expect(await folders.itemNames()).toEqual(['letter.txt', 'note.txt'])
  // Nothing changed, so nothing is copied again.
  expect(await folders.rescan(watched.id)).toMatchObject({ kept: 2 })
  expect(await folders.itemNames()).toHaveLength(2)
})

test('keeps the item of a renamed file, and marks the item of a deleted file as gone until the file returns', async () => {
  await writeFile(join(folder, 'a.txt'), 'The first letter.')
  await writeFile(join(folder, 'b.txt'), 'The second letter.')
  const { id } = await folders.watch(folder)
  const before = (await folders.filesOf(id)).find(({ path }) => path === 'a.txt')
  await rename(join(folder, 'a.txt'), join(folder, 'renamed.txt'))
  await rm(join(folder, 'b.txt'))
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, gone: 1 })
  const files = await folders.filesOf(id)
  expect(files.find(({ path }) => path === 'renamed.txt')).toMatchObject({ state: 'kept', media_id: before?.media_id })
  expect(files.find(({ path }) => path === 'b.txt')).toMatchObject({ state: 'gone', gone_at: expect.any(String) })
  expect(await folders.itemNames()).toEqual(['b.txt', 'renamed.txt'])
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
  expect(await folders.rescan(id)).toMatchObject({ kept: 2, gone: 0 })
  expect(await goneAt('b.txt')).toBeNull()
  expect(await folders.itemNames()).toHaveLength(2)
})

test('doesn’t bring back a deleted item, even when its file is renamed', async () => {
  await writeFile(join(folder, 'a.txt'), 'Forget me.')
  const { id } = await folders.watch(folder)
  await mira.context.database.prisma.mediaItem.deleteMany({ where: { userId: account.user.id } })
  await folders.rescan(id)
  await rename(join(folder, 'a.txt'), join(folder, 'other.txt'))
  await folders.rescan(id)
  expect(await folders.itemNames()).toEqual([])
})

test('doesn’t bring back a deleted item when its file is touched, or replaced by the file of another deleted item', async () => {
  const [file, moved] = [join(folder, 'a.txt'), join(folder, 'moved.txt')]
  await writeFile(file, 'Forget me.')
  const { id } = await folders.watch(folder)
  await mira.context.database.prisma.mediaItem.deleteMany({ where: { userId: account.user.id } })
  await utimes(file, new Date(), new Date(Date.now() - 3_600_000))
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, failed: 0 })
  expect(await folders.itemNames()).toEqual([])
  await writeFile(moved, 'Another.')
  await folders.rescan(id)
  await mira.context.database.prisma.mediaItem.deleteMany({ where: { userId: account.user.id } })
  await rename(moved, file)
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, gone: 1 })
  expect(await folders.itemNames()).toEqual([])
})

test('copies a file dated in the future once it no longer changes', async () => {
  const file = join(folder, 'a.txt')
  await writeFile(file, 'From tomorrow.')
  const tomorrow = Date.now() + 86_400_000
  await utimes(file, new Date(), new Date(tomorrow))
  const { id } = await folders.watch(folder)
  // It's still being written.
  await writeFile(file, 'From tomorrow. More of it.')
  await utimes(file, new Date(), new Date(tomorrow + 1000))
  expect(await folders.rescan(id)).toMatchObject({ kept: 0 })
  expect(await folders.rescan(id)).toMatchObject({ kept: 1 })
  expect(await folders.itemNames()).toEqual(['a.txt'])
})

test('reports file names that can’t be decoded and folders that are nested too deeply', async () => {
  await writeFile(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]), 'Latin 1.')
  const unreadable = (path: string, cause: string) => ({
    problem_told: [{ code: 'folder_unreadable', params: { path: join(folder, path), cause } }],
  })
  const watched = await folders.watch(folder)
  expect(watched).toMatchObject(unreadable('caf\uFFFD.txt', 'EILSEQ'))
  await folders.call('delete', `/${watched.id}`).expect(204)
  folder = await mkdtemp(join(root, 'folder-'))
  const deep = Array.from({ length: 33 }, () => 'd').join('/')
  await mkdir(join(folder, deep), { recursive: true })
  expect(await folders.watch(folder)).toMatchObject(unreadable(deep, '> 32'))
})

test('creates a new item for a changed file, and lists files that can’t be copied with the reason', async () => {
  const file = join(folder, 'a.txt')
  await writeFile(file, 'One.')
  await writeFile(join(folder, 'program.exe'), Buffer.from([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff]))
  const watched = await folders.watch(folder)
  expect(watched).toMatchObject({ kept: 1, failed: 1 })
  expect((await folders.filesOf(watched.id)).find(({ state }) => state === 'failed')).toMatchObject({
    path: 'program.exe',
    problem: expect.any(String),
  })
  await writeFile(file, 'One, and two.')
  await utimes(file, new Date(), new Date(Date.now() - 1000))
  expect(await folders.rescan(watched.id)).toMatchObject({ kept: 1, gone: 1 })
  expect(await folders.itemNames()).toEqual(['a.txt', 'a.txt'])
  const isGone = async ({ media_id }: { media_id: string | null }) => {
    const { body } = await mira.request
      .get(`/api/media/${media_id}`)
      .auth(account.token, { type: 'bearer' })
      .expect(200)
    return body.source_gone_at !== null
  }
  const files = (await folders.filesOf(watched.id)).filter(({ media_id }) => media_id !== null)
  expect(await Promise.all(files.map(isGone))).toEqual(files.map(({ path }) => path !== 'a.txt'))
  // The first version again: its item exists.
  await writeFile(file, 'One.')
  expect(await folders.rescan(watched.id)).toMatchObject({ kept: 1, gone: 1 })
  const [current] = (await folders.filesOf(watched.id)).filter(({ path }) => path === 'a.txt')
  expect(current && (await isGone(current))).toBe(false)
  expect(await folders.itemNames()).toHaveLength(2)
})

test('reports a missing folder, and doesn’t mark its files as gone', async () => {
  await writeFile(join(folder, 'a.txt'), 'Still here.')
  const { id } = await folders.watch(folder)
  await rename(folder, `${folder}-away`)
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, gone: 0, problem_told: [{ code: 'folder_outside' }] })
  // A link in its place isn't followed.
  await symlink(base, folder)
  expect(await folders.rescan(id)).toMatchObject({ kept: 1, problem_told: [{ code: 'folder_outside' }] })
})

test('watches only folders below the configured root, once per user', async () => {
  await symlink(base, join(root, 'out'), 'dir').catch(() => {})
  for (const path of [base, join(root, '..'), join(root, 'out'), '/etc', join(root, 'nowhere'), 'relative']) {
    const { body } = await folders.call('post', '', { path, user_id: account.user.id }).expect(422)
    expect(body.code).toBe('folder_outside')
  }
  const { id } = await folders.watch(folder)
  await folders.call('post', '', { path: folder, user_id: account.user.id }).expect(409)
  await folders.call('delete', `/${id}`).expect(204)
  await folders.call('post', `/${id}/scan`).expect(404)
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
  const { id } = await folders.watch(folder)
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
  expect((await folders.call('get', '').expect(200)).body.folders).toContainEqual(expect.objectContaining({ id }))
})

test('copies a file once when scans run at the same time', async () => {
  const { id } = await folders.watch(folder)
  await writeFile(join(folder, 'a.txt'), 'Once.')
  const { watchedFolders } = mira.context
  await Promise.all([watchedFolders.scan(id), watchedFolders.scan(id), watchedFolders.scan(id)])
  await folders.rescan(id)
  expect(await folders.itemNames()).toEqual(['a.txt'])
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
