import type { LibraryJson, MediaItemJson } from '@mira/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertMediaItem } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let anna: TestAccount
beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  anna = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

const TAKEN = '2024-12-31T23:30:00'
const PARIS = { metadataLatitude: 48.858, metadataLongitude: 2.294, keepsLocation: true }

/** Inserts an item with facts as read from its file: local time, its hours ahead of UTC, and place. */
async function add(
  name: string,
  facts: { takenLocal?: string; hoursAhead?: number; place?: object } = {},
  account = anna,
) {
  const local = facts.takenLocal === undefined ? null : new Date(`${facts.takenLocal}Z`)
  const takenAt = local && new Date(local.getTime() - (facts.hoursAhead ?? 0) * 3_600_000)
  const { database } = mira.context
  const traits = { originalFilename: name, takenAt, processingStatus: 'completed' }
  const { id } = await insertMediaItem(database, account.user.id, traits)
  await database.prisma.mediaItem.update({ where: { id }, data: { metadataTakenLocal: local, ...facts.place } })
  return { id }
}

/** Uploads a photo taken on New Year's Eve in Paris. */
async function upload() {
  const content = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#456' } })
    .withExif({
      IFD2: { DateTimeOriginal: TAKEN.replaceAll('-', ':').replace('T', ' ') },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 51/1 30/1', GPSLongitudeRef: 'E', GPSLongitude: '2/1 17/1 40/1' },
    })
    .jpeg()
    .toBuffer()
  const request = mira.request
    .post('/api/media/upload')
    .auth(anna.token, { type: 'bearer' })
    .field('keep_place', 'true')
  const { body } = await request.field('wait', '115').attach('file', content, 'eve.jpg').expect(201)
  return body as MediaItemJson
}

const send = async (method: 'patch' | 'post', path: string, body: object, { status = 200, account = anna } = {}) => {
  const request = mira.request[method](`/api/media/${path}`).auth(account.token, { type: 'bearer' })
  return (await request.send(body).expect(status)).body
}
const change = async (id: string, body: object) => ((await send('patch', id, body)) as MediaItemJson).metadata
const changeMany = async (body: object, status = 200) => send('post', 'changes', body, { status })
const read = async (id: string) =>
  ((await mira.request.get(`/api/media/${id}`).auth(anna.token, { type: 'bearer' }).expect(200)).body as MediaItemJson)
    .metadata
const reprocess = async (id: string) => {
  await send('post', `${id}/reprocess`, { steps: ['inspect'] }, { status: 202 })
  const status = async () => (await library()).find((item) => item.id === id)?.processing_status
  await expect.poll(status, { timeout: 100_000 }).toBe('completed')
}
const library = async (query = '') => {
  const { body } = await mira.request
    .get(`/api/media/library?${query}`)
    .auth(anna.token, { type: 'bearer' })
    .expect(200)
  return (body as LibraryJson).media_items
}

test('a user’s corrections survive reprocessing until they’re removed', async () => {
  const { id } = await upload()
  const own = { taken_local: '2023-07-14T09:28:00', latitude: 43.26, corrected: ['taken_at', 'place'] }
  await change(id, { taken_at: '2023-07-14T09:28:00', latitude: 43.26, longitude: -2.92 })
  await reprocess(id)
  expect(await read(id)).toMatchObject(own)
  const nothing = { taken_at: null, latitude: null, longitude: null }
  const expectedFacts = {
    taken_local: TAKEN,
    taken_at: '2024-12-31T22:30:00.000Z',
    latitude: expect.closeTo(48.858, 2),
  }
  expect(await change(id, nothing)).toMatchObject({ ...expectedFacts, corrected: [] })
  await change(id, { latitude: null, longitude: null })
  await reprocess(id)
  expect(await read(id)).toMatchObject({ taken_local: TAKEN, latitude: null })
}, 240_000)

describe('a date', () => {
  test('is a local time in the zone of its place, or else in the zone of its file', async () => {
    const plain = await add('plain.jpg')
    expect(await change(plain.id, { taken_at: '2024-07-14T09:28' })).toMatchObject({
      taken_local: '2024-07-14T09:28:00',
    })
    const ownFacts = { taken_local: '2024-07-14T09:28:00', latitude: 43.26, longitude: -2.92 }
    const moment = { taken_at: '2024-07-14T07:28:00.000Z', corrected: ['taken_at', 'place'] }
    expect(await change(plain.id, { latitude: 43.26, longitude: -2.92 })).toMatchObject({ ...ownFacts, ...moment })
    const zoned = await add('zoned.jpg', { takenLocal: TAKEN, hoursAhead: 5.5 })
    expect(await change(zoned.id, { taken_at: '2024-07-14T09:28:00' })).toMatchObject({
      taken_at: '2024-07-14T03:58:00.000Z',
    })
  })

  test.each([
    ['1825-12-31T23:59:59', 'before 1826'],
    ['2099-01-01T00:00:00', 'future'],
    ['2024-02-30T10:00:00', 'no such date'],
    ['2024-07-14T09:28:00Z', 'without a zone'],
    ['yesterday', 'without a zone'],
  ])('%s is rejected', async (taken_at, reason) => {
    const { id } = await add('refused.jpg')
    expect((await send('patch', id, { taken_at }, { status: 422 })).detail).toContain(reason)
    expect((await changeMany({ ids: [id], taken_at }, 422)).detail).toContain(reason)
  })
})

describe('a place', () => {
  test('set by the user is removed first, and then the one from the file', async () => {
    const { id } = await add('paris.jpg', { place: PARIS })
    const bilbao = { latitude: 43.26, longitude: -2.92, corrected: ['place'] }
    expect(await change(id, { latitude: 43.26, longitude: -2.92 })).toMatchObject(bilbao)
    const nothing = { latitude: null, longitude: null }
    expect(await change(id, nothing)).toMatchObject({ latitude: 48.858, longitude: 2.294, corrected: [] })
    for (const _again of [1, 2]) expect(await change(id, nothing)).toMatchObject({ ...nothing, corrected: [] })
  })

  test.each([
    [{ latitude: 43.26 }, 'both latitude and longitude'],
    [{ latitude: 43.26, longitude: null }, 'both latitude and longitude'],
    [{ latitude: 0, longitude: 0 }, '0, 0 stands for an unknown place'],
    [{ latitude: 91, longitude: 0 }, 'latitude'],
    [{ latitude: 0, longitude: -181 }, 'longitude'],
  ])('%j is rejected', async (place, reason) => {
    const { id } = await add('refused.jpg')
    expect((await send('patch', id, place, { status: 422 })).detail).toContain(reason)
    expect((await changeMany({ ids: [id], ...place }, 422)).detail).toContain(reason)
  })
})

describe('many items', () => {
  test('are shifted by the same time, except other users’ and undated items', async () => {
    const first = await add('first.jpg', { takenLocal: TAKEN, hoursAhead: 1 })
    const second = await add('second.jpg', { takenLocal: '2024-12-31T23:50:00' })
    const undated = await add('undated.jpg')
    const bert = await mira.createUser({ can_upload: true })
    const foreign = await add('foreign.jpg', { takenLocal: TAKEN }, bert)
    const ids = [first.id, second.id, undated.id, foreign.id]
    expect(await changeMany({ ids, shift_seconds: 3600 })).toEqual({ changed: 2 })
    const moved = { taken_local: '2025-01-01T00:30:00', taken_at: '2024-12-31T23:30:00.000Z' }
    expect(await read(first.id)).toMatchObject(moved)
    expect(await read(second.id)).toMatchObject({ taken_local: '2025-01-01T00:50:00' })
    expect(await read(undated.id)).toMatchObject({ taken_local: null, corrected: [] })
    const theirs = await mira.request.get(`/api/media/${foreign.id}`).auth(bert.token, { type: 'bearer' }).expect(200)
    expect(theirs.body.metadata.corrected).toEqual([])

    const tooFar = await changeMany({ ids, shift_seconds: 100 * 365 * 86_400 }, 422)
    expect(tooFar).toMatchObject({ code: 'no_such_time', detail: expect.stringContaining('in the future') })
    expect(await read(first.id)).toMatchObject(moved)
    expect(await changeMany({ ids, taken_at: null })).toEqual({ changed: 2 })
    expect(await read(first.id)).toMatchObject({ taken_local: '2024-12-31T23:30:00', corrected: [] })
  })

  test('get a date, a place and tags at once', async () => {
    const ids = [(await add('a.jpg')).id, (await add('b.jpg')).id]
    const changes = { taken_at: '1987-06-05T12:00:00', latitude: 43.26, longitude: -2.92, tags: ['slides', 'slides'] }
    expect(await changeMany({ ids, ...changes })).toEqual({ changed: 2 })
    expect(await changeMany({ ids, ...changes })).toEqual({ changed: 0 })
    for (const { tags, metadata } of (await library()).filter(({ id }) => ids.includes(id))) {
      expect(tags).toEqual(['slides'])
      expect(metadata).toMatchObject({ taken_local: '1987-06-05T12:00:00', latitude: 43.26 })
    }
  })

  test.each([{}, { taken_at: null, shift_seconds: 60 }, { shift_seconds: 1e12 }, { colour: 'red' }])(
    'reject the changes %j',
    async (changes) => {
      expect(await changeMany({ ids: [crypto.randomUUID()], ...changes }, 422)).toMatchObject({
        code: 'validation_failed',
      })
    },
  )
})

test('sorts the library by the local time where items were taken', async () => {
  const names = [
    ['new-york.jpg', { takenLocal: '2016-12-31T23:30:00', hoursAhead: -5 }],
    ['tokyo.jpg', { takenLocal: '2016-12-31T23:45:00', hoursAhead: 9 }],
    ['nowhere.jpg', { takenLocal: '2017-01-01T00:10:00' }],
  ] as const
  for (const [name, facts] of names) await add(name, facts)
  const orderOf = async (sort: string) => {
    const items = await library(`sort=${sort}&limit=500`)
    return items.flatMap(({ metadata }) =>
      /^201[67]-/.test(metadata.taken_local ?? '') ? [metadata.original_filename] : [],
    )
  }
  const oldest = names.map(([name]) => name)
  expect(await orderOf('oldest')).toEqual(oldest)
  expect(await orderOf('newest')).toEqual(oldest.toReversed())
  expect(await orderOf('taken')).toEqual(oldest.toReversed())
})
