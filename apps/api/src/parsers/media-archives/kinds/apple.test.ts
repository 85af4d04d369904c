import { expect, test } from 'vitest'
import { type MediaArchiveKind, noFacts } from '../media-archives.ts'
import { openApple } from './apple.ts'

/** Opens an export with these texts; the other files exist without readable text. */
function exported(texts: Record<string, string>, ...files: string[]): Promise<MediaArchiveKind> {
  const names = [...Object.keys(texts), ...files]
  return openApple({ names, textOf: async (name) => texts[name] ?? null })
}

const HEAD = 'imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate'
const WHEN = '"Friday May 5,2017 2:00 PM GMT",3,"Friday May 5,2017 2:01 PM GMT"'
const TAKEN = '2017-05-05T14:00:00.000Z'
const PART_1 = 'iCloud Photos Part 1 of 2'
const PART_2 = 'iCloud Photos Part 2 of 2'

test('takes no albums from the lists of favourites and hidden photos', async () => {
  const kind = await exported({
    [`${PART_1}/Photos/Photo Details.csv`]: `${HEAD}\r\nIMG_1.JPG,a,yes,yes,no,${WHEN}\r\n`,
    [`${PART_2}/Photos/Photo Details.csv`]: `${HEAD}\r\nIMG_1.JPG,b,no,no,no,${WHEN}\r\n`,
    [`${PART_1}/Albums/Favorites.csv`]: 'imgName\r\nIMG_1.JPG\r\nIMG_2.JPG\r\n',
    [`${PART_1}/Albums/Hidden.csv`]: 'imgName\r\nIMG_1.JPG\r\n',
    [`${PART_1}/Albums/Boats.csv`]: 'Images\r\nIMG_1.JPG\r\n',
  })
  const facts = await kind.factsOf(`${PART_1}/Photos/IMG_1.JPG`)
  expect(facts).toMatchObject({ tags: ['Boats'], isFavorite: true, takenAt: TAKEN })
  // another photo may have the same name; the list counts only when no table has the photo
  expect(await kind.factsOf(`${PART_2}/Photos/IMG_1.JPG`)).toMatchObject({ isFavorite: false })
  expect(await kind.factsOf(`${PART_1}/Photos/IMG_2.JPG`)).toMatchObject({ isFavorite: true, tags: [] })
})

test('skips deleted photos, including the video of a live photo without a row of its own', async () => {
  const kind = await exported(
    {
      [`${PART_1}/Photos/Photo Details.csv`]: `${HEAD}\nIMG_1.HEIC,a,no,no,yes,${WHEN}\nIMG_2.HEIC,a,no,no,no,${WHEN}`,
    },
    `${PART_1}/Recently Deleted/IMG_9.JPG`,
  )
  expect(await kind.factsOf(`${PART_1}/Photos/IMG_1.HEIC`)).toBeNull()
  expect(await kind.factsOf(`${PART_1}/Photos/IMG_1.MOV`)).toBeNull()
  expect(await kind.factsOf(`${PART_1}/Recently Deleted/IMG_9.JPG`)).toBeNull()
  expect(await kind.factsOf(`${PART_1}/Photos/IMG_2.MOV`)).toMatchObject({ takenAt: TAKEN })
})

test('uses the table in the photo’s folder, or without one the only table that names it', async () => {
  const kind = await exported({
    [`${PART_1}/Photos/Photo Details.csv`]: `${HEAD}\nIMG_1.JPG,a,yes,no,no,${WHEN}\nIMG_2.JPG,a,no,no,no,${WHEN}`,
    [`${PART_2}/Photos/Photo Details-1.csv`]: `${HEAD}\nIMG_2.JPG,a,no,no,no,${WHEN}`,
  })
  expect(await kind.factsOf(`${PART_2}/Photos/IMG_1.JPG`)).toEqual(noFacts)
  expect(await kind.factsOf('unpacked/IMG_1.JPG')).toMatchObject({ isFavorite: true, takenAt: TAKEN })
  expect(await kind.factsOf('unpacked/IMG_2.JPG')).toEqual(noFacts)
})

test('matches names with composed and decomposed accents', async () => {
  const folder = `${PART_1}/Vollmondnächte`
  const kind = await exported(
    {
      [`${folder.normalize('NFD')}/Photo Details.csv`]: `${HEAD}\nGrüße.HEIC,a,yes,no,no,${WHEN}`,
      [`${PART_1}/Albums/Boats.csv`]: 'Images\nGrüße.HEIC\n',
      [`${folder.normalize('NFD')}/Grüße.xmp`]: xmp('', 'dc:title="Boat"'),
    },
    `${folder}/Grüße.HEIC`.normalize('NFD'),
  )
  const expected = { takenAt: TAKEN, isFavorite: true, tags: ['Boats'], description: 'Boat' }
  expect(await kind.factsOf(`${folder}/Grüße.HEIC`.normalize('NFD'))).toMatchObject(expected)
})

const xmp = (inside: string, attributes = '') =>
  `<?xpacket begin="\ufeff"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description rdf:about="" ${attributes}>${inside}</rdf:Description></rdf:RDF></x:xmpmeta>`

test('reads the XMP sidecars of a Photos export, for a live photo only once', async () => {
  const folder = 'Export/Vienna, 4 July'
  const kind = await exported(
    {
      [`${folder}/IMG_1.xmp`]: xmp(`
        <exif:GPSLongitude>16,22.2E</exif:GPSLongitude> <exif:GPSLatitude>48,12N</exif:GPSLatitude>
        <photoshop:DateCreated>2024-07-04T17:00:00+02:00</photoshop:DateCreated>
        <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Café Sperl</rdf:li></rdf:Alt></dc:title>
        <dc:description><rdf:Alt><rdf:li xml:lang="x-default">Rain &amp; cake</rdf:li></rdf:Alt></dc:description>
        <dc:subject><rdf:Seq><rdf:li>Wien</rdf:li> <rdf:li>Anna</rdf:li></rdf:Seq></dc:subject>`),
      [`${folder}/clip.mov.xmp`]: xmp(
        '<dc:description/>',
        'exif:GPSLatitude="33.5" exif:GPSLatitudeRef="South" exif:GPSLongitude="70,30,36W" xmp:CreateDate="2020-01-02T03:04:05"',
      ),
      [`${folder}/cut.xmp`]: '<x:xmpmeta><rdf:RDF><rdf:Description><dc:title><rdf:Alt><rdf:li>Half',
    },
    `${folder}/IMG_1.HEIC`,
    `${folder}/IMG_1.MOV`,
  )
  expect(await kind.factsOf(`${folder}/IMG_1.HEIC`)).toEqual({
    ...{ takenAt: '2024-07-04T15:00:00.000Z', takenLocal: '2024-07-04T17:00:00' },
    ...{ latitude: 48.2, longitude: 16.37, isFavorite: false },
    ...{ description: 'Café Sperl\nRain & cake', tags: ['Wien', 'Anna'] },
  })
  expect(await kind.factsOf(`${folder}/IMG_1.MOV`)).toEqual(noFacts)
  expect(await kind.factsOf(`${folder}/clip.mov`)).toEqual({
    ...{ takenAt: '2020-01-02T06:04:05.000Z', takenLocal: '2020-01-02T03:04:05' },
    ...{ latitude: -33.5, longitude: -70.51, isFavorite: false, description: null, tags: [] },
  })
  expect(await kind.factsOf(`${folder}/cut.jpg`)).toMatchObject({ takenAt: null, latitude: null })
})
