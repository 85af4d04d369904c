import { describe, expect, test } from 'vitest'
import type { SidecarFile } from '../media-archives.ts'
import { openTakeout } from './takeout.ts'

const PHOTOS = 'Takeout/Google Photos/Photos from 2024'
const TAKEN = 1493992800
const TAKEN_AT = '2017-05-05T14:00:00.000Z'

const sidecar = (title: string, more: object = {}) =>
  JSON.stringify({
    title,
    description: '',
    imageViews: '2973',
    creationTime: { timestamp: '1258549448', formatted: '18 Nov 2009, 13:04:08 UTC' },
    photoTakenTime: { timestamp: String(TAKEN), formatted: '5 May 2017, 14:00:00 UTC' },
    geoData: { latitude: 0.0, longitude: 0.0, altitude: 0.0 },
    ...more,
  })

/** Opens an archive of files with their text; null for those without. */
const open = (files: Record<string, string | null>) =>
  openTakeout({ names: Object.keys(files), textOf: async (name) => files[name] ?? null })

/** Descriptions that images get from the JSON files in their folder. */
async function descriptionsOf(pictures: string[], json: Record<string, string>) {
  const kind = await open({
    ...Object.fromEntries(pictures.map((name) => [`${PHOTOS}/${name}`, null])),
    ...Object.fromEntries(Object.entries(json).map(([name, text]) => [`${PHOTOS}/${name}`, text])),
  })
  const descriptions: Record<string, string | null> = {}
  for (const name of pictures) descriptions[name] = (await kind.factsOf(`${PHOTOS}/${name}`))?.description ?? null
  return descriptions
}

/** Name of the sidecar matched to each image, or null; the sidecars have their own names as descriptions. */
async function matchedSidecars(layout: [picture: string, json: string | null, title?: string][]) {
  const json = layout.flatMap(([picture, name, title = picture]) =>
    name === null ? [] : [[name, sidecar(title, { description: name })] as const],
  )
  return descriptionsOf(
    layout.map(([picture]) => picture),
    Object.fromEntries(json),
  )
}
const expectedMatches = (layout: [picture: string, json: string | null, title?: string][]) =>
  Object.fromEntries(layout.map(([picture, json]) => [picture, json]))

const UUID = 'original_1d4caa6f-16c6-4c3d-901b-9387de10e528'
const LONG = '123456789123456789123456789123456789_DSCN'

describe('finds a sidecar', () => {
  test.each<[string, [picture: string, json: string | null, title?: string][]]>([
    ['by the name plus .json', [['IMG_3397.JPG', 'IMG_3397.JPG.json']]],
    [
      'by the name plus the suffix Google has added since 2024',
      [['IMG_3397.JPG', 'IMG_3397.JPG.supplemental-metadata.json']],
    ],
    [
      'with a truncated suffix',
      [
        ['20230822_171704_a_name_that_is_long.jpg', '20230822_171704_a_name_that_is_long.jpg.supplem.json'],
        ['original_5f6dae74-76a6-4a82-bf3a-9c8b4a0.jpg', 'original_5f6dae74-76a6-4a82-bf3a-9c8b4a0.jpg.s.json'],
      ],
    ],
    [
      'with a truncated extension before the suffix',
      [
        [`${LONG}0091.JPG`, `${LONG}0091.JP.supplemental-meta.json`],
        [`${LONG}0091(1).JPG`, `${LONG}0091.JP.supplemental-meta(1).json`, `${LONG}0091.JPG`],
        [`${LONG}0098.JPG`, `${LONG}0098.JPG.su.json`],
        [`${LONG}0098(1).JPG`, `${LONG}0098.JPG.su(1).json`, `${LONG}0098.JPG`],
      ],
    ],
    [
      'for a truncated name whose title is complete',
      [
        [
          'Screenshot_20190101-120000_com.example.a.progr.jpg',
          'Screenshot_20190101-120000_com.example.a.progr.json',
          'Screenshot_20190101-120000_com.example.a.program.jpg',
        ],
        [
          'Urlaub am Meer mit der ganzen Familie und Freun.jpg',
          'Urlaub am Meer mit der ganzen Familie und Freu.json',
          'Urlaub am Meer mit der ganzen Familie und Freunden.jpg',
        ],
      ],
    ],
    [
      'by its number after or before the extension',
      [
        ['IMG_0484.JPG', 'IMG_0484.JPG.json'],
        ['IMG_0484(1).JPG', 'IMG_0484.JPG(1).json', 'IMG_0484.JPG'],
        ['IMG_0484(2).JPG', 'IMG_0484.JPG.supplemental-metadata(2).json', 'IMG_0484.JPG'],
        ['IMG_0484(3).JPG', 'IMG_0484(3).JPG.supplemental-metadata.json', 'IMG_0484.JPG'],
        ['image(10).jpg', 'image.jpg(10).json', 'image.jpg'],
      ],
    ],
    ['with an extension in another case', [['IMG_4081(1).jpg', 'IMG_4081.JPG(1).json', 'IMG_4081.JPG']]],
    [
      'by its title alone',
      [
        ['Sommer.jpg', 'something else.json'],
        ['Herbst(1).jpg', 'another(1).json', 'Herbst.jpg'],
      ],
    ],
    [
      'for an image whose title has no extension',
      [
        ['27_06_12 - 2.jpg', '27_06_12 - 2.json', '27/06/12 - 2'],
        ['2234089303984509579.jpg', '2234089303984509579.supplemental-metadata.json', '2234089303984509579'],
        ['2234089303984509579-edited.jpg', '2234089303984509579.supplemental-metadata.json', '2234089303984509579'],
      ],
    ],
    [
      'by a title with entities and characters not allowed in file names',
      [['Ben_s & Anna_.jpg', 'x.json', 'Ben&#39;s &amp; Anna?.jpg']],
    ],
  ])('%s', async (_title, layout) => {
    expect(await matchedSidecars(layout)).toEqual(expectedMatches(layout))
  })

  test('for edited copies in any language, truncated or numbered', async () => {
    const json = {
      'IMG_1.jpg.json': sidecar('IMG_1.jpg', { description: 'one' }),
      'IMG_1.jpg(1).json': sidecar('IMG_1.jpg', { description: 'two' }),
      'IMG_2.HEIC.json': sidecar('IMG_2.HEIC', { description: 'three' }),
      [`${LONG}0098.JPG.su.json`]: sidecar(`${LONG}0098.JPG`, { description: 'four' }),
    }
    const originals = ['IMG_1.jpg', 'IMG_1(1).jpg', 'IMG_2.HEIC', `${LONG}0098.JPG`]
    const edited = [
      'IMG_1-edited.jpg',
      'IMG_1-edited(1).jpg',
      'IMG_1-редактирано.jpg',
      'IMG_1-ha editado(1).jpg',
      'IMG_2-bearbeitet.jpg',
      `${LONG}0098-ha.JPG`,
    ]
    const descriptions = await descriptionsOf([...originals, ...edited], json)
    expect(edited.map((name) => descriptions[name])).toEqual(['one', 'two', 'one', 'two', 'three', 'four'])
  })

  test('for no image with only a similar name', async () => {
    const json = { 'beach.jpg.json': sidecar('beach.jpg', { description: 'other' }) }
    expect(await descriptionsOf(['beach-2.jpg', 'beach(1).jpg', 'beachball.jpg', 'beach.png'], json)).toMatchObject({
      'beach-2.jpg': null,
      'beach(1).jpg': null,
      'beachball.jpg': null,
    })
  })
})

test('an image whose name equals another’s truncated one gets none of its metadata, and isn’t deleted with it', async () => {
  const [own, others] = [`${PHOTOS}/${UUID}_P(1).jpg`, `${PHOTOS}/${UUID}_.json`]
  const more = { description: 'Boats', people: [{ name: 'Ana' }], favorited: true, trashed: true }
  const kind = await open({ [own]: null, [others]: sidecar(`${UUID}_PXL_20220516_164814158.jpg`, more) })
  const facts = { takenAt: null, latitude: null, description: null, isFavorite: false, tags: [] }
  expect(await kind.factsOf(own)).toMatchObject(facts)
})

test('the people whom Google Photos recognised become tags, along with the album', async () => {
  const names = ['Anna', 'Ben &amp; Cleo', 'Anna', 'x'.repeat(5000), 5].map((name) => ({ name }))
  const people = { people: [...names, {}, null] }
  const kind = await open({
    'Takeout/Google Photos/Wien/a.jpg': null,
    'Takeout/Google Photos/Wien/a.jpg.json': sidecar('a.jpg', people),
    'Takeout/Google Photos/Wien/metadata.json': JSON.stringify({ title: 'Wien' }),
    'Takeout/Google Photos/Wien/b.jpg.json': sidecar('b.jpg', people),
  })
  const tags = ['Wien', 'Anna', 'Ben & Cleo', 'x'.repeat(50)]
  expect((await kind.factsOf('Takeout/Google Photos/Wien/a.jpg'))?.tags).toEqual(tags)
  for await (const file of kind.unmatchedSidecars?.() ?? []) expect(file.tags).toEqual(tags)
  expect.assertions(2)
})

test('only the image of a live photo gets its description, so that the video can be merged with it', async () => {
  const place = { geoData: { latitude: 48.2, longitude: 16.37 } }
  const kind = await open({
    [`${PHOTOS}/IMG_1.HEIC`]: null,
    [`${PHOTOS}/IMG_1.MP4`]: null,
    [`${PHOTOS}/IMG_1.HEIC.supplemental-metadata.json`]: sidecar('IMG_1.HEIC', { description: 'Boats', ...place }),
    [`${PHOTOS}/LIVE.MP4`]: null,
    [`${PHOTOS}/LIVE.MP4.metadata.json`]: sidecar('LIVE.jpeg', { description: 'Boats' }),
    [`${PHOTOS}/2(1).heic`]: null,
    [`${PHOTOS}/2(1).mp4`]: null,
    [`${PHOTOS}/2(1).json`]: sidecar('2', { description: 'Boats' }),
    [`${PHOTOS}/3.mp4`]: null,
    [`${PHOTOS}/3.json`]: sidecar('3', { description: 'Boats' }),
  })
  const facts = { takenAt: TAKEN_AT, latitude: 48.2 }
  expect(await kind.factsOf(`${PHOTOS}/IMG_1.HEIC`)).toMatchObject({ ...facts, description: 'Boats' })
  expect(await kind.factsOf(`${PHOTOS}/IMG_1.MP4`)).toMatchObject({ ...facts, description: null })
  expect(await kind.factsOf(`${PHOTOS}/LIVE.MP4`)).toMatchObject({ takenAt: TAKEN_AT, description: null })
  expect(await kind.factsOf(`${PHOTOS}/2(1).heic`)).toMatchObject({ takenAt: TAKEN_AT, description: 'Boats' })
  expect(await kind.factsOf(`${PHOTOS}/2(1).mp4`)).toMatchObject({ takenAt: TAKEN_AT, description: null })
  expect(await kind.factsOf(`${PHOTOS}/3.mp4`)).toMatchObject({ takenAt: TAKEN_AT, description: 'Boats' })
})

test('local times use the time zone of the place, and impossible times are ignored', async () => {
  const names = ['here.jpg', 'nowhere.jpg', 'never.jpg', 'later.jpg']
  const takenTime = (timestamp: string | number) => ({ photoTakenTime: { timestamp } })
  const kind = await open({
    ...Object.fromEntries(names.map((name) => [`${PHOTOS}/${name}`, null])),
    [`${PHOTOS}/here.jpg.json`]: sidecar('here.jpg', { geoDataExif: { latitude: 43.26, longitude: -2.92 } }),
    [`${PHOTOS}/nowhere.jpg.json`]: sidecar('nowhere.jpg', takenTime(TAKEN)),
    [`${PHOTOS}/never.jpg.json`]: sidecar('never.jpg', takenTime('0')),
    [`${PHOTOS}/later.jpg.json`]: sidecar('later.jpg', takenTime('99999999999')),
  })
  const facts = await Promise.all(names.map((name) => kind.factsOf(`${PHOTOS}/${name}`)))
  expect(facts.map((fileFacts) => [fileFacts?.takenAt, fileFacts?.takenLocal])).toEqual([
    [TAKEN_AT, '2017-05-05T16:00:00'],
    [TAKEN_AT, '2017-05-05T14:00:00'],
    [null, null],
    [null, null],
  ])
})

test.each([
  ['метаданни.json', { title: 'Фокус върху един ден' }, 'Фокус върху един ден'],
  ['métadonnées(1).json', { title: 'L&#39;été', description: '', access: 'protected' }, "L'été"],
  ['metadata.json', { albumData: { title: 'Wien', description: '', access: '', date: { timestamp: '0' } } }, 'Wien'],
  ['metadata.json', { title: '', sharedAlbumComments: [{ text: 'Boats' }] }, null],
  ['metadata.json', {}, null],
  ['metadata.json', { albumData: { title: '2019-05-01' } }, null],
  ['print-subscriptions.json', [1, 2], null],
])('reads the name of an album from %s: %j', async (name, json, album) => {
  const folder = 'Takeout/Google Снимки/Без заглавие(15)'
  const kind = await open({
    [`${folder}/1.jpg`]: null,
    [`${folder}/1.jpg.json`]: sidecar('1.jpg'),
    [`${folder}/${name}`]: JSON.stringify(json),
  })
  expect((await kind.factsOf(`${folder}/1.jpg`))?.tags).toEqual(album === null ? [] : [album])
})

test('sidecars of images in another part of the export have the names these may have there', async () => {
  const json = { 'EFFECTS.jpg.supplemental-metadata(16).json': sidecar('EFFECTS.jpg'), 'a.jpg.json': '{"title":' }
  const kind = await open(Object.fromEntries(Object.entries(json).map(([name, text]) => [`${PHOTOS}/${name}`, text])))
  const files: SidecarFile[] = []
  for await (const file of kind.unmatchedSidecars?.() ?? []) files.push(file)
  expect(files).toMatchObject([{ folder: PHOTOS, names: ['EFFECTS(16).jpg'], takenAt: TAKEN_AT }])
})

test.each([
  ['27/06/12 - 2', '27_06_12 - 2'],
  ['Wien 27.06.12', 'Wien 27.06.12'],
])('a title without an extension names images and videos in another part: %s', async (title, stem) => {
  const kind = await open({ [`${PHOTOS}/${stem}(1).json`]: sidecar(title) })
  const names: string[] = []
  for await (const file of kind.unmatchedSidecars?.() ?? []) names.push(...file.names)
  expect(names).toEqual(expect.arrayContaining([`${stem}(1).heic`, `${stem}(1).mp4`]))
})
