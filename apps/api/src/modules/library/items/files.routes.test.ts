import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBinary } from '../../../../test/binary.ts'
import { insertMediaItem } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { unzip } from '../../../../test/unzip.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

const prisma = () => mira.context.database.prisma
const newAccount = () => mira.createUser({ can_upload: true })

const get = async (account: TestAccount, path: string, status = 200) => {
  const { body } = await mira.request.get(`/api/media${path}`).auth(account.token, { type: 'bearer' }).expect(status)
  return body
}
const post = async (account: TestAccount, path: string, json: object, status = 200) => {
  const request = mira.request.post(`/api/media${path}`).auth(account.token, { type: 'bearer' }).send(json)
  return (await request.expect(status)).body
}

test('serves parts and copies inline and by range, and documents as downloads', async () => {
  const account = await newAccount()
  const { id: userId } = account.user
  const store = async (text: string) => {
    const { path, sizeBytes } = await mira.context.files.put(userId, Readable.from([Buffer.from(text)]))
    return { path, sizeBytes }
  }
  const { id: videoId } = await insertMediaItem(mira.context.database, userId, {
    mediaType: 'video',
    originalFilename: 'trip.avi',
    contentType: 'video/x-msvideo',
  })
  for (const [kind, number] of [
    ['frame', 1],
    ['page', 2],
  ] as const) {
    await prisma().mediaPart.create({
      data: { mediaItemId: videoId, userId, kind, number, width: 6, height: 4, ...(await store(`${kind} ${number}`)) },
    })
  }
  await prisma().mediaCopy.create({
    data: { mediaItemId: videoId, kind: 'preview', contentType: 'video/mp4', ...(await store('playable film')) },
  })
  const load = (path: string) =>
    mira.request.get(`/api/media/${videoId}/${path}`).auth(account.token, { type: 'bearer' })
  const frame = await load('frames/1').expect(200)
  expect([frame.headers['content-type'], String(frame.body)]).toEqual(['image/webp', 'frame 1'])
  expect(String((await load('pages/2').expect(200)).body)).toBe('page 2')
  for (const path of ['frames/2', 'pages/1', 'frames/0', 'frames/x', 'thumbnail']) await load(path).expect(404)
  const preview = await load('preview').set('range', 'bytes=9-').expect(206)
  expect(String(preview.body)).toBe('film')
  expect(preview.headers).toMatchObject({
    'content-type': 'video/mp4',
    'content-disposition': `inline; filename="trip.mp4"; filename*=UTF-8''trip.mp4`,
    'content-range': 'bytes 9-12/13',
  })
  const uploaded = await mira.request
    .post('/api/media/upload')
    .auth(account.token, { type: 'bearer' })
    .field('wait', '0')
    .attach('file', Buffer.from('<script>alert(1)</script>'), 'page.txt')
    .expect(202)
  const text = await mira.request.get(uploaded.body.url).expect(200)
  expect(text.headers).toMatchObject({
    'content-type': 'text/plain',
    'content-disposition': `attachment; filename="page.txt"; filename*=UTF-8''page.txt`,
    'x-content-type-options': 'nosniff',
  })
})

describe('an archive of several items', () => {
  test('contains each file under a unique name, needs only its link, and has no files of other users', async () => {
    const account = await newAccount()
    const otherAccount = await newAccount()
    const send = async (owner: TestAccount, name: string, content: string) => {
      const request = mira.request.post('/api/media/upload').auth(owner.token, { type: 'bearer' })
      return (await request.field('wait', '0').attach('file', Buffer.from(content), name)).body.id as string
    }
    const ids = [
      await send(account, 'plan.txt', 'The first plan.'),
      await send(account, 'Plan.txt', 'The second plan.'),
      await send(otherAccount, 'secret.txt', 'Of somebody else.'),
    ]
    const { url, items, size_bytes } = await post(account, '/archive', { ids })
    expect({ items, size_bytes }).toEqual({ items: 2, size_bytes: 31 })
    const response = await mira.request.get(url).buffer(true).parse(readBinary).expect(200)
    expect(response.headers['content-disposition']).toMatch(/^attachment; filename="mira-\d{4}-\d\d-\d\d\.zip"/)
    const files = await unzip(response.body)
    expect([...files].map(([name, content]) => [name, content.toString()])).toEqual([
      ['plan.txt', 'The first plan.'],
      ['Plan (2).txt', 'The second plan.'],
    ])
    await post(account, '/archive', { ids: ids.slice(2) }, 404)
    await post(account, '/archive', { ids: Array.from({ length: 301 }, () => randomUUID()) }, 422)
    await mira.request.get(url.replace('items=', 'items=x')).expect(401)
    await get(account, '/archive?items=none', 422)
  })

  test('lists files that are missing on the server, and is rejected when all are', async () => {
    const account = await newAccount()
    const ids: string[] = []
    for (const name of ['here.txt', 'gone.txt']) {
      const request = mira.request.post('/api/media/upload').auth(account.token, { type: 'bearer' })
      ids.push((await request.field('wait', '0').attach('file', Buffer.from(name), name)).body.id)
    }
    const { url } = await post(account, '/archive', { ids })
    const removeFile = async (name: string) => {
      const { path } = await prisma().mediaItem.findFirstOrThrow({
        where: { userId: account.user.id, originalFilename: name },
      })
      await mira.context.files.delete(path)
    }
    await removeFile('gone.txt')
    const response = await mira.request.get(url).set('accept-language', 'de').buffer(true).parse(readBinary).expect(200)
    const files = await unzip(response.body)
    expect([...files.keys()]).toEqual(['here.txt', 'Fehlende Dateien.txt'])
    expect(files.get('Fehlende Dateien.txt')?.toString()).toMatch(/auf dem Server nicht gefunden.*\n\ngone\.txt\n$/)
    await removeFile('here.txt')
    expect(await post(account, '/archive', { ids }, 404)).toMatchObject({ code: 'files_missing' })
    const { body } = await mira.request.get(url).expect(404)
    expect(body).toMatchObject({ code: 'files_missing', detail: expect.stringContaining('missing on the server') })
  })
})
