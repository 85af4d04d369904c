import type { ImportJson, LibraryJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { zipOf } from '../../../../test/document-files.ts'
import { chatGptExport, claudeExport } from '../../../../test/exported-chats.ts'
import { callsOf, importCounts, itemsByName, waitForImportEnd } from '../../../../test/import-client.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createImportedMetadataStore } from './imported-metadata.store.ts'
import { createImportsStore, type ImportCounts, type ImportRow } from './imports.store.ts'
import { createMetadataCompletion } from './metadata-completion.ts'

let mira: TestApp
let pictures: Buffer[]

beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  pictures = await Promise.all([6, 7, 8, 9, 10].map((width) => plainImage({ width, height: 4, format: 'png' })))
})

afterAll(() => mira.close())

const as = (account: TestAccount) => callsOf(mira, account)

const waitForEnd = (account: TestAccount, id: string) => waitForImportEnd(as(account), id)

/** File names of two parts of an export, and of another export. */
const PART = 'takeout-20240115T103000Z-001.zip'
const NEXT_PART = 'takeout-20240115T103000Z-002.zip'
const OTHER_EXPORT = 'takeout-20240220T081500Z-002.zip'

async function runImport(
  account: TestAccount,
  source: string,
  file: Buffer,
  { preview = false, name = PART } = {},
): Promise<ImportJson> {
  const { body } = await as(account)
    .post('/imports')
    .field('source', source)
    .field('preview', String(preview))
    .attach('file', file, name)
    .expect(202)
  return waitForEnd(account, body.id)
}

const library = (account: TestAccount) => itemsByName(as(account))

const PHOTOS = 'Takeout/Google Photos'
const sidecar = (facts: object = {}) =>
  JSON.stringify({
    title: 'IMG_1.png',
    photoTakenTime: { timestamp: '1493992800', formatted: 'May 5, 2017' },
    geoData: { latitude: 48.2, longitude: 16.37, altitude: 0 },
    ...facts,
  })

/** A Takeout archive: an image in its year and in an album, one with a truncated name, an edited one, and one in the bin. */
const takeout = () =>
  zipOf({
    [`${PHOTOS}/Photos from 2017/IMG_1.png`]: pictures[0]!,
    [`${PHOTOS}/Photos from 2017/IMG_1.png.supplemental-metadata.json`]: sidecar({
      description: 'The harbour at noon',
      favorited: true,
    }),
    [`${PHOTOS}/Summer in Wien/metadata.json`]: JSON.stringify({ title: 'Summer in Wien' }),
    [`${PHOTOS}/Summer in Wien/IMG_1.png`]: pictures[0]!,
    [`${PHOTOS}/Summer in Wien/IMG_1.png.supplemental-metadata.json`]: sidecar(),
    [`${PHOTOS}/Photos from 2017/a-picture-with-quite-a-long-name-of-2017(1).png`]: pictures[1]!,
    [`${PHOTOS}/Photos from 2017/a-picture-with-quite-a-long-name-of-2017.png.su(1).json`]: sidecar({
      geoData: { latitude: 0, longitude: 0 },
    }),
    [`${PHOTOS}/Photos from 2017/IMG_1-edited.png`]: pictures[2]!,
    [`${PHOTOS}/Bin/gone.png`]: pictures[3]!,
    [`${PHOTOS}/Bin/gone.png.json`]: sidecar({ trashed: true }),
    'Takeout/archive_browser.html': '<html></html>',
  })

/** Longer than the part of a description that the library shows. */
const LONG_DESCRIPTION = 'The harbour at noon. '.repeat(150).trim()

/** Two parts of an export: images, and metadata of three of them and of an image in a later part. */
const takeoutInParts = async () => ({
  pictures: await zipOf({
    [`${PHOTOS}/Photos from 2017/IMG_1.png`]: pictures[0]!,
    [`${PHOTOS}/Photos from 2017/IMG_2(1).png`]: pictures[1]!,
    [`${PHOTOS}/Photos from 2019/IMG_3.png`]: pictures[2]!,
    [`${PHOTOS}/Photos from 2017/IMG_4.png`]: pictures[3]!,
    [`${PHOTOS}/Photos from 2018/IMG_4.png`]: pictures[4]!,
  }),
  sidecars: await zipOf({
    [`${PHOTOS}/Photos from 2017/IMG_1.png.supplemental-metadata.json`]: sidecar({ description: LONG_DESCRIPTION }),
    [`${PHOTOS}/Photos from 2017/IMG_2.png.suppl(1).json`]: sidecar({ title: 'IMG_2.png', description: 'Boats' }),
    // Its image comes in a later part.
    [`${PHOTOS}/Photos from 2017/IMG_3.png.json`]: sidecar({ title: 'IMG_3.png' }),
    [`${PHOTOS}/Photos from 2017/IMG_4.png.json`]: sidecar({ title: 'IMG_4.png' }),
  }),
})

/** Capture times of images by their paths in the archive. */
async function takenAt({ user }: TestAccount): Promise<Record<string, string | null>> {
  const include = { mediaItem: true }
  const things = await mira.context.database.prisma.importedObject.findMany({ where: { userId: user.id }, include })
  const entries = things.map(({ folders, mediaItem }) => [
    `${folders.join()}/${mediaItem?.originalFilename}`.slice(PHOTOS.length + 1),
    mediaItem?.takenAt?.toISOString() ?? null,
  ])
  return Object.fromEntries(entries)
}

test.each([
  ['takeout', 'chatgpt', () => chatGptExport(pictures[0] as Buffer)],
  ['apple', 'claude', claudeExport],
])(
  'rejects conversations uploaded as photos from %s, recognises them as from %s, and previews them as such',
  async (source, actual, make) => {
    const anna = await mira.createUser({ can_upload: true })
    const failed = await runImport(anna, source, await make(), { preview: true })
    expect(failed).toMatchObject({
      state: 'failed',
      has_file: true,
      told: [
        { code: 'import_other_source', params: { source } },
        { code: 'import_seems_of', params: { source: actual } },
      ],
    })
    await as(anna).post(`/imports/${failed.id}/source`).send({ source: actual }).expect(202)
    const counted = await waitForEnd(anna, failed.id)
    expect(counted).toMatchObject({ source: actual, state: 'done', preview: true })
    expect(counted.found).toBeGreaterThan(0)
    expect((await library(anna)).size).toBe(0)
  },
)

describe('a Takeout archive of Google Photos', () => {
  test('with only metadata completes existing images, keeps the user’s changes, and is undone with its import', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const parts = await takeoutInParts()
    expect(importCounts(await runImport(anna, 'takeout', parts.pictures))).toEqual({
      ...{ state: 'done', found: 5, imported: 5, skipped: 0 },
    })
    const own = (await library(anna)).get('IMG_2(1).png')!
    const change = { caption: 'What Anna saw' }
    await mira.request.patch(`/api/media/${own.id}`).auth(anna.token, { type: 'bearer' }).send(change).expect(200)

    // An undated image of another Google account may have the same name and folder.
    const otherExport = await runImport(anna, 'takeout', parts.sidecars, { name: OTHER_EXPORT })
    expect(otherExport).toMatchObject({ state: 'done', found: 0, completed: 0 })
    expect(Object.values(await takenAt(anna))).toEqual([null, null, null, null, null])

    const counted = await runImport(anna, 'takeout', parts.sidecars, { preview: true, name: NEXT_PART })
    expect(counted).toMatchObject({ state: 'done', found: 3, imported: 0, skipped: 0, completed: 3 })
    expect((await library(anna)).get('IMG_1.png')?.metadata.taken_at).toBeNull()
    await as(anna).post(`/imports/${counted.id}/start`).expect(202)
    const expected = { state: 'done', found: 3, imported: 0, skipped: 3, completed: 3 }
    expect(await waitForEnd(anna, counted.id)).toMatchObject(expected)
    const facts = { taken_at: '2017-05-05T14:00:00.000Z', latitude: 48.2, longitude: 16.37 }
    const completed = await library(anna)
    expect(completed.get('IMG_1.png')).toMatchObject({
      ...{ caption: expect.stringMatching(/^The harbour at noon\./), metadata: facts },
    })
    expect(completed.get('IMG_2(1).png')).toMatchObject({ caption: 'What Anna saw', metadata: facts })
    // Metadata for an image of another year doesn't apply.
    expect(await takenAt(anna)).toEqual({
      'Photos from 2017/IMG_1.png': facts.taken_at,
      'Photos from 2017/IMG_2(1).png': facts.taken_at,
      'Photos from 2019/IMG_3.png': null,
      'Photos from 2017/IMG_4.png': facts.taken_at,
      'Photos from 2018/IMG_4.png': null,
    })
    // Nothing is missing now.
    expect(importCounts(await runImport(anna, 'takeout', parts.sidecars))).toEqual({
      state: 'done',
      found: 0,
      imported: 0,
      skipped: 0,
    })

    await as(anna).delete(`/imports/${counted.id}`).expect(204)
    const undone = await library(anna)
    expect(undone.size).toBe(completed.size)
    expect(undone.get('IMG_1.png')).toMatchObject({ caption: null, metadata: { taken_at: null, latitude: null } })
    expect(undone.get('IMG_2(1).png')).toMatchObject({ caption: 'What Anna saw', metadata: { taken_at: null } })
  })

  test('completes an item entirely or not at all, and skips one deleted meanwhile', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const { database, media } = mira.context
    const { body: item } = await as(anna)
      .post('/media/upload')
      .field('wait', '0')
      .attach('file', pictures[1]!, 'mine.png')
    const data = { userId: anna.user.id, source: 'takeout', name: 'export.zip', state: 'running' }
    const row = (await database.prisma.import.create({ data })) as unknown as ImportRow
    const store = createImportedMetadataStore(database)
    const completing = (readItems: typeof store.listItemMetadata) =>
      createMetadataCompletion({
        store: { ...store, listItemMetadata: readItems },
        imports: { languageOf: async () => 'en' },
        corrections: {
          changeIn: () => Promise.reject(new Error('the connection broke')),
          revertCaptionIn: () => Promise.resolve(),
        },
        events: { publish() {} },
      })
    const noPlace = { takenLocal: null, latitude: null, longitude: null }
    const facts = { takenAt: '2017-05-05T14:00:00.000Z', ...noPlace, description: 'Boats', tags: [], isFavorite: false }
    const tally = { counts: { completed: 0 } as ImportCounts, counted: new Set<string>() }
    const items = [{ itemId: item.id, facts }]
    await expect(completing(store.listItemMetadata).complete(row, items, tally)).rejects.toThrow('the connection broke')
    expect((await library(anna)).get('mine.png')?.metadata.taken_at).toBeNull()
    expect(await database.prisma.importedMetadata.count({ where: { importId: row.id } })).toBe(0)

    const completingDeleted = completing(async (...args) => {
      const items = await store.listItemMetadata(...args)
      await media.remove(anna.user.id, [item.id])
      return items
    })
    await completingDeleted.complete(row, items, tally)
    expect(tally.counts.completed).toBe(0)
    await database.prisma.import.delete({ where: { id: row.id } })
  })

  test('is previewed, then imported with dates, places, descriptions, albums and favourites, and never twice', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const file = await takeout()
    const counted = await runImport(anna, 'takeout', file, { preview: true })
    expect(importCounts(counted)).toEqual({ state: 'done', found: 3, imported: 0, skipped: 0 })
    expect((await library(anna)).size).toBe(0)
    await as(anna).post(`/imports/${counted.id}/start`).expect(202)
    expect(importCounts(await waitForEnd(anna, counted.id))).toEqual({
      state: 'done',
      found: 3,
      imported: 3,
      skipped: 0,
    })
    // Processing finds none of this in the file, and leaves it unchanged.
    const items = await vi.waitFor(
      async () => {
        const items = await library(anna)
        for (const { processing_status: status } of items.values()) expect(status).toBe('completed')
        return items
      },
      { timeout: 90_000, interval: 100 },
    )
    expect(items.get('IMG_1.png')).toMatchObject({
      caption: 'The harbour at noon',
      tags: ['Summer in Wien', 'favorite'],
      metadata: { taken_at: '2017-05-05T14:00:00.000Z', latitude: 48.2, longitude: 16.37 },
    })
    expect(items.get('a-picture-with-quite-a-long-name-of-2017(1).png')).toMatchObject({
      tags: [],
      metadata: { taken_at: '2017-05-05T14:00:00.000Z', latitude: null },
    })
    expect(items.get('IMG_1-edited.png')).toMatchObject({ metadata: { taken_at: '2017-05-05T14:00:00.000Z' } })
    expect(importCounts(await runImport(anna, 'takeout', file))).toEqual({
      state: 'done',
      found: 3,
      imported: 0,
      skipped: 3,
    })
  })

  test('is removed as a whole when undone, and the user’s earlier items stay', async () => {
    const anna = await mira.createUser({ can_upload: true })
    await as(anna).post('/media/upload').attach('file', pictures[1]!, 'mine.png')
    const result = await runImport(anna, 'takeout', await takeout())
    expect(importCounts(result)).toEqual({ state: 'done', found: 3, imported: 2, skipped: 1 })
    // A later attempt that fails before its first item doesn't hide the imported items.
    await mira.context.database.prisma.import.update({ where: { id: result.id }, data: { state: 'running' } })
    const none = {
      reading: null,
      found: 0,
      sizeBytes: null,
      earliestAt: null,
      latestAt: null,
      imported: 0,
      skipped: 0,
      completed: 0,
    }
    await createImportsStore(mira.context.database).finish(result.id, {
      state: 'failed',
      counts: { ...none, failed: [] },
    })
    expect((await as(anna).get(`/imports/${result.id}`)).body).toMatchObject({ state: 'failed', imported: 2 })
    expect((await library(anna)).get('mine.png')?.metadata.taken_at).toBe('2017-05-05T14:00:00.000Z')
    await as(anna).delete(`/imports/${result.id}`).expect(204)
    const itemsAfter = await library(anna)
    expect([...itemsAfter.keys()]).toEqual(['mine.png'])
    expect(itemsAfter.get('mine.png')?.metadata.taken_at).toBeNull()
  })

  test('can be restored after it’s undone, also items uploaded again or skipped by another import', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const first = await runImport(anna, 'takeout', await takeout())
    expect(importCounts(first)).toEqual({ state: 'done', found: 3, imported: 3, skipped: 0 })
    await as(anna).post('/media/upload').attach('file', pictures[2]!, 'uploaded-again.png').expect(200)
    const second = await runImport(anna, 'takeout', await takeout())
    expect(importCounts(second)).toEqual({ state: 'done', found: 3, imported: 0, skipped: 3 })
    await as(anna).delete(`/imports/${first.id}`).expect(204)
    expect((await library(anna)).size).toBe(0)
    const { body } = await as(anna).get('/media/library?in=trash').expect(200)
    const trashed = (body as LibraryJson).media_items
    expect(trashed.map(({ metadata }) => metadata.original_filename)).toContain('IMG_1-edited.png')
    const inTrash = trashed.find(({ metadata }) => metadata.original_filename === 'IMG_1.png')!
    await as(anna)
      .post('/media/restore')
      .send({ ids: [inTrash.id] })
      .expect(200)
    expect((await library(anna)).get('IMG_1.png')).toMatchObject({
      caption: 'The harbour at noon',
      tags: ['Summer in Wien', 'favorite'],
      metadata: { latitude: 48.2 },
    })
    // Importing again restores the others, and undoing that removes only them.
    const third = await runImport(anna, 'takeout', await takeout())
    expect(importCounts(third)).toEqual({ state: 'done', found: 3, imported: 2, skipped: 1 })
    const items = await library(anna)
    expect(new Set([...items.values()].map(({ id }) => id))).toEqual(new Set(trashed.map(({ id }) => id)))
    await as(anna).delete(`/imports/${third.id}`).expect(204)
    expect([...(await library(anna)).keys()]).toEqual(['IMG_1.png'])
  })

  test('names every picture and video in it that can’t be imported', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const file = await zipOf({
      [`${PHOTOS}/Photos from 2017/IMG_1.png`]: pictures[0]!,
      [`${PHOTOS}/Photos from 2017/IMG_1.png.supplemental-metadata.json`]: sidecar(),
      [`${PHOTOS}/Photos from 2017/P1000123.RW2`]: 'a raw photo',
      [`${PHOTOS}/Photos from 2017/MVIMG_20180722_120942`]: 'a photo without an extension',
      [`${PHOTOS}/Photos from 2017/empty.jpg`]: '',
      [`${PHOTOS}/Photos from 2017/film.mp4`]: pictures[1]!,
      ...Object.fromEntries(
        ['archive_browser.html', 'Drive/contract.pdf', 'Fit/1.tcx'].map((name) => [`Takeout/${name}`, '<']),
      ),
    })
    const { found, imported, failed } = await runImport(anna, 'takeout', file)
    expect({ found, imported }).toEqual({ found: 2, imported: 1 })
    expect(failed.map(({ name, told }) => [name.split('/').at(-1), told[0]?.code]).sort()).toEqual([
      ['MVIMG_20180722_120942', 'import_unsupported'],
      ['P1000123.RW2', 'import_unsupported'],
      ['empty.jpg', 'upload_empty'],
      ['film.mp4', 'upload_mismatch'],
    ])
  })

  test('imports nothing from a truncated file, and reports why', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const file = await takeout()
    const failed = await runImport(anna, 'takeout', file.subarray(0, file.length - 400))
    expect(failed).toMatchObject({ state: 'failed', told: [{ code: 'import_damaged' }] })
    expect((await library(anna)).size).toBe(0)
  })

  test('resumes after an interruption', async () => {
    const anna = await mira.createUser({ can_upload: true })
    const file = await takeout()
    const result = await runImport(anna, 'takeout', file)
    const { prisma } = mira.context.database
    const [thing] = await prisma.importedObject.findMany({ where: { importId: result.id }, take: 1 })
    await as(anna)
      .post('/media/delete')
      .send({ ids: [thing!.mediaItemId] })
      .expect(200)
    const { path } = await mira.context.files.put(anna.user.id, file)
    await prisma.import.update({ where: { id: result.id }, data: { state: 'running', path, importedCount: 2 } })
    await mira.context.queue.enqueue('import-things', { import_id: result.id })
    expect(importCounts(await waitForEnd(anna, result.id))).toEqual({
      state: 'done',
      found: 3,
      imported: 3,
      skipped: 0,
    })
  })
})

test('imports an Apple export with its dates, albums and favourites, without deleted photos', async () => {
  const anna = await mira.createUser({ can_upload: true })
  const folder = 'iCloud Photos Part 1 of 1'
  const file = await zipOf({
    [`${folder}/Photos/IMG_0001.PNG`]: pictures[0]!,
    [`${folder}/Photos/IMG_0002.PNG`]: pictures[1]!,
    [`${folder}/Photos/Photo Details.csv`]: [
      'imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate',
      'IMG_0001.PNG,abc,yes,no,no,"Friday May 5,2017 2:00 PM GMT",3,"Friday May 5,2017 2:01 PM GMT"',
      'IMG_0002.PNG,def,no,no,yes,"Friday May 5,2017 2:00 PM GMT",3,"Friday May 5,2017 2:01 PM GMT"',
    ].join('\n'),
    [`${folder}/Albums/Boats.csv`]: 'Images\nIMG_0001.PNG\n',
  })
  expect(importCounts(await runImport(anna, 'apple', file))).toEqual({
    state: 'done',
    found: 1,
    imported: 1,
    skipped: 0,
  })
  expect((await library(anna)).get('IMG_0001.PNG')).toMatchObject({
    tags: ['Boats', 'favorite'],
    metadata: { taken_at: '2017-05-05T14:00:00.000Z' },
  })
})
