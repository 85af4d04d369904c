import { mediaStatsSchema } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertMediaItem } from '../../../../test/factories.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000)

test('counts the user’s own items by type, bytes and processing status', async () => {
  const { user, token } = await mira.createUser()
  const otherAccount = await mira.createUser()
  const { database } = mira.context
  await insertMediaItem(database, user.id, { sizeBytes: 5n })
  await insertMediaItem(database, user.id, {
    sizeBytes: 3_000_000_000n,
    mediaType: 'video',
    processingStatus: 'processing',
  })
  await insertMediaItem(database, user.id, { sizeBytes: 7n, mediaType: 'audio', processingStatus: 'failed' })
  await insertMediaItem(database, user.id, { sizeBytes: 11n, mediaType: 'document', processingStatus: 'completed' })
  await insertMediaItem(database, user.id, { sizeBytes: 13n, processingStatus: 'completed' })
  await insertMediaItem(database, otherAccount.user.id)
  const { body } = await mira.request.get('/api/media/stats').auth(token, { type: 'bearer' }).expect(200)
  expect(body).toEqual({
    total_items: 5,
    by_type: { image: 2, video: 1, audio: 1, document: 1 },
    total_bytes: 3_000_000_036,
    processing: 2,
    failed: 1,
  })
  expect(mediaStatsSchema.parse(body)).toEqual(body)
})

test('counts items by week for the overview', async () => {
  const { user } = await mira.createUser()
  for (const days of [1, 6, 8, 13, 15]) {
    await insertMediaItem(mira.context.database, user.id, { createdAt: daysAgo(days) })
  }
  expect(await mira.context.media.count(user.id)).toEqual({ total: 5, recent: 2, previous: 2 })
})

test('reports only the user’s own files as known', async () => {
  const { user, token } = await mira.createUser({ can_upload: true })
  const otherAccount = await mira.createUser()
  const mine = await insertMediaItem(mira.context.database, user.id)
  const theirs = await insertMediaItem(mira.context.database, otherAccount.user.id)
  const requestKnown = (sha256: string[]) =>
    mira.request.post('/api/media/known').auth(token, { type: 'bearer' }).send({ sha256 })
  const { body } = await requestKnown([mine.sha256, theirs.sha256, 'f'.repeat(64)]).expect(200)
  expect(body).toEqual({ known: [{ sha256: mine.sha256, id: mine.id }] })
  await requestKnown(['F00']).expect(422)
  await requestKnown([]).expect(422)
})

test('returns 404 for the preview and thumbnail of an unprocessed video', async () => {
  const { user, token } = await mira.createUser({ can_upload: true })
  const video = await insertMediaItem(mira.context.database, user.id, { mediaType: 'video' })
  for (const size of ['preview', 'thumbnail']) {
    const { body } = await mira.request
      .get(`/api/media/${video.id}/${size}`)
      .auth(token, { type: 'bearer' })
      .expect(404)
    expect(body).toEqual({ detail: 'This file no longer exists.', code: 'not_found' })
  }
})
