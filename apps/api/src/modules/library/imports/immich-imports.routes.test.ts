import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportJson } from '@mira/shared'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type FakeAsset, type FakeImmich, startFakeImmich } from '../../../../test/immich-server.ts'
import {
  callsOf,
  importCounts,
  itemsByName,
  waitForImportEnd,
  waitForImportStatus,
} from '../../../../test/import-client.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createVideo } from '../../../../test/videos.ts'

let mira: TestApp
let immich: FakeImmich
let older: FakeImmich
let assets: FakeAsset[]

beforeAll(async () => {
  const pictures = await Promise.all([6, 7, 8, 9].map((width) => plainImage({ width, height: 4, format: 'png' })))
  const folder = await mkdtemp(join(tmpdir(), 'mira-immich-'))
  const scenes = [{ seconds: 1, colour: '#cc2211' }]
  const video = { codec: 'libx264', width: 64, height: 48, framesPerSecond: 10, scenes }
  const motionVideo = await readFile(await createVideo({ filename: join(folder, 'film.mov'), muxer: 'mov', video }))
  await rm(folder, { recursive: true })
  const [motionId, unsupportedId] = [randomUUID(), randomUUID()]
  assets = [
    {
      ...{ id: randomUUID(), name: 'harbour.png', content: pictures[0]!, takenAt: '2017-05-05T14:00:00.000Z' },
      ...{ place: [48.2, 16.37], description: 'The harbour at noon', isFavorite: true },
      ...{ albums: ['Boats', 'Summer'], tags: ['trips/sea'], people: ['Ben', ''] },
    },
    { id: randomUUID(), name: 'boat.png', content: pictures[1]!, albums: ['Boats'], motion: motionId },
    { id: randomUUID(), name: 'put-away.png', content: pictures[2]!, visibility: 'archive' },
    {
      id: randomUUID(),
      name: 'last.png',
      content: pictures[3]!,
      takenAt: '2021-07-01T08:00:00.000Z',
      motion: unsupportedId,
    },
    { id: randomUUID(), name: 'gone.png', content: pictures[3]!, isTrashed: true },
    { id: motionId, name: 'the film of the boat.mov', content: motionVideo, visibility: 'hidden' },
    { id: randomUUID(), name: 'of nothing.mov', content: Buffer.from('x'), visibility: 'hidden' },
    { id: randomUUID(), name: 'program.exe', content: Buffer.from('MZ') },
    { id: unsupportedId, name: 'film.insv', content: Buffer.from('x'), visibility: 'hidden' },
  ]
  immich = await startFakeImmich(assets)
  older = await startFakeImmich(assets, { isOlder: true })
  mira = await startTestApp({ isStarted: true, environment: { FETCH_ALLOWED_HOSTS: `${immich.host},${older.host}` } })
})

afterEach(() => {
  immich.state.originalsUntilOutage = Number.POSITIVE_INFINITY
  immich.state.missingOriginals.clear()
  immich.state.permissions.add('album.read')
})

afterAll(async () => {
  await mira.close()
  await Promise.all([immich.close(), older.close()])
})

const as = (account: TestAccount) => callsOf(mira, account)

const read = async (account: TestAccount, id: string) =>
  (await as(account).get(`/imports/${id}`).expect(200)).body as ImportJson

const waitForImport = (account: TestAccount, id: string, check: (current: ImportJson) => void) =>
  waitForImportStatus(as(account), id, check)

const waitForEnd = (account: TestAccount, id: string) => waitForImportEnd(as(account), id)

async function startImport(account: TestAccount, options: object = {}): Promise<string> {
  const { body } = await as(account)
    .post('/imports')
    .send({ source: 'immich', url: immich.url, key: immich.key, ...options })
    .expect(202)
  return body.id
}

const runImport = async (account: TestAccount, options: object = {}) =>
  waitForEnd(account, await startImport(account, options))

const library = (account: TestAccount) => itemsByName(as(account))

const sealedKey = async (id: string) =>
  (await mira.context.database.prisma.import.findUniqueOrThrow({ where: { id } })).sealedKey

test('previews a server with sizes and dates, then imports its photos with their metadata, and never twice', async () => {
  const anna = await mira.createUser({ can_upload: true })
  const id = await startImport(anna, { preview: true })
  const counted = await waitForEnd(anna, id)
  expect(importCounts(counted)).toEqual({ state: 'done', found: 5, imported: 0, skipped: 0 })
  expect(counted).toMatchObject({
    name: immich.url,
    size_bytes: [...assets.slice(0, 4), assets[5]!].reduce((sum, { content }) => sum + content.length, 0),
    earliest_at: '2017-05-05T14:00:00.000Z',
    latest_at: '2021-07-01T08:00:00.000Z',
    failed: ['film.insv', 'program.exe'].map((name) => ({ name, told: [{ code: 'import_unsupported' }] })),
  })
  expect((await library(anna)).size).toBe(0)
  expect(await sealedKey(id)).not.toContain(immich.key)

  await as(anna).post(`/imports/${id}/start`).expect(202)
  expect(importCounts(await waitForEnd(anna, id))).toEqual({ state: 'done', found: 5, imported: 5, skipped: 0 })
  expect(await sealedKey(id)).toBeNull()
  // The video of a live photo belongs to its image.
  const items = await vi.waitFor(
    async () => {
      const items = await library(anna)
      expect([...items.keys()].sort()).toEqual(['boat.png', 'harbour.png', 'last.png', 'put-away.png'])
      return items
    },
    { timeout: 60_000, interval: 100 },
  )
  expect(items.get('boat.png')?.motion).toEqual({ url: expect.any(String), film_url: expect.any(String) })
  expect(items.get('harbour.png')).toMatchObject({
    caption: 'The harbour at noon',
    tags: ['Boats', 'Summer', 'trips/sea', 'Ben', 'favorite'],
    metadata: { taken_at: '2017-05-05T14:00:00.000Z', latitude: 48.2, longitude: 16.37 },
  })
  expect(items.get('boat.png')?.tags).toEqual(['Boats'])

  const downloads = immich.state.downloads.length
  expect(importCounts(await runImport(anna, { url: `${immich.url}/api/` }))).toEqual({
    state: 'done',
    found: 5,
    imported: 0,
    skipped: 5,
  })
  expect(immich.state.downloads.length).toBe(downloads)
  await as(anna).delete(`/imports/${id}`).expect(204)
  expect((await library(anna)).size).toBe(0)
  // Back from the trash, the image still has its video.
  expect(importCounts(await runImport(anna))).toEqual({ state: 'done', found: 5, imported: 4, skipped: 1 })
  expect((await library(anna)).get('boat.png')).toMatchObject({
    id: items.get('boat.png')?.id,
    motion: { film_url: expect.any(String) },
  })
  await as(anna)
    .post('/media/delete')
    .send({ ids: [...items.values()].map((item) => item.id) })
    .expect(200)
  const { rows } = await mira.context.database.pool.query('SELECT FROM media_copies WHERE media_item_id = $1', [
    items.get('boat.png')?.id,
  ])
  expect(rows).toEqual([])
})

test('imports from a server older than version 3, and tags favourites once in the user’s language', async () => {
  const anna = await mira.createUser({ can_upload: true })
  const setLanguage = (language: string) => as(anna).patch('/me/preferences').send({ language }).expect(200)
  await setLanguage('de')
  await as(anna).post('/media/upload').field('wait', '0').attach('file', assets[0]!.content, 'mine.png').expect(202)
  const connection = { url: older.url, key: older.key }
  expect(importCounts(await runImport(anna, connection))).toEqual({ state: 'done', found: 5, imported: 4, skipped: 1 })
  await setLanguage('fr')
  expect(importCounts(await runImport(anna, connection))).toEqual({ state: 'done', found: 5, imported: 0, skipped: 5 })
  const items = await library(anna)
  expect(items.get('mine.png')?.tags).toEqual(['Boats', 'Summer', 'trips/sea', 'Ben', 'Favorit'])
  expect(items.get('boat.png')?.tags).toEqual(['Boats'])
})

test('resumes after the server was unreachable, reports that meanwhile, and shows no partial items', async () => {
  const anna = await mira.createUser({ can_upload: true })
  immich.state.originalsUntilOutage = 1
  const id = await startImport(anna)
  const waiting = await waitForImport(anna, id, ({ told }) => expect(told[0]?.code).toBe('import_server_away'))
  expect(waiting.state).toBe('running')
  for (const item of (await library(anna)).values()) expect(item.metadata.size_bytes).toBeGreaterThan(0)
  expect(await sealedKey(id)).not.toBeNull()
  immich.state.originalsUntilOutage = Number.POSITIVE_INFINITY
  const result = await waitForEnd(anna, id)
  expect({ ...importCounts(result), error: result.error }).toEqual({
    state: 'done',
    found: 5,
    imported: 5,
    skipped: 0,
    error: null,
  })
})

test('says which originals the server couldn’t deliver', async () => {
  const anna = await mira.createUser({ can_upload: true })
  immich.state.missingOriginals.add('harbour.png')
  const result = await runImport(anna)
  expect(importCounts(result)).toEqual({ state: 'done', found: 5, imported: 4, skipped: 0 })
  expect(result.failed).toContainEqual(
    expect.objectContaining({ name: 'harbour.png', told: [{ code: 'import_entry_unavailable', params: {} }] }),
  )
})

test('a later import adds the missing video of a live photo, which goes with its image, and adds none to images uploaded before', async () => {
  const anna = await mira.createUser({ can_upload: true })
  // All four images arrive, but not the video.
  immich.state.originalsUntilOutage = 4
  const first = await startImport(anna)
  await waitForImport(anna, first, ({ told }) => expect(told[0]?.code).toBe('import_server_away'))
  await as(anna).delete(`/imports/${first}`).expect(204)
  expect(await read(anna, first)).toMatchObject({ state: 'cancelled' })
  expect((await library(anna)).size).toBe(4)
  immich.state.originalsUntilOutage = Number.POSITIVE_INFINITY

  const counted = await startImport(anna, { preview: true })
  expect(importCounts(await waitForEnd(anna, counted))).toEqual({ state: 'done', found: 5, imported: 0, skipped: 4 })
  await as(anna).post(`/imports/${counted}/start`).expect(202)
  expect(importCounts(await waitForEnd(anna, counted))).toEqual({ state: 'done', found: 5, imported: 1, skipped: 4 })
  await vi.waitFor(
    async () => {
      const items = await library(anna)
      expect(items.size).toBe(4)
      expect(items.get('boat.png')?.motion).toBeDefined()
    },
    { timeout: 60_000, interval: 100 },
  )
  await as(anna).delete(`/imports/${counted}`).expect(204)
  expect((await library(anna)).get('boat.png')?.motion).toBeDefined()
  await as(anna).delete(`/imports/${first}`).expect(204)
  expect((await library(anna)).size).toBe(0)

  const ben = await mira.createUser({ can_upload: true })
  await as(ben).post('/media/upload').field('wait', '0').attach('file', assets[1]!.content, 'mine.png').expect(202)
  const downloads = immich.state.downloads.length
  expect(importCounts(await runImport(ben))).toEqual({ state: 'done', found: 5, imported: 3, skipped: 2 })
  expect(immich.state.downloads.slice(downloads).sort()).toEqual([
    ...['boat.png', 'harbour.png', 'last.png', 'put-away.png'],
  ])
})

test('reports a wrong address or key, and deletes the key', async () => {
  const anna = await mira.createUser({ can_upload: true })
  const cases: [object, string][] = [
    [{ key: 'another' }, 'import_key_refused'],
    [{ url: 'http://127.0.0.1:9' }, 'import_server_private'],
    [{ url: `${immich.url}/elsewhere` }, 'import_server_other'],
  ]
  for (const [input, code] of cases) {
    const id = await startImport(anna, { ...input, preview: true })
    expect(await waitForEnd(anna, id)).toMatchObject({ state: 'failed', told: [{ code }] })
    expect(await sealedKey(id)).toBeNull()
  }
  immich.state.permissions.delete('album.read')
  expect(await runImport(anna)).toMatchObject({
    state: 'failed',
    told: [{ code: 'import_key_rights', params: { permission: 'album.read' } }],
  })
  expect(immich.state.keys).toEqual(new Set([immich.key, 'another']))
})

test('requires the upload permission, an address and a key', async () => {
  const anna = await mira.createUser({ can_upload: true })
  const ben = await mira.createUser({ can_upload: false })
  const input = { source: 'immich', url: immich.url, key: immich.key }
  await as(ben).post('/imports').send(input).expect(403)
  for (const invalid of [{ url: 'file:///etc/passwd' }, { key: ' ' }, { source: 'takeout' }]) {
    await as(anna)
      .post('/imports')
      .send({ ...input, ...invalid })
      .expect(422)
  }
})
