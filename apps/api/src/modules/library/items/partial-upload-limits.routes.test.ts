import { randomUUID } from 'node:crypto'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LARGE_UPLOAD_DEFAULT_BYTES, PICTURE_OR_DOCUMENT_MAX_BYTES } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type PartialUploadCalls, partialUploadCallsOf } from '../../../../test/partial-upload-calls.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

// Limits of unfinished uploads: space, number and lifetime.
let mira: TestApp
let anna: TestAccount
let uploads: PartialUploadCalls
beforeAll(async () => {
  mira = await startTestApp()
  anna = await mira.createUser({ can_upload: true })
  uploads = partialUploadCallsOf(mira, anna)
})
afterAll(() => mira.close())

const newPicture = async () => Buffer.concat([await plainImage({}), Buffer.from(randomUUID())])

test('rejects an upload when the disk has no space for it next to unfinished ones', async () => {
  const account = await mira.createUser({ can_upload: true })
  const half = 4 * 1024 ** 3
  const freeBytes = vi.spyOn(mira.context.files, 'freeBytes').mockResolvedValue(half + half / 2)
  try {
    const path = await uploads.createUpload(half, { account, filename: 'film.mp4' })
    const { status, body } = await uploads.requestUpload(half, { account, filename: 'other.mp4' })
    expect([status, body.code, body.detail]).toEqual([
      507,
      'storage_full',
      'There is not enough space on the server for a file of this size.',
    ])
    await uploads.call('delete', path, account).expect(204)
    await uploads.requestUpload(half, { account, filename: 'other.mp4' }).expect(201)
  } finally {
    freeBytes.mockRestore()
  }
})

test('space reserved by one user doesn’t block others, and is released when nothing arrives', async () => {
  const [eve, bob] = [await mira.createUser({ can_upload: true }), await mira.createUser({ can_upload: true })]
  const gigabyte = 1024 ** 3
  const freeBytes = vi.spyOn(mira.context.files, 'freeBytes').mockResolvedValue(10 * gigabyte)
  try {
    const path = await uploads.createUpload(9 * gigabyte, { account: eve, filename: 'film.mp4' })
    await uploads.requestUpload(9 * gigabyte, { account: eve, filename: 'film.mp4' }).expect(507)
    const others = await uploads.createUpload(9 * gigabyte, { account: bob, filename: 'other.mp4' })
    const { id } = await uploads.rowOf(path)
    const { pool } = mira.context.database
    await pool.query(
      `UPDATE partial_uploads SET created_at = now() - interval '16 minutes' WHERE user_id = ANY($1::uuid[])`,
      [[eve.user.id, bob.user.id]],
    )
    await uploads.send(others, 0, Buffer.alloc(10), bob).expect(204)
    await uploads.requestUpload(9 * gigabyte, { account: eve, filename: 'film.mp4' }).expect(201)
    expect((await pool.query('SELECT FROM partial_uploads WHERE id = $1', [id])).rowCount).toBe(0)
    await uploads.call('head', others, bob).expect(200)
  } finally {
    freeBytes.mockRestore()
  }
})

test('every received part extends the upload by a day, up to a week', async () => {
  const path = await uploads.createUpload(1000)
  const { id } = await uploads.rowOf(path)
  const { pool } = mira.context.database
  await pool.query(`UPDATE partial_uploads SET expires_at = now() + interval '1 minute' WHERE id = $1`, [id])
  await uploads.send(path, 0, Buffer.alloc(10)).expect(204)
  const day = 24 * 3_600_000
  expect((await uploads.rowOf(path)).expiresAt.getTime()).toBeGreaterThan(Date.now() + day - 60_000)
  await pool.query(`UPDATE partial_uploads SET created_at = now() - interval '6 days 23 hours' WHERE id = $1`, [id])
  await uploads.send(path, 10, Buffer.alloc(10)).expect(204)
  const { headers } = await uploads.call('head', path).expect(200)
  expect(new Date(headers['upload-expires'] ?? 0).getTime()).toBeLessThan(Date.now() + 3_600_000 + 1000)
  await uploads.call('delete', path).expect(204)
})

describe('an upload isn’t started', () => {
  test('when it can’t succeed', async () => {
    const countUnfinished = () =>
      mira.context.database.prisma.partialUpload.count({ where: { userId: anna.user.id, mediaItemId: null } })
    const before = await countUnfinished()
    const refusals = [
      [await uploads.requestUpload(0), 422, 'empty_file'],
      [await uploads.requestUpload(LARGE_UPLOAD_DEFAULT_BYTES + 1, { filename: 'film.mp4' }), 413, 'file_too_large'],
      [await uploads.requestUpload(PICTURE_OR_DOCUMENT_MAX_BYTES + 1), 413, 'still_too_large'],
      [
        await uploads.requestUpload(PICTURE_OR_DOCUMENT_MAX_BYTES + 1, { filename: 'many.pdf' }),
        413,
        'still_too_large',
      ],
      [await uploads.requestUpload(10).set('upload-length', 'many'), 400, 'bad_request'],
      [await uploads.requestUpload(10).set('upload-defer-length', '1').unset('upload-length'), 400, 'bad_request'],
      [await uploads.requestUpload(10, { keep_place: 'perhaps' }), 422, 'validation_failed'],
      [await uploads.requestUpload(10).unset('tus-resumable'), 412, 'precondition_failed'],
    ] as const
    expect(refusals.map(([{ status, body }]) => [status, body.code])).toEqual(
      refusals.map(([, status, code]) => [status, code]),
    )
    const freeBytes = vi.spyOn(mira.context.files, 'freeBytes').mockResolvedValue(1000)
    const { status, body } = await uploads.requestUpload(10)
    freeBytes.mockRestore()
    expect([status, body.code]).toEqual([507, 'storage_full'])
    expect(await countUnfinished()).toBe(before)
  })

  test('next to twenty others of the same user', async () => {
    const account = await mira.createUser({ can_upload: true })
    const paths: string[] = []
    while (paths.length < 20) paths.push(await uploads.createUpload(10, { account }))
    const { body } = await uploads.requestUpload(10, { account }).expect(429)
    expect(body.code).toBe('too_many_partial_uploads')
    await uploads.call('delete', paths[0] ?? '', account).expect(204)
    await uploads.requestUpload(10, { account }).expect(201)
  })
})

test('unfinished uploads count toward the storage limit, and one that ends above it waits for space', async () => {
  const account = await mira.createUser({ can_upload: true })
  const { settings } = mira.context
  const before = settings.current()
  const [picture, other] = [await newPicture(), await newPicture()]
  const setLimit = async (bytes: number | null) => {
    const limits = { ...before.limits, storage_bytes_per_user: bytes }
    await settings.save({ ...before, limits }, {})
  }
  await setLimit(1024 * 1024)
  try {
    const path = await uploads.createUpload(picture.length, { account })
    const rejection = await uploads.requestUpload(1024 * 1024 - 10, { account })
    expect([rejection.status, rejection.body.code]).toEqual([507, 'user_storage_full'])
    await uploads.send(path, 0, picture.subarray(0, -1), account).expect(204)
    await mira.request
      .post('/api/media/upload')
      .auth(account.token, { type: 'bearer' })
      .field('wait', '0')
      .attach('file', other, 'b.png')
      .expect(202)
    // As if it were so large that the upload doesn't fit by one byte.
    await mira.context.database.prisma.mediaItem.updateMany({
      where: { userId: account.user.id },
      data: { sizeBytes: 1024 * 1024 - picture.length + 1 },
    })
    const last = await uploads.send(path, picture.length - 1, picture.subarray(-1), account)
    expect([last.status, last.body.code]).toEqual([507, 'user_storage_full'])
    await setLimit(null)
    const { body } = await uploads.call('get', path, account).expect(200)
    expect(body.media_item.metadata.size_bytes).toBe(picture.length)
  } finally {
    await settings.save(before, {})
  }
})

test('deletes partial uploads with their bytes after a day, and with their user', async () => {
  const account = await mira.createUser({ can_upload: true })
  const [expired, current] = [await uploads.createUpload(10, { account }), await uploads.createUpload(10, { account })]
  for (const path of [expired, current]) await uploads.send(path, 0, Buffer.alloc(5), account).expect(204)
  const folder = join(mira.context.config.dataDir, 'files/partial', account.user.id)
  const orphan = randomUUID()
  writeFileSync(join(folder, orphan), 'x')
  utimesSync(join(folder, orphan), 0, 0)
  const { prisma } = mira.context.database
  const { id } = await uploads.rowOf(expired)
  await prisma.partialUpload.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1000) } })
  await uploads.call('head', expired, account).expect(404)
  await mira.context.partialUploads.cleanUp()
  expect(uploads.partialFiles(account.user.id)).toEqual([current.split('/').at(-1)])
  expect(readFileSync(join(folder, current.split('/').at(-1) ?? ''))).toHaveLength(5)
  await mira.request
    .delete(`/api/admin/users/${account.user.id}?now=true`)
    .auth(mira.admin.token, { type: 'bearer' })
    .expect(204)
  expect(await prisma.partialUpload.count({ where: { userId: account.user.id } })).toBe(0)
  await mira.context.partialUploads.cleanUp()
})
