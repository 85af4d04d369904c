import { randomUUID } from 'node:crypto'
import type { MediaChanges, MediaDetailJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertMediaItem } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let anna: TestAccount
beforeAll(async () => {
  mira = await startTestApp()
  anna = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

const prisma = () => mira.context.database.prisma
const change = async (id: string, changes: MediaChanges, status = 200) =>
  (await mira.request.patch(`/api/media/${id}`).auth(anna.token, { type: 'bearer' }).send(changes).expect(status)).body
const read = async (id: string): Promise<MediaDetailJson> =>
  (await mira.request.get(`/api/media/${id}`).auth(anna.token, { type: 'bearer' }).expect(200)).body
const find = async (words: string) => {
  const query = new URLSearchParams({ query: words })
  const { body } = await mira.request.get(`/api/media/search?${query}`).auth(anna.token, { type: 'bearer' }).expect(200)
  return body.results.map(({ media_id }: { media_id: string }) => media_id)
}

type Moment = Omit<Parameters<ReturnType<typeof prisma>['moment']['createMany']>[0] & { data: object }, 'data'> &
  Record<string, unknown> & { kind: string; body: string }
const addItem = async (traits: object, moments: Moment[] = []) => {
  const { id } = await insertMediaItem(mira.context.database, anna.user.id, { processingStatus: 'completed' })
  await prisma().mediaItem.update({ where: { id }, data: traits })
  const ids: string[] = []
  for (const [position, moment] of moments.entries()) {
    const data = { mediaItemId: id, userId: anna.user.id, engine: 'remote', model: 'm', position, ...moment }
    ids.push((await prisma().moment.create({ data })).id)
  }
  return { id, moments: ids }
}

const addSteps = (id: string, names: string[]) =>
  prisma().mediaStep.createMany({
    data: names.map((name, position) => ({ mediaItemId: id, name, position, status: 'completed' })),
  })
const pendingSteps = async (id: string) => {
  const pending = await prisma().mediaStep.findMany({ where: { mediaItemId: id, status: 'pending' } })
  return pending.map(({ name }) => name).toSorted()
}

test('a user’s caption replaces the engine’s, is locked, and is searchable at once', async () => {
  const { id } = await addItem({ caption: 'A dog.' }, [{ kind: 'caption', body: 'A dog.' }])
  expect(await change(id, { caption: '  Rosalinda’s terrier in Santander ' })).toMatchObject({
    id,
    caption: 'Rosalinda’s terrier in Santander',
  })
  expect(await read(id)).toMatchObject({
    caption: 'Rosalinda’s terrier in Santander',
    locked: ['caption'],
    moments_by_engine: { user: 1 },
  })
  expect(await find('terrier')).toEqual([id])
  expect(await find('dog')).toEqual([])
  await change(id, { caption: 'A second thought' })
  expect(await prisma().moment.findMany({ where: { mediaItemId: id } })).toMatchObject([
    { kind: 'caption', body: 'A second thought', engine: 'user', model: null, lockedAt: expect.any(Date) },
  ])
})

test('corrects all pages of a long document at once', async () => {
  const { id } = await addItem({ mediaType: 'document', contentType: 'application/pdf', pageCount: 2000 }, [
    { kind: 'text', page: 2, body: 'Made by an engine.' },
  ])
  const pages = Array.from({ length: 2000 }, (_, index) => ({ page: index + 1, text: `Leaf ${index + 1}` }))
  await change(id, { pages: [{ page: 7, text: 'not this one' }, ...pages.slice(0, 1999)] })
  const stored = (await read(id)).pages
  expect(stored.map(({ page, text }) => ({ page, text }))).toEqual(pages.slice(0, 1999))
  expect(stored.every(({ is_locked }) => is_locked)).toBe(true)
}, 15_000)

test('a removed caption is generated again', async () => {
  const { id } = await addItem({}, [{ kind: 'caption', body: 'A dog.' }])
  await addSteps(id, ['inspect', 'read', 'caption', 'embed', 'look'])
  await change(id, { caption: 'Mine' })
  await prisma().mediaStep.updateMany({ where: { mediaItemId: id }, data: { status: 'completed' } })
  expect(await change(id, { caption: null })).toMatchObject({ caption: null })
  expect((await read(id)).locked).toEqual([])
  expect(await pendingSteps(id)).toEqual(['caption', 'embed'])
})

test('a document’s caption can be written and removed, though no engine generates one', async () => {
  const { id } = await addItem({ mediaType: 'document' })
  await addSteps(id, ['inspect', 'read', 'pages', 'embed'])
  expect(await change(id, { caption: 'The contract' })).toMatchObject({ caption: 'The contract' })
  expect(await change(id, { caption: null })).toMatchObject({ caption: null })
  expect((await read(id)).locked).toEqual([])
})

test('removing a correction that doesn’t exist changes nothing', async () => {
  const { id } = await addItem({ caption: 'A dog.' }, [{ kind: 'caption', body: 'A dog.' }])
  expect(await change(id, { caption: null })).toMatchObject({ caption: 'A dog.', processing_status: 'completed' })
})

test('an empty caption is kept as a correction', async () => {
  const { id } = await addItem({ caption: 'A dog.' }, [{ kind: 'caption', body: 'A dog.' }])
  expect(await change(id, { caption: '' })).toMatchObject({ caption: null })
  expect((await read(id)).locked).toEqual(['caption'])
})

test('stores a long text in full, as passages short enough for search', async () => {
  const { id } = await addItem({}, [{ kind: 'text', body: 'O1d te%t' }])
  const text = Array.from({ length: 900 }, (_, n) => `Sentence number ${n} of the letter.`).join(' ')
  expect((await change(id, { extracted_text: text })).extracted_text).toBe(text)
  expect(await read(id)).toMatchObject({ extracted_text: text, locked: ['extracted_text'] })
  expect((await prisma().moment.count({ where: { mediaItemId: id } })) > 5).toBe(true)
})

test('corrects a segment of a transcript in place', async () => {
  const { id, moments } = await addItem({ mediaType: 'audio', transcription: 'Helo. By.' }, [
    { kind: 'speech', body: 'Helo.', startSeconds: 0, endSeconds: 1, confidence: 0.5 },
    { kind: 'speech', body: 'By.', startSeconds: 1, endSeconds: 2 },
  ])
  const [first = ''] = moments
  expect(await change(id, { segments: [{ id: first, text: 'Hello.' }] })).toMatchObject({ transcription: 'Hello. By.' })
  expect((await read(id)).segments).toEqual([
    { id: first, start: 0, end: 1, text: 'Hello.', is_locked: true },
    { id: moments[1], start: 1, end: 2, text: 'By.', is_locked: false },
  ])
})

test('a removed segment correction stays until the recording is transcribed again', async () => {
  const { id, moments } = await addItem({ mediaType: 'audio' }, [
    { kind: 'speech', body: 'Helo.', startSeconds: 0, endSeconds: 1 },
    { kind: 'speech', body: 'By.', startSeconds: 1, endSeconds: 2 },
  ])
  const [first = '', second = ''] = moments
  await addSteps(id, ['inspect', 'transcribe', 'embed', 'playback'])
  await change(id, { segments: [{ id: second, text: null }] })
  expect(await pendingSteps(id)).toEqual([])
  await change(id, { segments: [{ id: first, text: 'Hello.' }] })
  await prisma().mediaStep.updateMany({ where: { mediaItemId: id }, data: { status: 'completed' } })
  await change(id, { segments: [{ id: first, text: null }] })
  expect((await read(id)).segments[0]).toMatchObject({ text: 'Hello.', is_locked: false })
  expect(await pendingSteps(id)).toEqual(['embed', 'transcribe'])
  expect((await change(id, { segments: [{ id: randomUUID(), text: null }] }, 422)).code).toBe('segment_gone')
})

test('an unknown segment rejects all changes', async () => {
  const { id } = await addItem({ mediaType: 'audio' }, [{ kind: 'speech', body: 'Hello.' }])
  const { moments } = await addItem({ mediaType: 'audio' }, [{ kind: 'speech', body: 'Another film.' }])
  for (const segment of [randomUUID(), moments[0] ?? '']) {
    const body = await change(id, { tags: ['x'], segments: [{ id: segment, text: 'No.' }] }, 422)
    expect(body.code).toBe('segment_gone')
  }
  expect((await read(id)).tags).toEqual([])
})

describe('pages', () => {
  const pdf = {
    mediaType: 'document',
    contentType: 'application/pdf',
    pageCount: 3,
    extractedText: 'One.\n\nTwo a. Two b.',
  }
  const passages: Moment[] = [
    { kind: 'text', page: 1, characterOffset: 0, body: 'One.' },
    { kind: 'text', page: 2, characterOffset: 0, body: 'Two a. ' },
    { kind: 'text', page: 2, characterOffset: 7, body: 'Two b.' },
  ]

  const noPicture = { thumbnail: null, width: null, height: null }

  test('are corrected one by one', async () => {
    const { id } = await addItem(pdf, passages)
    const changed = await change(id, {
      pages: [
        { page: 2, text: 'Second page.' },
        { page: 3, text: 'Third.' },
      ],
    })
    expect(changed.content).toBe('One.\n\nSecond page.\n\nThird.')
    expect((await read(id)).pages).toEqual([
      { page: 1, title: null, text: 'One.', ...noPicture, is_locked: false },
      { page: 2, title: null, text: 'Second page.', ...noPicture, is_locked: true },
      { page: 3, title: null, text: 'Third.', ...noPicture, is_locked: true },
    ])
    await change(id, { pages: [{ page: 2, text: '' }] })
    expect((await read(id)).pages[1]).toEqual({ page: 2, title: null, text: '', ...noPicture, is_locked: true })
  })

  test('are read again when a correction is removed', async () => {
    const { id } = await addItem(pdf, passages)
    await addSteps(id, ['inspect', 'read', 'pages', 'embed'])
    await change(id, { pages: [{ page: 2, text: 'Second page.' }] })
    await prisma().mediaStep.updateMany({ where: { mediaItemId: id }, data: { status: 'completed' } })
    await change(id, { pages: [{ page: 1, text: null }] })
    expect(await pendingSteps(id)).toEqual([])
    await change(id, { pages: [{ page: 2, text: null }] })
    const [first, ...others] = (await read(id)).pages
    expect(first).toMatchObject({ text: 'One.', is_locked: false })
    expect(others.some(({ is_locked }) => is_locked)).toBe(false)
    expect(await pendingSteps(id)).toEqual(['embed', 'read'])
  })

  test('that don’t exist are rejected, as is one text for all pages', async () => {
    const { id } = await addItem(pdf, passages)
    expect((await change(id, { pages: [{ page: 4, text: 'x' }] }, 422)).code).toBe('no_such_page')
    expect((await change(id, { extracted_text: 'x' }, 422)).code).toBe('has_pages')
    const picture = await addItem({})
    expect((await change(picture.id, { pages: [{ page: 1, text: 'x' }] }, 422)).code).toBe('no_such_page')
  })
})

test('a correction is rolled back when its embedding can’t be queued', async () => {
  const { id } = await addItem({ caption: 'A dog.' }, [{ kind: 'caption', body: 'A dog.' }])
  await prisma().$executeRawUnsafe(`ALTER TABLE pgboss.job RENAME COLUMN group_id TO group_gone`)
  try {
    await change(id, { caption: 'A cat.' }, 500)
  } finally {
    await prisma().$executeRawUnsafe(`ALTER TABLE pgboss.job RENAME COLUMN group_gone TO group_id`)
  }
  expect((await read(id)).caption).toBe('A dog.')
  await change(id, { caption: 'A cat.' })
  expect((await read(id)).caption).toBe('A cat.')
})

test('sets tags without duplicates', async () => {
  const { id } = await addItem({ tags: ['old'] })
  expect((await change(id, { tags: ['b', ' a ', 'b'] })).tags).toEqual(['b', 'a'])
  expect((await change(id, { tags: [] })).tags).toEqual([])
  await change(id, { tags: [''] }, 422)
  await change(id, { nonsense: 1 } as MediaChanges, 422)
})
