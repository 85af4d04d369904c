import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { LARGE_UPLOAD_DEFAULT_BYTES, partialUploadStateSchema } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type PartialUploadCalls, partialUploadCallsOf } from '../../../../test/partial-upload-calls.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let anna: TestAccount
let uploads: PartialUploadCalls
beforeAll(async () => {
  mira = await startTestApp()
  anna = await mira.createUser({ can_upload: true })
  uploads = partialUploadCallsOf(mira, anna)
  await mira.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => mira.close())

const newPicture = async () => Buffer.concat([await plainImage({}), Buffer.from(randomUUID())])
/** Sends the beginning of a part and leaves the connection open. */
const sendSlowly = (path: string, offset: number, content: Buffer, contentLength: number) => {
  const request = httpRequest({
    port: (mira.app.server.address() as AddressInfo).port,
    method: 'PATCH',
    path,
    headers: {
      authorization: `Bearer ${anna.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': offset,
      'content-type': 'application/offset+octet-stream',
      'content-length': contentLength,
    },
  })
  request.on('error', () => {})
  request.write(content)
  return request
}
const waitForBytes = (path: string, bytes: number) =>
  vi.waitFor(
    async () => {
      const { headers } = await uploads.call('get', path)
      expect(headers).toBeDefined()
      const { body } = await uploads.call('get', path).expect(200)
      expect(body.offset_bytes).toBe(bytes)
    },
    { timeout: 20_000 },
  )

test('a file uploaded in parts becomes an item like any other', async () => {
  const picture = await newPicture()
  const options = { generate_caption: 'false', keep_place: 'true', fingerprint: 'photo-1' }
  const path = await uploads.createUpload(picture.length, options)
  const half = Math.floor(picture.length / 2)
  const first = await uploads.send(path, 0, picture.subarray(0, half)).expect(204)
  expect(first.headers).toMatchObject({ 'upload-offset': String(half), 'tus-resumable': '1.0.0' })
  const head = await uploads.call('head', path).expect(200)
  expect(head.headers).toMatchObject({
    'upload-offset': String(half),
    'upload-length': String(picture.length),
    'cache-control': 'no-store',
    'tus-resumable': '1.0.0',
  })
  const { body: open } = await uploads.call('get', '/api/media/uploads').expect(200)
  expect(open.uploads).toMatchObject([{ original_filename: 'a photo.jpg', fingerprint: 'photo-1', offset_bytes: half }])
  const last = await uploads.send(path, half, picture.subarray(half)).expect(204)
  expect(last.headers['upload-offset']).toBe(String(picture.length))

  const { body } = await uploads.call('get', path).expect(200)
  expect(() => partialUploadStateSchema.parse(body)).not.toThrow()
  expect(body).toMatchObject({ offset_bytes: picture.length, is_duplicate: false })
  expect(body.media_item.metadata).toMatchObject({ original_filename: 'a photo.jpg', size_bytes: picture.length })
  expect((await mira.request.get(body.media_item.url).expect(200)).body).toEqual(picture)
  const { prisma } = mira.context.database
  expect(await prisma.mediaItem.findUniqueOrThrow({ where: { id: body.media_item.id } })).toMatchObject({
    wantsCaption: false,
    wantsText: true,
    keepsLocation: true,
  })
  expect(await prisma.unreferencedFile.count()).toBe(0)
  expect(await prisma.activity.count({ where: { subjectId: body.media_item.id, kind: 'upload' } })).toBe(1)
  // Its bytes belong to the item now, and it's no longer unfinished.
  expect(uploads.partialFiles()).toEqual([])
  expect((await uploads.call('get', '/api/media/uploads')).body).toEqual({ uploads: [] })
  expect((await uploads.call('head', path).expect(200)).headers['upload-offset']).toBe(String(picture.length))

  // The same bytes again, all in the creation request.
  const again = await uploads
    .requestUpload(picture.length)
    .set('content-type', 'application/offset+octet-stream')
    .send(picture)
  expect([again.status, again.headers['upload-offset']]).toEqual([201, String(picture.length)])
  const id = again.headers.location?.split('/').at(-1)
  const response = await uploads.call('get', `/api/media/uploads/${id}`).expect(200)
  expect(response.body).toMatchObject({ is_duplicate: true, media_item: { id: body.media_item.id } })
  await uploads.call('delete', path).expect(204)
  await uploads.call('get', path).expect(404)
  await uploads.call('get', `/api/media/${body.media_item.id}`).expect(200)
})

test('keeps the bytes received before a disconnect, and resumes from there', async () => {
  const picture = Buffer.concat([await newPicture(), Buffer.alloc(300_000, 'x')])
  const path = await uploads.createUpload(picture.length)
  const request = sendSlowly(path, 0, picture.subarray(0, 200_000), picture.length)
  await waitForBytes(path, 200_000)
  request.destroy()
  const response = await uploads.call('head', path).expect(200)
  expect(response.headers['upload-offset']).toBe('200000')
  await uploads.send(path, 200_000, picture.subarray(200_000)).expect(204)
  const { body } = await uploads.call('get', path).expect(200)
  expect((await mira.request.get(body.media_item.url).expect(200)).body).toEqual(picture)
})

test('discards a part with a wrong checksum, which can be sent again', async () => {
  const picture = Buffer.concat([await newPicture(), Buffer.alloc(100_000, 'x')])
  const path = await uploads.createUpload(picture.length)
  const [first, second] = [picture.subarray(0, 30_000), picture.subarray(30_000)]
  const sendWithChecksum = (content: Buffer, offset: number, hashedContent: Buffer, algorithm = 'sha256') =>
    uploads
      .send(path, offset, content)
      .set('upload-checksum', `${algorithm} ${createHash(algorithm).update(hashedContent).digest('base64')}`)
  await sendWithChecksum(first, 0, first, 'sha1').expect(204)
  const { body } = await sendWithChecksum(second, 30_000, first).expect(460)
  expect(body.code).toBe('checksum_mismatch')
  expect((await uploads.call('get', path)).body.offset_bytes).toBe(30_000)
  await uploads.send(path, 30_000, second).set('upload-checksum', 'crc32 AAAA').expect(400)
  await sendWithChecksum(second, 30_000, second).expect(204)
  const { body: finished } = await uploads.call('get', path).expect(200)
  expect((await mira.request.get(finished.media_item.url).expect(200)).body).toEqual(picture)
  const { headers } = await mira.request
    .options('/api/media/uploads')
    .auth(anna.token, { type: 'bearer' })
    .set('tus-resumable', '1.0.0')
    .expect(204)
  expect(headers).toMatchObject({
    'tus-version': '1.0.0',
    'tus-extension': 'creation,creation-with-upload,termination,expiration,checksum',
    'tus-checksum-algorithm': 'sha1,sha256,md5',
    'tus-max-size': String(LARGE_UPLOAD_DEFAULT_BYTES),
  })
})

test('hashes parts as they arrive, and reads the file again after a restart', async () => {
  const receive = vi.spyOn(mira.context.files, 'receiveFile')
  const picture = Buffer.concat([await newPicture(), Buffer.alloc(200_000, 'x')])
  const path = await uploads.createUpload(picture.length)
  await uploads.send(path, 0, picture.subarray(0, 70_000)).expect(204)
  await uploads.send(path, 70_000, picture.subarray(70_000)).expect(204)
  const sha256 = createHash('sha256').update(picture).digest('hex')
  expect(receive.mock.lastCall?.[1]).toBe(sha256)
  expect((await uploads.call('get', path).expect(200)).body.media_item.metadata.sha256).toBe(sha256)

  const other = Buffer.concat([await newPicture(), Buffer.alloc(200_000, 'y')])
  const interruptedPath = await uploads.createUpload(other.length)
  // As left by another server, or by this one before it was killed.
  writeFileSync(
    join(mira.context.config.dataDir, 'files/partial', anna.user.id, interruptedPath.split('/').at(-1) ?? ''),
    other.subarray(0, 70_000),
  )
  await uploads.send(interruptedPath, 70_000, other.subarray(70_000)).expect(204)
  expect(receive.mock.lastCall?.[1]).toBeUndefined()
  receive.mockRestore()
  const { body } = await uploads.call('get', interruptedPath).expect(200)
  expect(body.media_item.metadata.sha256).toBe(createHash('sha256').update(other).digest('hex'))
})

test('starts an import and records it at its upload together, so that a failure doesn’t start it twice', async () => {
  const { pool } = mira.context.database
  const ada = await mira.createUser({ can_chat: true, can_upload: true })
  const uploadsOfAda = partialUploadCallsOf(mira, ada)
  const exportFile = Buffer.from('[]')
  const path = await uploadsOfAda.createUpload(exportFile.length, {
    filename: 'conversations.json',
    import_source: 'chatgpt',
  })
  await pool.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the server ends'; END $$`,
  )
  await pool.query(
    'CREATE TRIGGER refuse BEFORE UPDATE OF import_id ON partial_uploads FOR EACH ROW EXECUTE FUNCTION refuse()',
  )
  await uploadsOfAda.send(path, 0, exportFile).expect(500)
  await pool.query('DROP FUNCTION refuse CASCADE')
  const { body } = await uploadsOfAda.call('get', path).expect(200)
  const { imports } = (await uploadsOfAda.call('get', '/api/imports').expect(200)).body
  expect(imports.map(({ id }: { id: string }) => id)).toEqual([body.import_id])
  expect(readdirSync(join(mira.context.config.dataDir, 'files/incoming'))).toEqual([])
})

test('an export of another program becomes one import instead of an item', async () => {
  const exportFile = Buffer.from('[]')
  const options = { filename: 'conversations.json', import_source: 'chatgpt', import_preview: 'true' }
  await uploads.requestUpload(exportFile.length, { ...options, import_source: 'telepathy' }).expect(422)
  const path = await uploads.createUpload(exportFile.length, options)
  expect((await uploads.call('get', '/api/media/uploads')).body.uploads).toMatchObject([{ import_source: 'chatgpt' }])
  await uploads.send(path, 0, exportFile).expect(204)
  const { body } = await uploads.call('get', path).expect(200)
  expect(() => partialUploadStateSchema.parse(body)).not.toThrow()
  expect(body).toMatchObject({ media_item: null, import_id: expect.any(String), offset_bytes: exportFile.length })
  const { body: startedImport } = await uploads.call('get', `/api/imports/${body.import_id}`).expect(200)
  expect(startedImport).toMatchObject({ source: 'chatgpt', name: 'conversations.json', preview: true })
  expect((await uploads.call('get', path).expect(200)).body.import_id).toBe(body.import_id)
  expect((await uploads.call('get', '/api/imports').expect(200)).body.imports).toHaveLength(1)
  expect((await uploads.call('get', '/api/media/uploads')).body).toEqual({ uploads: [] })

  const silent = await mira.createUser({ can_upload: true, can_chat: false })
  expect((await uploads.requestUpload(10, { ...options, account: silent })).status).toBe(403)
})

test('one request writes at a time: the next one takes over on the same server, and is rejected while another server holds the lock', async () => {
  const picture = Buffer.concat([await newPicture(), Buffer.alloc(100_000, 'x')])
  const path = await uploads.createUpload(picture.length)
  const stalled = sendSlowly(path, 0, picture.subarray(0, 50_000), picture.length)
  await waitForBytes(path, 50_000)
  await uploads.send(path, 0, picture).expect(409)
  await uploads.send(path, 50_000, picture.subarray(50_000, 60_000)).expect(204)
  stalled.destroy()

  const { pool } = mira.context.database
  const { id } = await uploads.rowOf(path)
  const lockFor = (seconds: number) =>
    pool.query(
      `UPDATE partial_uploads SET lock_token = gen_random_uuid(), locked_until = now() + make_interval(secs => $2) WHERE id = $1`,
      [id, seconds],
    )
  await lockFor(60)
  const { body } = await uploads.send(path, 60_000, picture.subarray(60_000)).expect(423)
  expect(body.code).toBe('upload_busy')
  // Clients of tus wait after this status, and start again from the first byte after any other.
  await uploads.call('head', path).expect(423)
  expect((await uploads.call('get', path).expect(200)).body.offset_bytes).toBe(60_000)
  // A dead server doesn't renew its lock.
  await lockFor(-1)
  await uploads.send(path, 60_000, picture.subarray(60_000)).expect(204)
  expect((await uploads.call('get', path).expect(200)).body.media_item).not.toBeNull()
}, 30_000)

describe('a part is rejected', () => {
  test('for a protocol violation, which leaves the upload unchanged', async () => {
    const path = await uploads.createUpload(1000)
    await uploads.send(path, 0, Buffer.alloc(100)).expect(204)
    const refusals: [string, { status: number; headers: object; body: { code: string } }, number, string][] = [
      ['of another offset', await uploads.send(path, 50, Buffer.alloc(10)), 409, 'upload_offset'],
      ['too long', await uploads.send(path, 100, Buffer.alloc(2000)), 413, 'payload_too_large'],
      [
        'without offset',
        await uploads.call('patch', path).type('application/offset+octet-stream').send(Buffer.alloc(9)),
        400,
        'bad_request',
      ],
      [
        'of another type',
        await uploads.call('patch', path).set('upload-offset', '100').send({ a: 1 }),
        415,
        'unsupported_type',
      ],
      [
        'without version',
        await uploads.send(path, 100, Buffer.alloc(1)).unset('tus-resumable'),
        412,
        'precondition_failed',
      ],
      [
        'of another version',
        await uploads.send(path, 100, Buffer.alloc(1)).set('tus-resumable', '0.2'),
        412,
        'precondition_failed',
      ],
    ]
    expect(refusals.map(([name, { status, body }]) => [name, status, body.code])).toEqual(
      refusals.map(([name, , status, code]) => [name, status, code]),
    )
    for (const [name, { headers }] of refusals)
      expect(headers, name).toMatchObject({ 'tus-resumable': '1.0.0', 'tus-version': '1.0.0' })
    expect((await uploads.call('get', path)).body).toMatchObject({ offset_bytes: 100, media_item: null })
    await uploads.call('delete', path).expect(204)
    expect(uploads.partialFiles()).toEqual([])
    await uploads.call('head', path).expect(404)
    await uploads.send(path, 100, Buffer.alloc(10)).expect(404)
  })

  test('when the complete file has an unsupported type, and nothing of it stays', async () => {
    for (const [content, filename, status, detail] of [
      [Buffer.from('PK\u0003\u0004 an archive, it says'), 'x.zip', 415, /ZIP files are imported/],
      [Buffer.from('just words'), 'film.mp4', 415, /\.mp4.*a document/],
    ] as const) {
      const path = await uploads.createUpload(content.length, { filename })
      const { body } = await uploads.send(path, 0, content).expect(status)
      expect(body).toEqual({ code: 'unsupported_type', detail: expect.stringMatching(detail) })
      await uploads.call('get', path).expect(404)
    }
    expect(uploads.partialFiles()).toEqual([])
    expect(readdirSync(join(mira.context.config.dataDir, 'files/incoming'))).toEqual([])
  })
})

test('a header passes networks that block PATCH and DELETE', async () => {
  const path = await uploads.createUpload(20)
  const withMethod = (method: string) => uploads.call('post', path).set('x-http-method-override', method)
  const part = withMethod('PATCH').set('upload-offset', '0').type('application/offset+octet-stream')
  await part.send(Buffer.alloc(10)).expect(204)
  expect((await uploads.call('get', path)).body.offset_bytes).toBe(10)
  await withMethod('delete').expect(204)
  await uploads.call('head', path).expect(404)
  await withMethod('PUT').expect(405)
})

test('starts an upload at an address that ends with a slash, behind any number of proxies', async () => {
  const { headers } = await uploads
    .call('post', '/api/media/uploads/')
    .set({ 'upload-length': '10', 'upload-metadata': `filename ${btoa('a.jpg')}`, 'x-forwarded-proto': 'https, http' })
    .expect(201)
  const { pathname } = new URL(headers.location ?? '', 'http://localhost/api/media/uploads/')
  await uploads.send(pathname, 0, Buffer.alloc(5)).expect(204)
  await uploads.call('delete', pathname).expect(204)
})

test('returns 404 for another user’s upload', async () => {
  const otherAccount = await mira.createUser({ can_upload: true })
  const path = await uploads.createUpload(10)
  await uploads.call('head', path, otherAccount).expect(404)
  await uploads.call('get', path, otherAccount).expect(404)
  await uploads.send(path, 0, Buffer.alloc(10), otherAccount).expect(404)
  await uploads.call('delete', path, otherAccount).expect(404)
  expect((await uploads.call('get', '/api/media/uploads', otherAccount)).body).toEqual({ uploads: [] })
  expect((await uploads.call('get', path).expect(200)).body.offset_bytes).toBe(0)
  await uploads.call('delete', path).expect(204)
})

test('stores a complete file on the next request when storing it failed', async () => {
  const picture = await newPicture()
  const path = await uploads.createUpload(picture.length)
  const receive = vi.spyOn(mira.context.files, 'receiveFile').mockRejectedValueOnce(new Error('The disk is away.'))
  await uploads.send(path, 0, picture).expect(500)
  receive.mockRestore()
  expect(uploads.partialFiles()).toHaveLength(1)
  const { body } = await uploads.call('get', path).expect(200)
  expect(body.media_item.metadata.size_bytes).toBe(picture.length)
  expect(uploads.partialFiles()).toEqual([])
})
