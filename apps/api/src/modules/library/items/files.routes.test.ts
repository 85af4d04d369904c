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

test('files: parts and copies as they are, documents to be saved, in ranges', async () => {
  const account = await newAccount()
  const { id: userId } = account.user
  const store = async (text: string) => {
    const { path, sizeBytes } = await mira.context.files.put(userId, Readable.from([Buffer.from(text)]))
    return { path, sizeBytes }
  }
  const { id: film } = await insertMediaItem(mira.context.database, userId, {
    mediaType: 'video',
    originalFilename: 'trip.avi',
    contentType: 'video/x-msvideo',
  })
  for (const [kind, number] of [
    ['frame', 1],
    ['page', 2],
  ] as const) {
    await prisma().mediaPart.create({
      data: { mediaItemId: film, userId, kind, number, width: 6, height: 4, ...(await store(`${kind} ${number}`)) },
    })
  }
  await prisma().mediaCopy.create({
    data: { mediaItemId: film, kind: 'preview', contentType: 'video/mp4', ...(await store('playable film')) },
  })
  const load = (path: string) => mira.request.get(`/api/media/${film}/${path}`).auth(account.token, { type: 'bearer' })
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

describe('several items as one archive', () => {
  test('hold each file under a name of its own, through the address alone, and nothing of other people', async () => {
    const account = await newAccount()
    const otherAccount = await newAccount()
    const send = async (who: TestAccount, name: string, content: string) => {
      const request = mira.request.post('/api/media/upload').auth(who.token, { type: 'bearer' })
      return (await request.field('wait', '0').attach('file', Buffer.from(content), name)).body.id as string
    }
    const ids = [
      await send(account, 'plan.txt', 'The first plan.'),
      await send(account, 'Plan.txt', 'The second plan.'),
      await send(otherAccount, 'secret.txt', 'Of somebody else.'),
    ]
    const { url, items, size_bytes } = await post(account, '/archive', { ids })
    expect({ items, size_bytes }).toEqual({ items: 2, size_bytes: 31 })
    const answer = await mira.request.get(url).buffer(true).parse(readBinary).expect(200)
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="mira-\d{4}-\d\d-\d\d\.zip"/)
    const files = await unzip(answer.body)
    expect([...files].map(([name, content]) => [name, content.toString()])).toEqual([
      ['plan.txt', 'The first plan.'],
      ['Plan (2).txt', 'The second plan.'],
    ])
    await post(account, '/archive', { ids: ids.slice(2) }, 404)
    await post(account, '/archive', { ids: Array.from({ length: 301 }, () => randomUUID()) }, 422)
    await mira.request.get(url.replace('items=', 'items=x')).expect(401)
    await get(account, '/archive?items=none', 422)
  })

  test('names files that are missing on the server, and is refused when all are', async () => {
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
    const answer = await mira.request.get(url).set('accept-language', 'de').buffer(true).parse(readBinary).expect(200)
    const files = await unzip(answer.body)
    expect([...files.keys()]).toEqual(['here.txt', 'Fehlende Dateien.txt'])
    expect(files.get('Fehlende Dateien.txt')?.toString()).toMatch(/auf dem Server nicht gefunden.*\n\ngone\.txt\n$/)
    await removeFile('here.txt')
    expect(await post(account, '/archive', { ids }, 404)).toMatchObject({ code: 'files_missing' })
    const { body } = await mira.request.get(url).expect(404)
    expect(body).toMatchObject({ code: 'files_missing', detail: expect.stringContaining('missing on the server') })
  })
})
