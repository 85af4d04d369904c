import { randomUUID } from 'node:crypto'
import type { LibraryJson, UserEvent } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertMediaItem } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createUnreferencedFiles } from '../../../platform/database/unreferenced-files.ts'

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
const names = ({ media_items }: LibraryJson) => media_items.map(({ metadata }) => metadata.original_filename)

type Traits = Parameters<ReturnType<typeof prisma>['mediaItem']['update']>[0]['data']
const addItem = async (account: TestAccount, traits: Traits = {}) => {
  const { id } = await insertMediaItem(mira.context.database, account.user.id)
  const { takenAt: metadataTakenAt = null, ...others } = traits
  await prisma().mediaItem.update({ where: { id }, data: { metadataTakenAt, ...others } })
  return id
}
const addMoment = (account: TestAccount, mediaItemId: string, body: string, kind = 'text') =>
  prisma().moment.create({
    data: { mediaItemId, userId: account.user.id, kind, position: 0, body, engine: 'built-in' },
  })

test('finds names and tags with decomposed accents, as a Mac writes them, in either Unicode form', async () => {
  const account = await newAccount()
  const upload = mira.request.post('/api/media/upload').auth(account.token, { type: 'bearer' })
  const { body } = await upload
    .field({ wait: '0' })
    .attach('file', Buffer.from('the roof'), 'Dachbode\u0301n.txt')
    .expect(202)
  expect(body.metadata.original_filename).toBe('Dachbodén.txt')
  await post(account, '/tags', { ids: [body.id], add: ['Cafe\u0301'] })
  for (const query of ['dén', 'de\u0301n', 'Café', 'afé'])
    expect(names(await get(account, `/library?query=${encodeURIComponent(query)}`)), query).toEqual(['Dachbodén.txt'])
  for (const tag of ['Café', 'Cafe\u0301'])
    expect(names(await get(account, `/library?tag=${encodeURIComponent(tag)}`)), tag).toEqual(['Dachbodén.txt'])
})

test('returns no items for an empty library', async () => {
  expect(await get(await newAccount(), '/library')).toEqual({ media_items: [], next_cursor: null, total: 0 })
})

describe('sorting by', () => {
  let account: TestAccount
  const day = (n: number) => new Date(Date.UTC(2026, 0, n))
  beforeAll(async () => {
    account = await newAccount()
    const items: [string, Traits][] = [
      ['delta.jpg', { createdAt: day(4), takenAt: day(1), sizeBytes: 5n, durationSeconds: null }],
      ['Alpha.jpg', { createdAt: day(3), takenAt: null, sizeBytes: 9n, durationSeconds: 3.25 }],
      ['charlie.jpg', { createdAt: day(2), takenAt: null, sizeBytes: 5n, durationSeconds: 900 }],
      ['bravo.jpg', { createdAt: day(1), takenAt: day(20), sizeBytes: 7n, durationSeconds: 3.5 }],
      ['échelle.jpg', { createdAt: day(5), takenAt: day(6), sizeBytes: 1n, durationSeconds: 0 }],
    ]
    for (const [originalFilename, traits] of items) await addItem(account, { originalFilename, ...traits })
  })

  test.each([
    ['newest', ['bravo', 'échelle', 'Alpha', 'charlie', 'delta']],
    ['oldest', ['delta', 'charlie', 'Alpha', 'échelle', 'bravo']],
    ['taken', ['bravo', 'échelle', 'delta']],
    ['added', ['échelle', 'delta', 'Alpha', 'charlie', 'bravo']],
    ['name', ['Alpha', 'bravo', 'charlie', 'delta', 'échelle']],
    ['largest', ['Alpha', 'bravo']],
    ['longest', ['charlie', 'bravo', 'Alpha', 'échelle', 'delta']],
  ])('%s gives the same order across pages', async (sort, expected) => {
    const fullList = await get(account, `/library?sort=${sort}`)
    expect(fullList.total).toBe(5)
    expect(names(fullList).slice(0, expected.length)).toEqual(expected.map((name) => `${name}.jpg`))
    for (const limit of [1, 2, 3]) {
      const pagedNames: string[] = []
      let cursor: string | null = null
      do {
        const page: LibraryJson = await get(
          account,
          `/library?sort=${sort}&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
        )
        expect(page.media_items.length).toBeLessThanOrEqual(limit)
        pagedNames.push(...names(page))
        cursor = page.next_cursor
      } while (cursor !== null)
      expect(pagedNames).toEqual(names(fullList))
    }
  })

  test('name continues after the longest names of any script', async () => {
    const otherAccount = await newAccount()
    for (const number of [1, 2]) await addItem(otherAccount, { originalFilename: `${number}${'写'.repeat(250)}.jpg` })
    const first = await get(otherAccount, '/library?sort=name&limit=1')
    const second = await get(otherAccount, `/library?sort=name&limit=1&cursor=${first.next_cursor}`)
    expect(names(second)).toEqual([`2${'写'.repeat(250)}.jpg`])
  })

  test('name continues at the same place after an item was added before it', async () => {
    const first = await get(account, '/library?sort=name&limit=2')
    const addedId = await addItem(account, { originalFilename: 'aaa.jpg' })
    const second = await get(account, `/library?sort=name&limit=2&cursor=${first.next_cursor}`)
    expect(names(second)).toEqual(['charlie.jpg', 'delta.jpg'])
    await prisma().mediaItem.delete({ where: { id: addedId } })
  })

  test('any key rejects invalid cursors and those of another key', async () => {
    const { next_cursor } = await get(account, '/library?sort=name&limit=1')
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const invalid = [
      'x',
      forged(null),
      forged(['newest', 'now()', randomUUID()]),
      forged(['newest', '\0', randomUUID()]),
    ]
    for (const cursor of invalid) {
      expect(await get(account, `/library?cursor=${cursor}`, 422)).toMatchObject({ code: 'validation_failed' })
    }
    const impossible: [string, string][] = [
      ['newest', '9999-99-99 99:99:99'],
      ['newest', '2026-02-30 10:00:00'],
      ['oldest', '2026-01-01 10:00:00+02'],
      ['taken', '294277-01-01 00:00:00'],
      ['longest', '1e999'],
      ['longest', '1e-999'],
    ]
    for (const [sort, key] of impossible) {
      const cursor = forged([sort, key, randomUUID()])
      expect(await get(account, `/library?sort=${sort}&cursor=${cursor}`, 422)).toMatchObject({
        code: 'validation_failed',
      })
    }
    expect(await get(account, `/library?sort=largest&cursor=${next_cursor}`, 422)).toMatchObject({
      code: 'validation_failed',
    })
  })
})

describe('filters', () => {
  let account: TestAccount
  beforeAll(async () => {
    account = await newAccount()
    const harbour = await addItem(account, { originalFilename: 'IMG_1.jpg', tags: ['home', '50%'] })
    await addMoment(account, harbour, 'A lighthouse above the harbour', 'caption')
    await addMoment(account, harbour, 'PILOT BOATS ONLY', 'text')
    const video = await addItem(account, { originalFilename: 'trip_2.mp4', mediaType: 'video', tags: ['home', 'sea'] })
    await addMoment(account, video, 'we are going to the lighthouse now', 'speech')
    await addItem(account, { originalFilename: 'broken.pdf', mediaType: 'document', processingStatus: 'failed' })
    const otherAccount = await newAccount()
    await addMoment(otherAccount, await addItem(otherAccount, { originalFilename: 'lighthouse.jpg' }), 'lighthouse')
  })

  test.each([
    ['media_type=video', ['trip_2.mp4']],
    ['tag=sea', ['trip_2.mp4']],
    ['tag=se', []],
    ['status=failed', ['broken.pdf']],
    ['query=lighthouse', ['IMG_1.jpg', 'trip_2.mp4']],
    ['query=lighthouse%20pilot', ['IMG_1.jpg']],
    ['query=LIGHT', ['IMG_1.jpg', 'trip_2.mp4']],
    ['query=lighthouse&media_type=video', ['trip_2.mp4']],
    ['query=we', ['trip_2.mp4']],
    ['query=img_1', ['IMG_1.jpg']],
    ['query=_2', ['trip_2.mp4']],
    ['query=50%25', ['IMG_1.jpg']],
    ['query=%25', ['IMG_1.jpg']],
    ['query=%27', []],
    ['query=%5C', []],
    ['query=a%27%3A*%26', []],
    ['query=', ['IMG_1.jpg', 'broken.pdf', 'trip_2.mp4']],
  ])('%s', async (query, expected) => {
    const page = await get(account, `/library?sort=name&${query}`)
    expect(names(page).toSorted()).toEqual(expected)
    expect(page.total).toBe(expected.length)
  })
})

test('truncates long texts in lists, but not in a single item', async () => {
  const account = await newAccount()
  const long = 'word '.repeat(1000)
  const id = await addItem(account, { mediaType: 'document', extractedText: long, caption: long, transcription: long })
  const [item] = (await get(account, '/library')).media_items
  for (const text of [item.content, item.extracted_text, item.caption, item.transcription])
    expect(text).toHaveLength(500)
  expect(await get(account, `/${id}`)).toMatchObject({ content: long, extracted_text: long, transcription: long })
})

test('an item has its steps, the engines of its results, and its moments', async () => {
  const account = await newAccount()
  const { id: userId } = account.user
  const id = await addItem(account, {
    mediaType: 'video',
    framesCount: 2,
    details: { codec: 'h264', waveform: Buffer.from([0, 255]).toString('base64') },
  })
  const stepsOf = (steps: Record<string, object>) =>
    Object.entries(steps).map(([name, step], position) => ({ mediaItemId: id, name, position, ...step }))
  await prisma().mediaStep.createMany({
    data: stepsOf({
      inspect: { status: 'completed', progress: 1 },
      transcribe: { status: 'completed', progress: 1, engine: 'remote', model: 'whisper-1' },
      playback: { status: 'skipped', error: 'Every browser plays it.' },
      caption: { status: 'failed', engine: 'remote', error: 'The server is away.' },
    }),
  })
  const part = { mediaItemId: id, userId, width: 6, height: 4, sizeBytes: 9, path: 'x' }
  const word = { text: 'EXIT', box: [0, 0, 0.5, 0.5], confidence: 0.9 }
  await prisma().mediaPart.createMany({
    data: [
      { ...part, kind: 'frame', number: 1, startSeconds: 0.5 },
      { ...part, kind: 'frame', number: 2, startSeconds: 7, words: [word] },
    ],
  })
  const moment = { mediaItemId: id, userId, engine: 'remote', position: 0 }
  await prisma().moment.createMany({
    data: [
      { ...moment, kind: 'speech', startSeconds: 1, endSeconds: 3, body: 'Hello.' },
      {
        ...moment,
        kind: 'speech',
        position: 1,
        startSeconds: 3,
        endSeconds: 4,
        body: 'Bye.',
        engine: 'user',
        lockedAt: new Date(),
      },
      { ...moment, kind: 'caption', frameNumber: 1, body: 'A door.' },
      { ...moment, kind: 'text', frameNumber: 2, body: 'EXIT', engine: 'built-in' },
      { ...moment, kind: 'text', position: 1, frameNumber: 2, body: 'PUSH', engine: 'built-in' },
    ],
  })
  const detail = await get(account, `/${id}`)
  expect(detail).toMatchObject({
    engines: { transcribe: { engine: 'remote', model: 'whisper-1' } },
    processing_steps: [
      { name: 'inspect', status: 'completed', progress: 1, engine: null, error: null },
      { name: 'transcribe', status: 'completed', progress: 1, engine: 'remote', error: null },
      { name: 'playback', status: 'skipped', error: 'Every browser plays it.' },
      { name: 'caption', status: 'failed', error: 'The server is away.' },
    ],
    thumbnail: null,
    segments: [
      { start: 1, end: 3, text: 'Hello.', is_locked: false },
      { start: 3, end: 4, text: 'Bye.', is_locked: true },
    ],
    frames: [
      { frame_number: 1, timestamp_seconds: 0.5, caption: 'A door.', extracted_text: null },
      { frame_number: 2, timestamp_seconds: 7, caption: null, extracted_text: 'EXIT\nPUSH' },
    ],
    pages: [],
    words: [],
    waveform: [0, 1],
    locked: [],
    moments_by_engine: { remote: 2, user: 1, 'built-in': 2 },
  })
  expect(detail.metadata.details).toEqual({ codec: 'h264' })
  expect(detail.preview_url).toContain('/preview?signature=')
  expect(detail.frames[0].thumbnail).toContain('/frames/1?signature=')
})

test('tags are counted, added to several items and removed', async () => {
  const account = await newAccount()
  const [one, two] = [await addItem(account, { tags: ['sea'] }), await addItem(account, { tags: ['sea', 'old'] })]
  const stranger = await addItem(await newAccount(), { tags: ['theirs'] })
  const ids = [one, two, stranger, randomUUID()]
  expect(await post(account, '/tags', { ids, add: [' home ', 'sea'], remove: ['old'] })).toEqual({ changed: 2 })
  expect(await post(account, '/tags', { ids, add: ['home'] })).toEqual({ changed: 0 })
  expect((await prisma().mediaItem.findUniqueOrThrow({ where: { id: two } })).tags).toEqual(['sea', 'home'])
  expect((await prisma().mediaItem.findUniqueOrThrow({ where: { id: stranger } })).tags).toEqual(['theirs'])
  await post(account, '/tags', { ids: [one], add: ['alone'] })
  expect(await get(account, '/tags')).toEqual({
    tags: [
      { tag: 'home', count: 2 },
      { tag: 'sea', count: 2 },
      { tag: 'alone', count: 1 },
    ],
  })
  await post(account, '/tags', { ids: [], add: ['x'] }, 422)
  await post(account, '/tags', { ids: [one], add: ['x'.repeat(51)] }, 422)
})

test('rejects tags that would exceed the limit of one item, and changes none of the items', async () => {
  const account = await newAccount()
  const full = Array.from({ length: 99 }, (_, number) => `tag ${number}`)
  const ids = [await addItem(account, { tags: full }), await addItem(account)]
  const tagsNow = async () =>
    (await prisma().mediaItem.findMany({ where: { id: { in: ids } } })).map(({ tags }) => tags)
  const before = await tagsNow()
  const refusal = await post(account, '/tags', { ids, add: ['new', 'newer'] }, 409)
  expect(refusal).toMatchObject({ code: 'item_too_many_tags', detail: expect.stringContaining('at most 100 tags') })
  expect(await tagsNow()).toEqual(before)
  expect(await post(account, '/tags', { ids, add: ['new', 'newer', 'tag 0'], remove: ['tag 1'] })).toEqual({
    changed: 2,
  })
  expect((await tagsNow()).map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([3, 100])
})

test('deletes rows, activity details and files, but no items of other users', async () => {
  const account = await newAccount()
  const receivedEvents: UserEvent[] = []
  const listening = new AbortController()
  const events = (async () => {
    for await (const event of mira.context.events.subscribe(account.user.id, listening.signal))
      receivedEvents.push(event)
  })()
  const uploaded = await mira.request
    .post('/api/media/upload')
    .auth(account.token, { type: 'bearer' })
    .field('wait', '0')
    .attach('file', Buffer.from('A private note.'), 'note.txt')
    .expect(202)
  const { id } = uploaded.body
  await addMoment(account, id, 'A private note.')
  const others = [await addItem(account), await addItem(account)]
  const stranger = await addItem(await newAccount())
  await mira.request.delete(`/api/media/${id}`).auth(account.token, { type: 'bearer' }).expect(204)
  await mira.request.delete(`/api/media/${id}`).auth(account.token, { type: 'bearer' }).expect(404)
  await mira.request.delete(`/api/media/${stranger}`).auth(account.token, { type: 'bearer' }).expect(404)
  expect(await post(account, '/delete', { ids: [...others, stranger, id] })).toEqual({ deleted: 2 })
  expect((await get(account, '/library')).total).toBe(0)
  expect(await prisma().mediaItem.count({ where: { id: stranger } })).toBe(1)
  expect(await prisma().moment.count({ where: { mediaItemId: id } })).toBe(0)
  const activity = await prisma().activity.findFirstOrThrow({ where: { subjectId: id } })
  expect(activity.detail).toEqual({ action: 'uploaded' })
  // A job does this, but jobs don't run here.
  await createUnreferencedFiles(mira.context.database).deleteDue(mira.context.files.delete, AbortSignal.timeout(5000))
  expect(await mira.context.files.usage(account.user.id)).toEqual({ fileCount: 0, sizeBytes: 0 })
  listening.abort()
  await events
  expect(receivedEvents).toEqual([
    { type: 'media.updated', ids: [id], deleted: false },
    { type: 'media.updated', ids: [id], deleted: true },
    { type: 'media.updated', ids: expect.arrayContaining(others), deleted: true },
  ])
})

test('a list contains the waveforms of recordings at a low resolution', async () => {
  const account = await newAccount()
  const levels = Buffer.from(Array.from({ length: 480 }, (_, index) => (index % 10 === 3 ? 255 : 51)))
  await addItem(account, { mediaType: 'audio', details: { waveform: levels.toString('base64') } })
  await addItem(account, { mediaType: 'image', details: { waveform: levels.toString('base64') } })
  const { media_items } = (await get(account, '/library')) as LibraryJson
  const [recording, picture] = media_items.sort((item) => (item.media_type === 'audio' ? -1 : 1))
  expect(recording?.waveform).toEqual(Array.from({ length: 48 }, () => 1))
  expect(picture?.waveform).toBeUndefined()
  expect(recording?.metadata.details).toEqual({})
})
