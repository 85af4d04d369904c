import { randomUUID } from 'node:crypto'
import { mediaItemSchema } from '@mira/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertChatSession } from '../../../../test/factories.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createLog } from '../../../log.ts'
import { createSignedPaths } from '../../../platform/http/signed-url.ts'

let mira: TestApp
let lines: string[]
let account: TestAccount
let stranger: TestAccount
let file: Buffer
beforeAll(async () => {
  lines = []
  mira = await startTestApp({ log: createLog('trace', { write: (line: string) => lines.push(line) }) })
  account = await mira.createUser({ can_upload: true })
  stranger = await mira.createUser({ can_upload: true })
  file = await plainImage({ width: 900, height: 600, format: 'png' })
})
afterAll(() => mira.close())
beforeEach(() => {
  lines.length = 0
})

/** Inserts a message with images; returns its ids and the URLs of its first image. */
async function insertImageMessage({ user }: TestAccount, files = [file]) {
  const { pictures, database } = mira.context
  const { session, question, answer } = await insertChatSession(database, user.id)
  const encoded = files.map((file) => file.toString('base64'))
  await pictures.attach(database.prisma, question.id, await pictures.acceptPictures(user.id, encoded))
  const [presented] = (await pictures.present(user.id, [question.id])).get(question.id) ?? []
  if (presented === undefined) throw new Error('the message has no image')
  const path = `/api/chat/messages/${question.id}/images`
  return { session, messageId: question.id, answerId: answer.id, path, ...presented }
}
const get = (path: string) => mira.request.get(path).buffer(true)
const withToken = (path: string, { token }: TestAccount) => get(path).auth(token, { type: 'bearer' })
const keep = (path: string, { token }: TestAccount) => mira.request.post(`${path}/keep`).auth(token, { type: 'bearer' })

describe('an image', () => {
  test('is served unchanged at its signed path, cacheable by the browser', async () => {
    const { url } = await insertImageMessage(account)
    const { body, headers } = await get(url).expect(200)
    expect(body).toEqual(file)
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(file.length),
      'content-disposition': `inline; filename="picture-1.png"; filename*=UTF-8''picture-1.png`,
      'cache-control': expect.stringMatching(/^private, max-age=\d{6,}/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      vary: expect.stringContaining('Authorization'),
    })
    expect(
      (
        await get(url)
          .set('if-none-match', headers.etag ?? '')
          .expect(304)
      ).text,
    ).toBe('')
    const partial = await get(url).set('range', 'bytes=1-3').expect(206)
    expect([partial.body.toString(), partial.headers['content-range']]).toEqual(['PNG', `bytes 1-3/${file.length}`])
    await mira.request.head(url).expect(200).expect('content-length', String(file.length))
  })

  test('is served with a token too, and returns 401 with neither', async () => {
    const { path } = await insertImageMessage(account)
    expect((await withToken(`${path}/0`, account).expect(200)).body).toEqual(file)
    const { body } = await mira.request.get(`${path}/0`).expect(401)
    expect(body).toEqual({ detail: 'Sign in to continue.', code: 'unauthorized' })
  })

  test('is available in smaller sizes', async () => {
    const { path, thumbnail } = await insertImageMessage(account)
    const small = await get(thumbnail).expect(200).expect('content-type', 'image/webp')
    expect(await sharp(small.body).metadata()).toMatchObject({ format: 'webp', width: 512, height: 341 })
    expect(small.headers['content-disposition']).toContain('picture-1.webp')
    await get(thumbnail)
      .set('if-none-match', small.headers.etag ?? '')
      .expect(304)
    const preview = await withToken(`${path}/0?size=preview`, account).expect(200).expect('content-type', 'image/jpeg')
    expect(await sharp(preview.body).metadata()).toMatchObject({ format: 'jpeg', width: 900, height: 600 })
    expect(new Set([small.headers.etag, preview.headers.etag]).size).toBe(2)
    await withToken(`${path}/0?size=huge`, account).expect(422)
  })

  test('returns 404 for other users, with a token or with a signed path of their own', async () => {
    const { path } = await insertImageMessage(account)
    const own = mira.context.signedPaths.sign(stranger.user.id, `${path}/0`)
    const responses = [
      await withToken(`${path}/0`, stranger),
      await withToken(`${path}/0`, mira.admin),
      await mira.request.get(own),
      await withToken(`${path}/1`, account),
      await withToken(`${path}/x`, account),
      await withToken(`/api/chat/messages/${randomUUID()}/images/0`, account),
    ]
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
  })

  test('returns 401 for a modified or expired signed path', async () => {
    const { url, path } = await insertImageMessage(account)
    const other = await insertImageMessage(account)
    const signature = url.split('signature=')[1] ?? ''
    const yesterday = createSignedPaths({ secret: mira.context.jwtSecret, now: () => Date.now() - 3 * 86_400_000 })
    const { linkEpoch } = await mira.context.database.prisma.user.findUniqueOrThrow({ where: { id: account.user.id } })
    yesterday.rememberEpoch(account.user.id, linkEpoch)
    const invalidPaths = [
      url.replace(account.user.id, stranger.user.id),
      `${path}/0?size=thumbnail&signature=${signature}`,
      `${other.path}/0?signature=${signature}`,
      `${path}/0?signature=`,
      `${path}/0?signature=x.y.z`,
      yesterday.sign(account.user.id, `${path}/0`),
    ]
    for (const one of invalidPaths) await mira.request.get(one).expect(401)
  })

  test('isn’t served at its signed path when the account is disabled, may no longer chat, or is deleted', async () => {
    const someone = await mira.createUser()
    const { url } = await insertImageMessage(someone)
    await get(url).expect(200)
    const { prisma } = mira.context.database
    const change = (data: object) => prisma.user.update({ where: { id: someone.user.id }, data })
    await change({ canChat: false })
    await mira.request.get(url).expect(403)
    await change({ canChat: true, isActive: false })
    await mira.request.get(url).expect(401)
    await prisma.user.delete({ where: { id: someone.user.id } })
    await mira.request.get(url).expect(401)
  })

  test('has a signature that is only accepted for files', async () => {
    const { path } = await insertImageMessage(account)
    const { sign } = mira.context.signedPaths
    await mira.request.get(sign(account.user.id, '/api/auth/me')).expect(401)
    await mira.request.post(sign(account.user.id, `${path}/0/keep`)).expect(401)
  })

  test('never has its signature in the log or in an error', async () => {
    const { url, session } = await insertImageMessage(account)
    const signature = url.split('signature=')[1] ?? ''
    lines.length = 0
    await get(url).expect(200)
    const responses = [
      await mira.request.get(url.replace('images/0', 'images/1')),
      await mira.request.get(`${url}&size=huge`),
      await mira.request.get(`${url}x`),
      await mira.request.post(url),
    ]
    await mira.context.database.prisma.chatSession.delete({ where: { id: session.id } })
    responses.push(await mira.request.get(url))
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 405, 404])
    const output = [...lines, ...responses.map(({ text }) => text)].join('\n')
    expect(lines.length).toBeGreaterThan(4)
    expect(output).not.toContain(signature)
    expect(output).not.toContain('signature=')
  })

  test('returns 404 when its file is missing', async () => {
    const { url, messageId } = await insertImageMessage(account, [await plainImage({ colour: '#111213' })])
    const [row] = await mira.context.database.prisma.chatMessageImage.findMany({ where: { messageId } })
    await mira.context.files.delete(row?.path ?? '')
    const { body, headers } = await mira.request.get(url).expect(404)
    expect(body).toEqual({ detail: 'This file is not there.', code: 'not_found' })
    expect(headers['cache-control']).toBe('no-store')
  })
})

describe('keeping an image in memory', () => {
  test('creates a media item once', async () => {
    const { path } = await insertImageMessage(account)
    const { body } = await keep(`${path}/0`, account).expect(201)
    expect(mediaItemSchema.safeParse(body).success).toBe(true)
    expect(body).toMatchObject({
      media_type: 'image',
      processing_status: 'pending',
      caption: null,
      metadata: {
        original_filename: 'picture-1.png',
        content_type: 'image/png',
        size_bytes: file.length,
        width: 900,
        height: 600,
      },
    })
    const again = await keep(`${path}/0`, account).expect(200)
    expect(again.body).toEqual(body)
    // the same image in another conversation
    const other = await insertImageMessage(account)
    expect((await keep(`${other.path}/0`, account).expect(200)).body.id).toBe(body.id)
    const activity = await mira.context.database.prisma.activity.findMany({ where: { subjectId: body.id } })
    expect(activity).toMatchObject([
      {
        kind: 'upload',
        outcome: 'completed',
        detail: { action: 'kept', title: 'picture-1.png' },
        countsInAnalytics: true,
      },
    ])
  })

  test('counts in the totals, and the item outlives the conversation', async () => {
    const someone = await mira.createUser({ can_upload: true })
    const stats = async () => (await mira.request.get('/api/media/stats').auth(someone.token, { type: 'bearer' })).body
    expect(await stats()).toMatchObject({ total_items: 0, total_bytes: 0, processing: 0 })
    const { path, session } = await insertImageMessage(someone)
    const { body } = await keep(`${path}/0`, someone).expect(201)
    expect(await stats()).toEqual({
      total_items: 1,
      by_type: { image: 1, video: 0, audio: 0, document: 0 },
      total_bytes: file.length,
      processing: 1,
      failed: 0,
    })
    const overview = await mira.request.get('/api/dashboard/overview').auth(someone.token, { type: 'bearer' })
    expect(overview.body.media_items).toBe(1)
    await mira.context.database.prisma.chatSession.delete({ where: { id: session.id } })
    expect((await get(body.url).expect(200)).body).toEqual(file)
    await get(body.thumbnail).expect(200).expect('content-type', 'image/webp')
    await get(body.preview_url).expect(200).expect('content-type', 'image/jpeg')
    await withToken(`/api/media/${body.id}/file`, stranger).expect(404)
    await mira.request.get(body.url.replace(someone.user.id, stranger.user.id)).expect(401)
  })

  test('requires permission to upload and an image of one’s own', async () => {
    const chatOnly = await mira.createUser()
    const { path, answerId } = await insertImageMessage(chatOnly)
    await keep(`${path}/0`, chatOnly).expect(403)
    await keep(`${path}/0`, stranger).expect(404)
    await keep(`${path}/7`, chatOnly).expect(404)
    await keep(`/api/chat/messages/${answerId}/images/0`, chatOnly).expect(404)
    expect(await mira.context.database.prisma.mediaItem.count({ where: { userId: chatOnly.user.id } })).toBe(0)
  })

  test('creates one item for ten simultaneous requests', async () => {
    const someone = await mira.createUser({ can_upload: true })
    const { path } = await insertImageMessage(someone)
    const responses = await Promise.all(Array.from({ length: 10 }, () => keep(`${path}/0`, someone)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 201])
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1)
  })

  test('stays out of analytics on request', async () => {
    const { path } = await insertImageMessage(account, [await plainImage({ colour: '#445566' })])
    const { body } = await keep(`${path}/0`, account).set('x-analytics', 'off').expect(201)
    const [activity] = await mira.context.database.prisma.activity.findMany({ where: { subjectId: body.id } })
    expect(activity?.countsInAnalytics).toBe(false)
  })
})

test('files left behind by a stopped server are deleted at startup', async () => {
  const { session, messageId } = await insertImageMessage(account, [await plainImage({ colour: '#778899' })])
  const [row] = await mira.context.database.prisma.chatMessageImage.findMany({ where: { messageId } })
  const path = row?.path ?? ''
  await mira.context.database.prisma.chatSession.delete({ where: { id: session.id } })
  ;(await mira.context.files.open(path)).stream.destroy()
  await mira.context.start()
  const statusOf = () =>
    mira.context.files.open(path).then(
      ({ stream }) => Boolean(stream.destroy()) && 200,
      ({ status }) => status,
    )
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(404)
})
