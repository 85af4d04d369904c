import { mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackupsResponseJson, MediaItemJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readBinary } from '../test/binary.ts'
import { openTestDatabase, silentLog } from '../test/database-template.ts'
import { partialUploadCallsOf } from '../test/partial-upload-calls.ts'
import { plainImage } from '../test/pictures.ts'
import { S3_ACCESS, type S3Server, startS3Server } from '../test/s3-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../test/test-app.ts'
import { unzip } from '../test/unzip.ts'
import { readConfig } from './config.ts'
import { restoreArchive } from './modules/admin/backups/restore-archive.ts'
import { openDatabase } from './platform/database/client.ts'
import { newId } from './platform/database/new-id.ts'
import { createUnreferencedFiles } from './platform/database/unreferenced-files.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const workFolder = mkdtempSync(join(tmpdir(), 'mira-s3-'))
const bearer = { type: 'bearer' } as const
const { signal } = new AbortController()
let s3: S3Server
let mira: TestApp
let anna: TestAccount
let picture: Buffer

const environmentFor = (address: string) => ({
  FILES_URL: address,
  AWS_ENDPOINT_URL: s3.endpoint,
  AWS_ACCESS_KEY_ID: S3_ACCESS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: S3_ACCESS.secretAccessKey,
})
const upload = (name: string, content: Buffer, wait = '60') =>
  mira.request
    .post('/api/media/upload')
    .auth(anna.token, bearer)
    .field({ wait, generate_caption: 'false', extract_text: String(name.endsWith('.txt')) })
    .attach('file', content, name)
const get = (path: string, who = anna) => mira.request.get(path).auth(who.token, bearer)
const keys = () => [...s3.objects.keys()]
const disconnectS3 = () => {
  s3.onRequest = () => {
    throw new Error('The connection is broken.')
  }
}
const reconnectS3 = () => {
  s3.onRequest = () => {}
}

beforeAll(async () => {
  s3 = await startS3Server('files')
  const database = await openTestDatabase()
  mira = await startTestApp({
    environment: environmentFor('s3://files/home'),
    config: { databaseUrl: database.databaseUrl },
    database,
    isStarted: true,
  })
  anna = await mira.createUser({ can_upload: true })
  picture = await plainImage({ width: 640, height: 400 })
})
afterAll(async () => {
  reconnectS3()
  await mira.close()
  await s3.close()
  rmSync(workFolder, { recursive: true, force: true })
})

test('an upload is processed, shown, found, exported, backed up, deleted and restored, with every file in S3', async () => {
  const item = (await upload('a picture.jpg', picture).expect(201)).body as MediaItemJson
  await upload('letter.txt', Buffer.from('A letter about zanzibarine.\n')).expect(201)
  expect(keys().every((key) => key.startsWith(`home/${anna.user.id}/`))).toBe(true)
  expect(keys().length).toBeGreaterThanOrEqual(3)
  expect((await readdir(join(mira.context.config.dataDir, 'files'))).sort()).toEqual(['cache', 'incoming', 'partial'])

  const thumbnail = await mira.request
    .get(item.thumbnail ?? '')
    .buffer()
    .parse(readBinary)
    .expect(200)
  expect((thumbnail.body as Buffer).length).toBeGreaterThan(100)
  const original = () => get(`/api/media/${item.id}/file`).buffer().parse(readBinary)
  expect(picture.equals((await original().expect(200)).body as Buffer)).toBe(true)
  const part = await original().set('range', 'bytes=10-19').expect(206)
  expect(part.headers['content-range']).toBe(`bytes 10-19/${picture.length}`)
  expect(picture.subarray(10, 20).equals(part.body as Buffer)).toBe(true)
  const search = await get('/api/media/search').query({ query: 'zanzibarine' }).expect(200)
  expect(JSON.stringify(search.body)).toContain('letter.txt')

  const exported = await unzip((await get('/api/me/export').buffer().parse(readBinary).expect(200)).body as Buffer)
  expect([...exported.values()].some((content) => content.equals(picture))).toBe(true)

  const { prisma } = mira.context.database
  const { id, fileName } = await prisma.backup.create({
    data: { id: newId(), fileName: 'mira-backup-20260101-000000.zip', state: 'waiting' },
  })
  await mira.context.backups.run(id, signal)
  expect(await prisma.backup.findUnique({ where: { id } })).toMatchObject({ state: 'completed', error: null })

  // A changed file, a missing one, and one that isn't in the database.
  const [changed = '', missing = ''] = keys()
  const unknown = `home/${anna.user.id}/aa/${'a'.repeat(64)}`
  const before = new Map(s3.objects)
  s3.objects.set(changed, Buffer.from('somebody wrote over it'))
  s3.objects.delete(missing)
  s3.objects.set(unknown, Buffer.from('nobody knows it'))
  // The queue may have checked them already.
  await prisma.setting.deleteMany({ where: { key: 'file_scrubbing' } })
  await mira.context.scrubbing.run(signal)
  const { files } = (await get('/api/admin/backups', mira.admin).expect(200)).body as BackupsResponseJson
  expect(files).toMatchObject({ damaged: 0, repaired: 2, unknown: 1, pass_finished: true })
  for (const key of [changed, missing]) expect(s3.objects.get(key)?.equals(before.get(key) as Buffer)).toBe(true)

  await mira.request.delete(`/api/media/${item.id}`).auth(anna.token, bearer).expect(204)
  await createUnreferencedFiles(mira.context.database).deleteDue(mira.context.files.delete, signal)
  expect(keys().length).toBeLessThan(before.size)
  await original().expect(404)

  // Restore to another folder of the bucket.
  const archive = join(mira.context.config.backupDir, fileName)
  const dataDir = join(workFolder, 'restored')
  const { fileStore } = readConfig(environmentFor('s3://files/restored'))
  const restored = await restoreArchive({
    ...{ archive, isReplacing: false, log: silentLog },
    config: { dataDir, databaseUrl: undefined, fileStore },
  })
  expect(restored).toMatchObject({ fileCount: before.size, lostFiles: [] })
  for (const [key, content] of before) {
    expect(s3.objects.get(key.replace('home/', 'restored/'))?.equals(content)).toBe(true)
  }
  const database = await openDatabase({ dataDir, log: silentLog })
  expect(await database.prisma.mediaItem.count()).toBe(2)
  await database.close()
})

test('while S3 is unreachable, uploads are refused and nothing is lost; pending work resumes when it’s back', async () => {
  // The queue starts it later.
  const waiting = (await upload('waiting.jpg', await plainImage({ width: 99 }), '0').expect(202)).body as MediaItemJson
  const calls = partialUploadCallsOf(mira, anna)
  const content = await plainImage({ width: 123, height: 45 })
  const path = await calls.createUpload(content.length)
  const gone = (await upload('gone.txt', Buffer.from('This goes.\n')).expect(201)).body as MediaItemJson
  const { path: gonePath } = await mira.context.database.prisma.mediaItem.findUniqueOrThrow({ where: { id: gone.id } })
  disconnectS3()
  await mira.request.delete(`/api/media/${gone.id}`).auth(anna.token, bearer).expect(204)
  const refused = await upload('refused.txt', Buffer.from('This is not taken.\n')).expect(503)
  expect(refused.body).toEqual({ detail: expect.stringContaining('Nothing is lost'), code: 'files_unavailable' })
  expect(refused.headers['retry-after']).toBe('30')
  await calls.send(path, 0, content).expect(503)
  expect(calls.partialFiles()).toHaveLength(1)
  await get(`/api/media/${waiting.id}/file`).expect(503)
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const { body: health } = await mira.request.get('/api/health')
  expect(health).toMatchObject({ status: 'degraded', checks: { storage: { state: 'error' } } })
  expect(JSON.stringify(health)).not.toContain(s3.endpoint)
  expect(s3.objects.has(`home/${gonePath}`)).toBe(true)
  reconnectS3()
  await createUnreferencedFiles(mira.context.database).deleteDue(mira.context.files.delete, signal)
  expect(s3.objects.has(`home/${gonePath}`)).toBe(false)
  await calls.call('head', path).expect(200)
  const { body: state } = await calls.call('get', path).expect(200)
  expect(state.media_item).toMatchObject({ id: expect.any(String) })
  expect(calls.partialFiles()).toHaveLength(0)
  await vi.waitFor(
    async () => {
      const { body } = await get(`/api/media/${waiting.id}`).expect(200)
      expect(body.processing_status).toBe('completed')
    },
    { timeout: 60_000, interval: 500 },
  )
  await new Promise((resolve) => setTimeout(resolve, 1100))
  expect((await mira.request.get('/api/health')).body).toMatchObject({
    checks: { storage: { state: 'ok', engine: 's3' } },
  })
})
