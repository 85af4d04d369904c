import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { LARGE_UPLOAD_USUAL_BYTES, partialUploadStateSchema, STILL_UPLOAD_MAX_BYTES } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { plainPicture } from '../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

let mira: TestApp
let anna: TestAccount
beforeAll(async () => {
  mira = await startTestApp()
  anna = await mira.createUser({ can_upload: true })
  await mira.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => mira.close())

const newPicture = async () => Buffer.concat([await plainPicture({}), Buffer.from(randomUUID())])
const encode = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')

const call = (method: 'post' | 'head' | 'patch' | 'delete' | 'get', path: string, account = anna) =>
  mira.request[method](path).auth(account.token, { type: 'bearer' }).set('tus-resumable', '1.0.0')
const begin = (
  size: number,
  { account = anna, ...metadata }: { account?: TestAccount } & Record<string, unknown> = {},
) =>
  call('post', '/api/media/uploads', account)
    .set('upload-length', String(size))
    .set('upload-metadata', encode({ filename: 'a photo.jpg', ...(metadata as Record<string, string>) }))
const begun = async (size: number, given: Parameters<typeof begin>[1] = {}) => {
  const { headers } = await begin(size, given).expect(201)
  return new URL(headers.location ?? '', 'http://localhost/api/media/uploads').pathname
}
const send = (path: string, offset: number, content: Buffer, account = anna) =>
  call('patch', path, account)
    .set('upload-offset', String(offset))
    .set('content-type', 'application/offset+octet-stream')
    .send(content)
const partials = (userId = anna.user.id) => readdirSync(join(mira.context.config.dataDir, 'files/partial', userId))
const rowOf = (path: string) =>
  mira.context.database.prisma.partialUpload.findUniqueOrThrow({ where: { id: path.split('/').at(-1) ?? '' } })

/** Sends the beginning of a part and leaves the connection open. */
const sendSlowly = (path: string, offset: number, content: Buffer, wholeBytes: number) => {
  const sent = httpRequest({
    port: (mira.app.server.address() as AddressInfo).port,
    method: 'PATCH',
    path,
    headers: {
      authorization: `Bearer ${anna.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': offset,
      'content-type': 'application/offset+octet-stream',
      'content-length': wholeBytes,
    },
  })
  sent.on('error', () => {})
  sent.write(content)
  return sent
}
const arrived = (path: string, bytes: number) =>
  vi.waitFor(
    async () => {
      const { headers } = await call('get', path)
      expect(headers).toBeDefined()
      const { body } = await call('get', path).expect(200)
      expect(body.offset_bytes).toBe(bytes)
    },
    { timeout: 20_000 },
  )

test('a file that comes in parts becomes an item as any other does', async () => {
  const picture = await newPicture()
  const wishes = { generate_caption: 'false', keep_place: 'true', fingerprint: 'photo-1' }
  const path = await begun(picture.length, wishes)
  const half = Math.floor(picture.length / 2)
  const first = await send(path, 0, picture.subarray(0, half)).expect(204)
  expect(first.headers).toMatchObject({ 'upload-offset': String(half), 'tus-resumable': '1.0.0' })
  const head = await call('head', path).expect(200)
  expect(head.headers).toMatchObject({
    'upload-offset': String(half),
    'upload-length': String(picture.length),
    'cache-control': 'no-store',
    'tus-resumable': '1.0.0',
  })
  const { body: open } = await call('get', '/api/media/uploads').expect(200)
  expect(open.uploads).toMatchObject([{ original_filename: 'a photo.jpg', fingerprint: 'photo-1', offset_bytes: half }])
  const last = await send(path, half, picture.subarray(half)).expect(204)
  expect(last.headers['upload-offset']).toBe(String(picture.length))

  const { body } = await call('get', path).expect(200)
  expect(() => partialUploadStateSchema.parse(body)).not.toThrow()
  expect(body).toMatchObject({ offset_bytes: picture.length, is_duplicate: false })
  expect(body.media_item.metadata).toMatchObject({ original_filename: 'a photo.jpg', size_bytes: picture.length })
  expect((await mira.request.get(body.media_item.url).expect(200)).body).toEqual(picture)
  const { prisma } = mira.context.database
  expect(await prisma.mediaItem.findUniqueOrThrow({ where: { id: body.media_item.id } })).toMatchObject({
    wantsCaption: false,
    wantsText: true,
    keepsPlace: true,
  })
  expect(await prisma.looseFile.count()).toBe(0)
  expect(await prisma.activity.count({ where: { subjectId: body.media_item.id, kind: 'upload' } })).toBe(1)
  // its bytes are the item's now, and it is unfinished no more
  expect(partials()).toEqual([])
  expect((await call('get', '/api/media/uploads')).body).toEqual({ uploads: [] })
  expect((await call('head', path).expect(200)).headers['upload-offset']).toBe(String(picture.length))

  // the same bytes again, all of them with the request that begins
  const again = await begin(picture.length).set('content-type', 'application/offset+octet-stream').send(picture)
  expect([again.status, again.headers['upload-offset']]).toEqual([201, String(picture.length)])
  const id = again.headers.location?.split('/').at(-1)
  const known = await call('get', `/api/media/uploads/${id}`).expect(200)
  expect(known.body).toMatchObject({ is_duplicate: true, media_item: { id: body.media_item.id } })
  await call('delete', path).expect(204)
  await call('get', path).expect(404)
  await call('get', `/api/media/${body.media_item.id}`).expect(200)
})

test('what arrived before the connection broke stays, and the rest is sent from there', async () => {
  const picture = Buffer.concat([await newPicture(), Buffer.alloc(300_000, 'x')])
  const path = await begun(picture.length)
  const sent = sendSlowly(path, 0, picture.subarray(0, 200_000), picture.length)
  await arrived(path, 200_000)
  sent.destroy()
  const asked = await call('head', path).expect(200)
  expect(asked.headers['upload-offset']).toBe('200000')
  await send(path, 200_000, picture.subarray(200_000)).expect(204)
  const { body } = await call('get', path).expect(200)
  expect((await mira.request.get(body.media_item.url).expect(200)).body).toEqual(picture)
})

test('a part that is not what its checksum says is dropped whole, and sent once more', async () => {
  const picture = Buffer.concat([await newPicture(), Buffer.alloc(100_000, 'x')])
  const path = await begun(picture.length)
  const [first, second] = [picture.subarray(0, 30_000), picture.subarray(30_000)]
  const checked = (content: Buffer, offset: number, of: Buffer, algorithm = 'sha256') =>
    send(path, offset, content).set(
      'upload-checksum',
      `${algorithm} ${createHash(algorithm).update(of).digest('base64')}`,
    )
  await checked(first, 0, first, 'sha1').expect(204)
  const { body } = await checked(second, 30_000, first).expect(460)
  expect(body.code).toBe('checksum_mismatch')
  expect((await call('get', path)).body.offset_bytes).toBe(30_000)
  await send(path, 30_000, second).set('upload-checksum', 'crc32 AAAA').expect(400)
  await checked(second, 30_000, second).expect(204)
  const { body: whole } = await call('get', path).expect(200)
  expect((await mira.request.get(whole.media_item.url).expect(200)).body).toEqual(picture)
  const { headers } = await mira.request
    .options('/api/media/uploads')
    .auth(anna.token, { type: 'bearer' })
    .set('tus-resumable', '1.0.0')
    .expect(204)
  expect(headers).toMatchObject({
    'tus-version': '1.0.0',
    'tus-extension': 'creation,creation-with-upload,termination,expiration,checksum',
    'tus-checksum-algorithm': 'sha1,sha256,md5',
    'tus-max-size': String(LARGE_UPLOAD_USUAL_BYTES),
  })
})

test('the hash goes on while parts arrive; after a restart the file is read once more', async () => {
  const receive = vi.spyOn(mira.context.files, 'receiveFile')
  const picture = Buffer.concat([await newPicture(), Buffer.alloc(200_000, 'x')])
  const whole = await begun(picture.length)
  await send(whole, 0, picture.subarray(0, 70_000)).expect(204)
  await send(whole, 70_000, picture.subarray(70_000)).expect(204)
  const sha256 = createHash('sha256').update(picture).digest('hex')
  expect(receive.mock.lastCall?.[1]).toBe(sha256)
  expect((await call('get', whole).expect(200)).body.media_item.metadata.sha256).toBe(sha256)

  const other = Buffer.concat([await newPicture(), Buffer.alloc(200_000, 'y')])
  const broken = await begun(other.length)
  // as another server, or this one before it was killed, left it
  writeFileSync(
    join(mira.context.config.dataDir, 'files/partial', anna.user.id, broken.split('/').at(-1) ?? ''),
    other.subarray(0, 70_000),
  )
  await send(broken, 70_000, other.subarray(70_000)).expect(204)
  expect(receive.mock.lastCall?.[1]).toBeUndefined()
  receive.mockRestore()
  const { body } = await call('get', broken).expect(200)
  expect(body.media_item.metadata.sha256).toBe(createHash('sha256').update(other).digest('hex'))
})

test('what another program exported becomes an import instead of an item, once', async () => {
  const exported = Buffer.from('[]')
  const wishes = { filename: 'conversations.json', import_source: 'chatgpt', import_preview: 'true' }
  await begin(exported.length, { ...wishes, import_source: 'telepathy' }).expect(422)
  const path = await begun(exported.length, wishes)
  expect((await call('get', '/api/media/uploads')).body.uploads).toMatchObject([{ import_source: 'chatgpt' }])
  await send(path, 0, exported).expect(204)
  const { body } = await call('get', path).expect(200)
  expect(() => partialUploadStateSchema.parse(body)).not.toThrow()
  expect(body).toMatchObject({ media_item: null, import_id: expect.any(String), offset_bytes: exported.length })
  const { body: begunImport } = await call('get', `/api/imports/${body.import_id}`).expect(200)
  expect(begunImport).toMatchObject({ source: 'chatgpt', name: 'conversations.json', preview: true })
  expect((await call('get', path).expect(200)).body.import_id).toBe(body.import_id)
  expect((await call('get', '/api/imports').expect(200)).body.imports).toHaveLength(1)
  expect((await call('get', '/api/media/uploads')).body).toEqual({ uploads: [] })

  const silent = await mira.createUser({ can_upload: true, can_chat: false })
  expect((await begin(10, { ...wishes, account: silent })).status).toBe(403)
})

test('a disk that has no room for all files that have begun takes no further one', async () => {
  const account = await mira.createUser({ can_upload: true })
  const half = 4 * 1024 ** 3
  const free = vi.spyOn(mira.context.files, 'freeBytes').mockResolvedValue(half + half / 2)
  try {
    const path = await begun(half, { account, filename: 'film.mp4' })
    const { status, body } = await begin(half, { account, filename: 'other.mp4' })
    expect([status, body.code, body.detail]).toEqual([
      507,
      'storage_full',
      'There is no room left on the server for a file of this size.',
    ])
    await call('delete', path, account).expect(204)
    await begin(half, { account, filename: 'other.mp4' }).expect(201)
  } finally {
    free.mockRestore()
  }
})

test('every part that arrives gives the upload another day, a week at most', async () => {
  const path = await begun(1000)
  const { id } = await rowOf(path)
  const { pool } = mira.context.database
  await pool.query(`UPDATE partial_uploads SET expires_at = now() + interval '1 minute' WHERE id = $1`, [id])
  await send(path, 0, Buffer.alloc(10)).expect(204)
  const day = 24 * 3_600_000
  expect((await rowOf(path)).expiresAt.getTime()).toBeGreaterThan(Date.now() + day - 60_000)
  await pool.query(`UPDATE partial_uploads SET created_at = now() - interval '6 days 23 hours' WHERE id = $1`, [id])
  await send(path, 10, Buffer.alloc(10)).expect(204)
  const { headers } = await call('head', path).expect(200)
  expect(new Date(headers['upload-expires'] ?? 0).getTime()).toBeLessThan(Date.now() + 3_600_000 + 1000)
  await call('delete', path).expect(204)
})

test('one request at a time writes: the next takes over on the same server, and waits for another server', async () => {
  const picture = Buffer.concat([await newPicture(), Buffer.alloc(100_000, 'x')])
  const path = await begun(picture.length)
  const dead = sendSlowly(path, 0, picture.subarray(0, 50_000), picture.length)
  await arrived(path, 50_000)
  await send(path, 0, picture).expect(409)
  await send(path, 50_000, picture.subarray(50_000, 60_000)).expect(204)
  dead.destroy()

  const { pool } = mira.context.database
  const { id } = await rowOf(path)
  const holdFor = (seconds: number) =>
    pool.query(
      `UPDATE partial_uploads SET lock_token = gen_random_uuid(), locked_until = now() + make_interval(secs => $2) WHERE id = $1`,
      [id, seconds],
    )
  await holdFor(60)
  const { body } = await send(path, 60_000, picture.subarray(60_000)).expect(409)
  expect(body.code).toBe('upload_busy')
  expect((await call('get', path).expect(200)).body.offset_bytes).toBe(60_000)
  // a server that has died does not say again that it is alive
  await holdFor(-1)
  await send(path, 60_000, picture.subarray(60_000)).expect(204)
  expect((await call('get', path).expect(200)).body.media_item).not.toBeNull()
}, 30_000)

describe('a part is refused', () => {
  test('when it breaks the protocol, and the upload stays as it is', async () => {
    const path = await begun(1000)
    await send(path, 0, Buffer.alloc(100)).expect(204)
    const refused: [string, { status: number; body: { code: string } }, number, string][] = [
      ['of another offset', await send(path, 50, Buffer.alloc(10)), 409, 'upload_offset'],
      ['too long', await send(path, 100, Buffer.alloc(2000)), 413, 'payload_too_large'],
      [
        'without offset',
        await call('patch', path).type('application/offset+octet-stream').send(Buffer.alloc(9)),
        400,
        'bad_request',
      ],
      ['of another type', await call('patch', path).set('upload-offset', '100').send({ a: 1 }), 400, 'bad_request'],
      ['without version', await send(path, 100, Buffer.alloc(1)).unset('tus-resumable'), 412, 'precondition_failed'],
      ['of another version', await send(path, 100, Buffer.alloc(1)).set('tus-resumable', '0.2'), 400, 'bad_request'],
    ]
    expect(refused.map(([name, { status, body }]) => [name, status, body.code])).toEqual(
      refused.map(([name, , status, code]) => [name, status, code]),
    )
    expect((await call('get', path)).body).toMatchObject({ offset_bytes: 100, media_item: null })
    await call('delete', path).expect(204)
    expect(partials()).toEqual([])
    await call('head', path).expect(404)
    await send(path, 100, Buffer.alloc(10)).expect(404)
  })

  test('when the whole is nothing that can be kept, and nothing of it stays', async () => {
    for (const [content, filename, status, detail] of [
      [Buffer.from('PK\u0003\u0004 an archive, it says'), 'x.zip', 415, /type ZIP/],
      [Buffer.from('just words'), 'film.mp4', 415, /\.mp4.*a document/],
    ] as const) {
      const path = await begun(content.length, { filename })
      const { body } = await send(path, 0, content).expect(status)
      expect(body).toEqual({ code: 'unsupported_type', detail: expect.stringMatching(detail) })
      await call('get', path).expect(404)
    }
    expect(partials()).toEqual([])
    expect(readdirSync(join(mira.context.config.dataDir, 'files/incoming'))).toEqual([])
  })
})

describe('no upload begins', () => {
  test('that cannot end well', async () => {
    const unfinished = () =>
      mira.context.database.prisma.partialUpload.count({ where: { userId: anna.user.id, mediaItemId: null } })
    const before = await unfinished()
    const refused = [
      [await begin(0), 422, 'empty_file'],
      [await begin(LARGE_UPLOAD_USUAL_BYTES + 1, { filename: 'film.mp4' }), 413, 'file_too_large'],
      [await begin(STILL_UPLOAD_MAX_BYTES + 1), 413, 'still_too_large'],
      [await begin(STILL_UPLOAD_MAX_BYTES + 1, { filename: 'many.pdf' }), 413, 'still_too_large'],
      [await begin(10).set('upload-length', 'many'), 400, 'bad_request'],
      [await begin(10).set('upload-defer-length', '1').unset('upload-length'), 400, 'bad_request'],
      [await begin(10, { keep_place: 'perhaps' }), 422, 'validation_failed'],
      [await begin(10).unset('tus-resumable'), 412, 'precondition_failed'],
    ] as const
    expect(refused.map(([{ status, body }]) => [status, body.code])).toEqual(
      refused.map(([, status, code]) => [status, code]),
    )
    const free = vi.spyOn(mira.context.files, 'freeBytes').mockResolvedValue(1000)
    const { status, body } = await begin(10)
    free.mockRestore()
    expect([status, body.code]).toEqual([507, 'storage_full'])
    expect(await unfinished()).toBe(before)
  })

  test('beside twenty others of the same person', async () => {
    const account = await mira.createUser({ can_upload: true })
    const paths: string[] = []
    while (paths.length < 20) paths.push(await begun(10, { account }))
    const { body } = await begin(10, { account }).expect(429)
    expect(body.code).toBe('too_many_partial_uploads')
    await call('delete', paths[0] ?? '', account).expect(204)
    await begin(10, { account }).expect(201)
  })
})

test('unfinished uploads take their room, and one that ends without room waits until there is some', async () => {
  const account = await mira.createUser({ can_upload: true })
  const { settings } = mira.context
  const before = settings.current()
  const [picture, other] = [await newPicture(), await newPicture()]
  const limit = async (bytes: number | null) => {
    const limits = { ...before.limits, storage_bytes_per_user: bytes }
    await settings.save({ ...before, limits }, {})
  }
  await limit(1024 * 1024)
  try {
    const path = await begun(picture.length, { account })
    const refused = await begin(1024 * 1024 - 10, { account })
    expect([refused.status, refused.body.code]).toEqual([507, 'user_storage_full'])
    await send(path, 0, picture.subarray(0, -1), account).expect(204)
    await mira.request
      .post('/api/media/upload')
      .auth(account.token, { type: 'bearer' })
      .field('wait', '0')
      .attach('file', other, 'b.png')
      .expect(202)
    // as if it were so large that all but one byte fits beside it
    await mira.context.database.prisma.mediaItem.updateMany({
      where: { userId: account.user.id },
      data: { sizeBytes: 1024 * 1024 - picture.length + 1 },
    })
    const last = await send(path, picture.length - 1, picture.subarray(-1), account)
    expect([last.status, last.body.code]).toEqual([507, 'user_storage_full'])
    await limit(null)
    const { body } = await call('get', path, account).expect(200)
    expect(body.media_item.metadata.size_bytes).toBe(picture.length)
  } finally {
    await settings.save(before, {})
  }
})

test('another person’s upload is not there', async () => {
  const other = await mira.createUser({ can_upload: true })
  const path = await begun(10)
  await call('head', path, other).expect(404)
  await call('get', path, other).expect(404)
  await send(path, 0, Buffer.alloc(10), other).expect(404)
  await call('delete', path, other).expect(404)
  expect((await call('get', '/api/media/uploads', other)).body).toEqual({ uploads: [] })
  expect((await call('get', path).expect(200)).body.offset_bytes).toBe(0)
  await call('delete', path).expect(204)
})

test('a whole file that could not be stored is stored when its sender asks again', async () => {
  const picture = await newPicture()
  const path = await begun(picture.length)
  const receive = vi.spyOn(mira.context.files, 'receiveFile').mockRejectedValueOnce(new Error('The disk is away.'))
  await send(path, 0, picture).expect(500)
  receive.mockRestore()
  expect(partials()).toHaveLength(1)
  const { body } = await call('get', path).expect(200)
  expect(body.media_item.metadata.size_bytes).toBe(picture.length)
  expect(partials()).toEqual([])
})

test('after a day, and with their person, partial uploads go with their bytes', async () => {
  const account = await mira.createUser({ can_upload: true })
  const [late, young] = [await begun(10, { account }), await begun(10, { account })]
  for (const path of [late, young]) await send(path, 0, Buffer.alloc(5), account).expect(204)
  const folder = join(mira.context.config.dataDir, 'files/partial', account.user.id)
  const ofNobody = randomUUID()
  writeFileSync(join(folder, ofNobody), 'x')
  utimesSync(join(folder, ofNobody), 0, 0)
  const { prisma } = mira.context.database
  const { id } = await rowOf(late)
  await prisma.partialUpload.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1000) } })
  await call('head', late, account).expect(404)
  await mira.context.partialUploads.cleanUp()
  expect(partials(account.user.id)).toEqual([young.split('/').at(-1)])
  expect(readFileSync(join(folder, young.split('/').at(-1) ?? ''))).toHaveLength(5)
  await mira.request
    .delete(`/api/admin/users/${account.user.id}`)
    .auth(mira.admin.token, { type: 'bearer' })
    .expect(204)
  expect(await prisma.partialUpload.count({ where: { userId: account.user.id } })).toBe(0)
  await mira.context.partialUploads.cleanUp()
})
