import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type MediaItemJson, mediaItemSchema, UPLOAD_MAX_BYTES } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { encryptedWord, readOfficeFile, visioDrawing } from '../../../../test/document-files.ts'
import { insertMediaItem } from '../../../../test/factories.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { fileStarts, mp4 } from '../../../../test/small-files.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let anna: TestAccount
beforeAll(async () => {
  mira = await startTestApp({ uploadLimits: { perUser: 2, total: 3 } })
  anna = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

/** Picture with unique content. */
const newPicture = async () => Buffer.concat([await plainImage({}), Buffer.from(randomUUID())])

const upload = (
  content: Buffer | null,
  { name = 'a photo.jpg', fields = {}, account = anna }: Options & { fields?: Record<string, string> } = {},
) => {
  const clientRequest = mira.request
    .post('/api/media/upload')
    .auth(account.token, { type: 'bearer' })
    .field('wait', '0')
  for (const [field, value] of Object.entries(fields)) clientRequest.field(field, value)
  return content === null
    ? clientRequest
    : clientRequest.attach('file', content, { filename: name, contentType: 'x/y' })
}
interface Options {
  name?: string
  account?: TestAccount
}

const incomingFiles = () => readdirSync(join(mira.context.config.dataDir, 'files', 'incoming'))
const storageUse = (userId: string) => mira.context.files.usage(userId)

test('a file becomes an item as soon as its bytes are safe, and is downloaded unchanged', async () => {
  const picture = await newPicture()
  const { body } = await upload(picture).expect(202)
  expect(body).toMatchObject({
    media_type: 'image',
    processing_status: 'pending',
    metadata: { original_filename: 'a photo.jpg', content_type: 'image/jpeg', size_bytes: picture.length },
  })
  expect(() => mediaItemSchema.parse(body)).not.toThrow()
  const file = await mira.request.get(body.url).expect(200)
  expect(file.body).toEqual(picture)
  expect(file.headers['content-disposition']).toMatch(/^inline/)
  const { prisma } = mira.context.database
  expect(await prisma.unreferencedFile.count()).toBe(0)
  const steps = await prisma.mediaStep.findMany({ where: { mediaItemId: body.id }, orderBy: { position: 'asc' } })
  expect(steps.map(({ name }) => name)).toEqual(['inspect', 'read', 'caption', 'embed', 'look'])
  expect(await prisma.activity.findMany({ where: { subjectId: body.id } })).toMatchObject([
    { kind: 'upload', outcome: 'completed', detail: { action: 'uploaded', title: 'a photo.jpg', media_type: 'image' } },
  ])
})

test('accepts fields before and after the file', async () => {
  const rowOf = ({ body }: { body: MediaItemJson }) =>
    mira.context.database.prisma.mediaItem.findUniqueOrThrow({ where: { id: body.id } })
  const picture = await newPicture()
  const post = () => mira.request.post('/api/media/upload').auth(anna.token, { type: 'bearer' })
  const options = { generate_caption: 'false', extract_text: 'false', keep_place: 'true', wait: '0' }
  expect(await rowOf(await post().attach('file', picture, 'x.jpg').field(options).expect(202))).toMatchObject({
    wantsCaption: false,
    wantsText: false,
    keepsLocation: true,
  })
  const other = await newPicture()
  expect(await rowOf(await post().field(options).attach('file', other, 'x.jpg').expect(202))).toMatchObject({
    wantsCaption: false,
    wantsText: false,
    keepsLocation: true,
  })
  const plain = await newPicture()
  expect(await rowOf(await upload(plain).expect(202))).toMatchObject({
    wantsCaption: true,
    wantsText: true,
    keepsLocation: false,
  })
})

test('the same bytes again return the existing item', async () => {
  const { user, token } = await mira.createUser({ can_upload: true })
  const account = { user, token, password: '' }
  const picture = await newPicture()
  const first = await upload(picture, { account }).expect(202)
  const again = await upload(picture, { account, name: 'another name.jpg' }).expect(200)
  expect(again.body).toEqual(first.body)
  expect(await storageUse(user.id)).toEqual({ fileCount: 1, sizeBytes: picture.length })
  const itemOfAnotherUser = await upload(picture).expect(202)
  expect(itemOfAnotherUser.body.id).not.toBe(first.body.id)
  const both = await Promise.all([0, 1].map(async () => upload(await Promise.resolve(picture), { account })))
  expect(both.map(({ status }) => status)).toEqual([200, 200])
})

test('the same bytes at the same time become one item', async () => {
  const picture = await newPicture()
  const both = await Promise.all([upload(picture), upload(picture)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 202])
  expect(both[0]?.body.id).toBe(both[1]?.body.id)
})

test('retries a failed item when its bytes are uploaded again', async () => {
  const picture = await newPicture()
  const { body } = await upload(picture).expect(202)
  const { prisma } = mira.context.database
  await prisma.mediaItem.update({ where: { id: body.id }, data: { processingStatus: 'failed', error: 'It broke.' } })
  await prisma.mediaStep.updateMany({ where: { mediaItemId: body.id }, data: { status: 'failed' } })
  const again = await upload(picture).expect(200)
  expect(again.body).toMatchObject({ id: body.id, processing_status: 'pending', error: null })
})

describe('a file is rejected, and nothing of it stays,', () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const rejectedFiles: Record<string, [Buffer, string, number, string, RegExp]> = {
    'when it’s empty': [Buffer.alloc(0), 'x.jpg', 422, 'empty_file', /empty/],
    'when it’s an archive': [
      fileStarts.zip,
      'x.zip',
      415,
      'unsupported_type',
      /ZIP files are imported.*formats: JPG.*DOCX/,
    ],
    'when it’s a program named as a video': [fileStarts.elf, 'x.mp4', 415, 'unsupported_type', /type ELF/],
    'when its type is unknown': [Buffer.from([0, 1, 2]), 'x.bin', 415, 'unsupported_type', /can’t be read/],
    'when it’s a playlist named as a video': [
      Buffer.from('#EXTM3U\nhttp://169.254.169.254/x.ts\n'),
      'x.mp4',
      415,
      'unsupported_type',
      /a playlist/,
    ],
    'when it’s a text named as a video': [Buffer.from('Hello'), 'x.MP4', 415, 'unsupported_type', /\.mp4.*a document/],
    'when it’s a video named as a recording': [
      mp4('isom', ['vide']),
      'x.mp3',
      415,
      'unsupported_type',
      /\.mp3.*a video/,
    ],
    'when it’s an image named as a document': [
      Buffer.from(png, 'base64'),
      'x.pdf',
      415,
      'unsupported_type',
      /\.pdf.*a picture/,
    ],
    'when it’s an HTML page named as an image': [
      Buffer.from('<!doctype html>'),
      'x.jpg',
      415,
      'unsupported_type',
      /HTML.*ends in \.html/,
    ],
    'when it’s an HTML page without an extension': [
      Buffer.from('<!doctype html>'),
      'x',
      415,
      'unsupported_type',
      /HTML.*ends in \.html/,
    ],
    'when it’s an SVG drawing named as an HTML page': [Buffer.from('<svg/>'), 'x.html', 415, 'unsupported_type', /SVG/],
    'when it’s a document with a password': [encryptedWord(), 'x.docx', 422, 'encrypted_document', /password/],
    'when it’s a Visio drawing': [visioDrawing(), 'x.vsd', 415, 'unsupported_type', /can’t be read/],
    'when it’s a truncated document': [
      readOfficeFile('letter.docx').subarray(0, 3_000),
      'x.docx',
      422,
      'damaged_document',
      /damaged/,
    ],
    'when it’s a document named as an image': [
      readOfficeFile('letter.docx'),
      'x.png',
      415,
      'unsupported_type',
      /\.png.*a document \(DOCX\)/,
    ],
    'when it’s an image named as a workbook': [
      Buffer.from(png, 'base64'),
      'x.xlsx',
      415,
      'unsupported_type',
      /\.xlsx.*a picture/,
    ],
    'when it’s an SVG drawing with scripts': [
      Buffer.from('<svg onload="x"/>'),
      'x.svg',
      415,
      'unsupported_type',
      /SVG/,
    ],
    'when it’s an SVG drawing named as an image': [Buffer.from('<svg/>'), 'x.png', 415, 'unsupported_type', /SVG/],
  }
  test.each(Object.entries(rejectedFiles))('%s', async (_name, [content, name, status, code, detail]) => {
    const account = await mira.createUser({ can_upload: true })
    const { body } = await upload(content, { name, account }).expect(status)
    expect(body).toEqual({ code, detail: expect.stringMatching(detail) })
    expect(incomingFiles()).toEqual([])
    expect(await storageUse(account.user.id)).toEqual({ fileCount: 0, sizeBytes: 0 })
  })

  test('when it’s larger than the limit, which the response states', async () => {
    const account = await mira.createUser({ can_upload: true })
    const { body } = await upload(Buffer.alloc(UPLOAD_MAX_BYTES + 1, 'a'), { name: 'x.txt', account }).expect(413)
    expect(body).toEqual({ code: 'file_too_large', detail: 'This file is larger than 100 MB.' })
    expect(incomingFiles()).toEqual([])
  })

  test('when there are several or none, or it’s in another field', async () => {
    const picture = await newPicture()
    const two = await upload(picture)
      .attach('file', await newPicture(), 'y.jpg')
      .expect(422)
    expect(two.body).toEqual({ code: 'several_files', detail: 'Send one file at a time.' })
    const none = await upload(null).expect(422)
    expect(none.body).toEqual({ code: 'no_file', detail: 'Send the file in the field “file”.' })
    const otherResponse = await upload(null).attach('photo', picture, 'x.jpg').expect(422)
    expect(otherResponse.body.code).toBe('no_file')
    expect(incomingFiles()).toEqual([])
  })

  test('when its fields or the form are invalid', async () => {
    const { body } = await upload(await newPicture(), { fields: { generate_caption: 'perhaps' } }).expect(422)
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path: 'generate_caption' }] })
    await upload(await newPicture(), { fields: { wait: '1e9' } }).expect(422)
    const post = () => mira.request.post('/api/media/upload').auth(anna.token, { type: 'bearer' })
    await post().send({ file: 'x' }).expect(415)
    await post().expect(415)
    await post().set('content-type', 'multipart/form-data').send('--x').expect(400)
    await post().set('content-type', 'multipart/form-data; boundary=x').send('--x\r\nno end').expect(400)
    expect(incomingFiles()).toEqual([])
  })

  test('when the storage is full', async () => {
    const { files } = mira.context
    const freeBytes = vi.spyOn(files, 'freeBytes').mockResolvedValue(1000)
    const { status, body } = await upload(await newPicture())
    freeBytes.mockRestore()
    expect(status).toBe(507)
    expect(body).toEqual({ code: 'storage_full', detail: 'The storage is full.' })
  })

  test('when the user may not upload or isn’t signed in', async () => {
    const account = await mira.createUser({ can_upload: false })
    await upload(await newPicture(), { account }).expect(403)
    await mira.request
      .post('/api/media/upload')
      .attach('file', await newPicture(), 'x.jpg')
      .expect(401)
  })
})

describe('file names', () => {
  const names: Record<string, [string, string]> = {
    'lose their folders': ['../../etc/passwd.jpg', 'passwd.jpg'],
    'lose Windows’ folders': ['C:\\Users\\anna\\a.jpg', 'a.jpg'],
    'keep quotation marks, which browsers escape': ['He said %22hi%22.jpg', 'He said "hi".jpg'],
    'keep emoji': ['🏖️ été 京都.jpg', '🏖️ été 京都.jpg'],
    'lose invisible characters': ['a\u202egpj.exe\u0007.jpg', 'agpj.exe.jpg'],
    'are made up when there is none': ['...', 'image.jpg'],
    'keep their extension when they’re truncated': [`${'x'.repeat(400)}.jpg`, `${'x'.repeat(251)}.jpg`],
    'may have no extension': ['README', 'README'],
  }
  test.each(Object.entries(names))('%s', async (_name, [name, expected]) => {
    const boundary = 'xxxxx'
    const body = Buffer.concat([
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="wait"\r\n\r\n0\r\n`),
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n`),
      Buffer.from('content-type: image/jpeg\r\n\r\n'),
      await newPicture(),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ])
    const response = await mira.request
      .post('/api/media/upload')
      .auth(anna.token, { type: 'bearer' })
      .set('content-type', `multipart/form-data; boundary=${boundary}`)
      .send(body)
      .expect(202)
    expect(response.body.metadata.original_filename).toBe(expected)
    const file = await mira.request.get(response.body.url).expect(200)
    const [, encoded = ''] = /filename\*=UTF-8''(.*)$/.exec(file.headers['content-disposition'] ?? '') ?? []
    expect(decodeURIComponent(encoded)).toBe(expected)
  })
})

describe('a streamed upload', () => {
  const boundary = 'yyyyy'
  const beginning = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\ncontent-type: image/jpeg\r\n\r\n`
  const ending = `\r\n--${boundary}--\r\n`
  const startUpload = async (account: TestAccount) => {
    if (!mira.app.server.listening) await mira.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = mira.app.server.address() as AddressInfo
    const clientRequest = httpRequest({
      port,
      method: 'POST',
      path: '/api/media/upload',
      headers: {
        authorization: `Bearer ${account.token}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
    })
    const statusPromise = new Promise<number>((resolve, reject) => {
      clientRequest.on('error', reject)
      clientRequest.on('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
    })
    statusPromise.catch(() => {})
    clientRequest.write(Buffer.concat([Buffer.from(beginning), await newPicture()]))
    return { clientRequest, statusPromise }
  }
  const waitForIncomingFiles = async (count: number) =>
    vi.waitFor(() => expect(incomingFiles()).toHaveLength(count), 30_000)

  test('that ends early leaves nothing', async () => {
    const account = await mira.createUser({ can_upload: true })
    const { clientRequest } = await startUpload(account)
    await waitForIncomingFiles(1)
    clientRequest.destroy()
    await waitForIncomingFiles(0)
    expect(await mira.context.database.prisma.mediaItem.count({ where: { userId: account.user.id } })).toBe(0)
  })

  test('whose client disconnects once everything has arrived is kept', async () => {
    const account = await mira.createUser({ can_upload: true })
    const requestPromise = new Promise<IncomingMessage>((resolve) => mira.app.server.once('request', resolve))
    const { clientRequest } = await startUpload(account)
    clientRequest.end(ending)
    const request = await requestPromise
    await vi.waitFor(() => expect(request.complete).toBe(true), 30_000)
    clientRequest.destroy()
    await vi.waitFor(
      async () =>
        expect(await mira.context.database.prisma.mediaItem.count({ where: { userId: account.user.id } })).toBe(1),
      30_000,
    )
  })

  test('takes one of a few permits, per user and in total', async () => {
    const greedy = await mira.createUser({ can_upload: true })
    const otherAccount = await mira.createUser({ can_upload: true })
    await waitForIncomingFiles(0)
    const opened = [await startUpload(greedy), await startUpload(greedy)]
    try {
      await waitForIncomingFiles(2)
      const tooMany = await upload(await newPicture(), { account: greedy }).expect(429)
      expect(tooMany.body).toEqual({ code: 'too_many_uploads', detail: 'Send at most 2 files at the same time.' })
      expect(tooMany.headers['retry-after']).toBe('5')
      opened.push(await startUpload(otherAccount))
      await waitForIncomingFiles(3)
      const busy = await upload(await newPicture()).expect(503)
      expect(busy.body.code).toBe('busy')
      expect(busy.headers['retry-after']).toBe('10')
      for (const { clientRequest } of opened) {
        clientRequest.end(`\r\n--${boundary}\r\ncontent-disposition: form-data; name="wait"\r\n\r\n0${ending}`)
      }
      expect(await Promise.all(opened.map(({ statusPromise }) => statusPromise))).toEqual([202, 202, 202])
    } finally {
      // Open requests would take the permits of the next attempt.
      for (const { clientRequest } of opened) clientRequest.destroy()
    }
    await upload(await newPicture(), { account: greedy }).expect(202)
  })
})

test('returns 404 for another user’s item', async () => {
  const otherAccount = await mira.createUser({ can_upload: true })
  const { id } = await insertMediaItem(mira.context.database, otherAccount.user.id)
  for (const path of ['', '/file', '/preview', '/thumbnail', '/frames/1', '/pages/1']) {
    await mira.request.get(`/api/media/${id}${path}`).auth(anna.token, { type: 'bearer' }).expect(404)
  }
})
