import type { ImportJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { zipOf } from '../../../../test/document-files.ts'
import { type FakeAsset, type FakeImmich, startFakeImmich } from '../../../../test/immich-server.ts'
import { callsOf, itemsByName, waitForImportEnd } from '../../../../test/import-client.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let immich: FakeImmich
let assets: FakeAsset[]
let boat: Buffer
let anna: TestAccount

beforeAll(async () => {
  boat = await plainImage({ width: 6, height: 4, format: 'png' })
  assets = [
    { id: '0d1c3ba4-58ad-4b35-a5d4-9d1f00000001', name: 'boat.png', content: boat, albums: ['Boats', 'Summer'] },
  ]
  immich = await startFakeImmich(assets)
  mira = await startTestApp({ isStarted: true, environment: { FETCH_ALLOWED_HOSTS: immich.host } })
})
beforeEach(async () => {
  anna = await mira.createUser({ can_upload: true })
})
afterAll(async () => {
  await mira.close()
  await immich.close()
})

const calls = () => callsOf(mira, anna)
const tagsOf = async (name = 'boat.png') => (await itemsByName(calls())).get(name)?.tags
const tag = async (changes: { add?: string[]; remove?: string[] }) => {
  const { id } = (await itemsByName(calls())).get('boat.png') ?? {}
  await calls()
    .post('/media/tags')
    .send({ ids: [id], ...changes })
    .expect(200)
}
const undo = ({ id }: ImportJson) => calls().delete(`/imports/${id}`).expect(204)
const counts = ({ found, imported, skipped, completed }: ImportJson) => ({ found, imported, skipped, completed })

async function runImport(file: Buffer, { source = 'takeout', preview = false } = {}): Promise<ImportJson> {
  const request = calls()
    .post('/imports')
    .field({ source, preview: String(preview) })
  const { body } = await request.attach('file', file, 'takeout-20240115T103000Z-002.zip').expect(202)
  return waitForImportEnd(calls(), body.id)
}

const PHOTOS = 'Takeout/Google Photos'
const YEAR = `${PHOTOS}/Photos from 2017`
const sidecar = (facts: object = {}) =>
  JSON.stringify({ title: 'boat.png', photoTakenTime: { timestamp: '1493992800' }, ...facts })

/** Takeout with the image in its year's folder. */
const inYear = () => zipOf({ [`${YEAR}/boat.png`]: boat, [`${YEAR}/boat.png.json`]: sidecar() })
/** Takeout of a day with the same image as a favourite in albums. */
const inAlbums = (day: string, ...albums: string[]) =>
  zipOf({
    [`${YEAR}/boat.png`]: boat,
    [`${YEAR}/boat.png.json`]: sidecar({ favorited: true }),
    [`${PHOTOS}/of ${day}.txt`]: day,
    ...Object.fromEntries(
      albums.flatMap((title) => [
        [`${PHOTOS}/${title}/metadata.json`, JSON.stringify({ title })],
        [`${PHOTOS}/${title}/boat.png`, boat],
        [`${PHOTOS}/${title}/boat.png.json`, sidecar()],
      ]),
    ),
  })

test('adds albums and favourites to an image imported before, previews them, and removes them with their import', async () => {
  await runImport(await inYear())
  expect(await tagsOf()).toEqual([])
  const counted = await runImport(await inAlbums('Monday', 'Summer', 'Boats'), { preview: true })
  expect(counts(counted)).toEqual({ found: 1, imported: 0, skipped: 0, completed: 1 })
  expect(await tagsOf()).toEqual([])
  await calls().post(`/imports/${counted.id}/start`).expect(202)
  const result = await waitForImportEnd(calls(), counted.id)
  expect(counts(result)).toEqual({ found: 1, imported: 0, skipped: 1, completed: 1 })
  expect(await tagsOf()).toEqual(['Summer', 'Boats', 'favorite'])

  // Nothing is missing now.
  const again = await runImport(await inAlbums('Monday', 'Summer', 'Boats'), { preview: true })
  expect(counts(again)).toEqual({ found: 1, imported: 0, skipped: 1, completed: 0 })
  await undo(result)
  expect(await tagsOf()).toEqual([])
})

test('keeps a tag of several imports until all are undone, in either order', async () => {
  await runImport(await inYear())
  for (const isFirstUndoneFirst of [true, false]) {
    const first = await runImport(await inAlbums('Monday', 'Summer'))
    const second = await runImport(await inAlbums('Tuesday', 'Summer', 'Boats'))
    expect([first, second].map(({ completed }) => completed)).toEqual([1, 1])
    // It adds no tags, but also becomes a source of the existing ones.
    const third = await runImport(await inAlbums('Wednesday', 'Summer'))
    expect(counts(third)).toEqual({ found: 1, imported: 0, skipped: 1, completed: 0 })
    expect(await tagsOf()).toEqual(['Summer', 'favorite', 'Boats'])
    for (const result of isFirstUndoneFirst ? [first, second] : [second, first]) await undo(result)
    expect(await tagsOf()).toEqual(['Summer', 'favorite'])
    await undo(third)
    expect(await tagsOf()).toEqual([])
  }
})

test('keeps the user’s own tags as they are, also one added again after an import', async () => {
  const { body: item } = await calls().post('/media/upload').attach('file', boat, 'boat.png').expect(201)
  expect(item.tags).toEqual([])
  await tag({ add: ['summer', 'mine'] })
  const result = await runImport(await inAlbums('Monday', 'Summer', 'Boats', 'Harbour'))
  expect(counts(result)).toMatchObject({ imported: 0, completed: 1 })
  // Tags that differ only in case are the same.
  expect(await tagsOf()).toEqual(['summer', 'mine', 'Boats', 'Harbour', 'favorite'])
  await tag({ remove: ['Boats', 'favorite'] })
  await tag({ add: ['Boats'] })
  await undo(result)
  expect(await tagsOf()).toEqual(['summer', 'mine', 'Boats'])
})

test('tags a favourite once, even when the user’s language has changed', async () => {
  await runImport(await inAlbums('Monday'))
  expect(await tagsOf()).toEqual(['favorite'])
  await mira.context.database.prisma.user.update({ where: { id: anna.user.id }, data: { language: 'de' } })
  expect(counts(await runImport(await inAlbums('Tuesday')))).toMatchObject({ completed: 0 })
  expect(await tagsOf()).toEqual(['favorite'])
})

test('adds the album and favourite tag of an image imported before from another part of the export', async () => {
  await runImport(await zipOf({ [`${PHOTOS}/Boats/boat.png`]: boat }))
  const archive = await zipOf({
    [`${PHOTOS}/Boats/metadata.json`]: JSON.stringify({ title: 'Boats' }),
    [`${PHOTOS}/Boats/boat.png.json`]: sidecar({ favorited: true }),
  })
  const result = await runImport(archive)
  expect(counts(result)).toEqual({ found: 1, imported: 0, skipped: 1, completed: 1 })
  expect(await tagsOf()).toEqual(['Boats', 'favorite'])
  await undo(result)
  expect(await tagsOf()).toEqual([])
})

test('adds Apple albums to the images that they list', async () => {
  const folder = 'iCloud Photos Part 1 of 1'
  const other = await plainImage({ width: 7, height: 4, format: 'png' })
  const files = { [`${folder}/Photos/boat.png`]: boat, [`${folder}/Photos/other.png`]: other }
  await runImport(await zipOf(files), { source: 'apple' })
  const albums = { [`${folder}/Albums/Boats.csv`]: 'Images\nboat.png\n' }
  const result = await runImport(await zipOf({ ...files, ...albums }), { source: 'apple' })
  expect(counts(result)).toEqual({ found: 2, imported: 0, skipped: 2, completed: 1 })
  expect([await tagsOf(), await tagsOf('other.png')]).toEqual([['Boats'], []])
  await undo(result)
  expect(await tagsOf()).toEqual([])
})

test('adds later albums and favourites of Immich, up to the maximum number of tags', async () => {
  const importFromServer = async () => {
    const input = { source: 'immich', url: immich.url, key: immich.key }
    const { body } = await calls().post('/imports').send(input).expect(202)
    return waitForImportEnd(calls(), body.id)
  }
  Object.assign(assets[0] as FakeAsset, { albums: ['Boats'] })
  await importFromServer()
  expect(await tagsOf()).toEqual(['Boats'])
  Object.assign(assets[0] as FakeAsset, { albums: ['Boats', 'Summer'], isFavorite: true })
  const again = await importFromServer()
  expect(counts(again)).toEqual({ found: 1, imported: 0, skipped: 1, completed: 1 })
  expect(await tagsOf()).toEqual(['Boats', 'Summer', 'favorite'])
  await undo(again)
  expect(await tagsOf()).toEqual(['Boats'])
  const own = Array.from({ length: 98 }, (_, index) => `tag ${index}`)
  while (own.length > 0) await tag({ add: own.splice(0, 14) })
  await importFromServer()
  expect((await tagsOf())?.slice(-2)).toEqual(['tag 97', 'Summer'])
})
