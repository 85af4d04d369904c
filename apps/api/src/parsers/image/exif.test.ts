import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type Exif } from 'sharp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readCameraFacts } from './picture-metadata.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-exif-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const cameraExif: Exif = {
  IFD0: { Make: 'Canon', Model: 'Canon EOS 5D' },
  IFD2: { DateTimeOriginal: '2024:05:03 14:22:11', OffsetTimeOriginal: '+02:00' },
  IFD3: {
    ...{ GPSLatitudeRef: 'N', GPSLatitude: '48/1 12/1 30/1' },
    ...{ GPSLongitudeRef: 'W', GPSLongitude: '16/1 22/1 12/1' },
  },
}

async function writeImage(format: 'jpeg' | 'png' | 'webp' | 'avif', exif: Exif): Promise<string> {
  const filename = join(folder, `picture.${format}`)
  await sharp({ create: { width: 20, height: 10, channels: 3, background: '#336699' } })
    .withExif(exif)
    .toFormat(format)
    .toFile(filename)
  return filename
}

test.each(['jpeg', 'png', 'webp', 'avif'] as const)('reads time, place and camera of a %s', async (format) => {
  const { takenTime, camera, place } = await readCameraFacts(await writeImage(format, cameraExif), format)
  expect({ takenTime, camera }).toEqual({
    takenTime: { at: new Date('2024-05-03T12:22:11Z'), local: '2024-05-03T14:22:11' },
    camera: 'Canon EOS 5D',
  })
  expect(place?.latitude).toBeCloseTo(48.2083, 3)
  expect(place?.longitude).toBeCloseTo(-16.37, 3)
})

/** Writes a TIFF with the EXIF tags of a camera and with its directory after everything else, as libtiff does. */
async function tiffWith(exif: Exif, width: number): Promise<string> {
  const block = (await sharp(await writeImage('jpeg', exif)).metadata()).exif?.subarray(6) ?? Buffer.alloc(0)
  const pixels = sharp({ create: { width, height: 600, channels: 3, background: '#336699' } })
  const tiff = await pixels.tiff({ compression: 'none' }).toBuffer()
  expect([tiff, block].map((file) => file.toString('latin1', 0, 2))).toEqual(['II', 'II'])
  const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8]
  const isFolder = (row: Buffer) => [0x8769, 0x8825].includes(row.readUInt16LE(0))
  const rowsOf = (from: Buffer, position: number, moved: number): Buffer[] =>
    Array.from({ length: from.readUInt16LE(position) }, (_, index) => {
      const row = Buffer.from(from.subarray(position + 2 + index * 12, position + 14 + index * 12))
      const bytes = row.readUInt32LE(4) * (typeBytes[row.readUInt16LE(2)] ?? 0)
      if (bytes > 4 || isFolder(row)) row.writeUInt32LE(row.readUInt32LE(8) + moved, 8)
      return row
    })
  const camera = Buffer.from(block)
  const ownRows = rowsOf(block, block.readUInt32LE(4), tiff.length)
  for (const row of ownRows.filter(isFolder)) {
    const position = row.readUInt32LE(8) - tiff.length
    Buffer.concat(rowsOf(block, position, tiff.length)).copy(camera, position + 2)
  }
  const byTag = new Map([...ownRows, ...rowsOf(tiff, tiff.readUInt32LE(4), 0)].map((row) => [row.readUInt16LE(0), row]))
  const rows = [...byTag].toSorted(([one], [other]) => one - other).map(([, row]) => row)
  const count = Buffer.alloc(2)
  count.writeUInt16LE(rows.length)
  tiff.writeUInt32LE(tiff.length + camera.length, 4)
  const filename = join(folder, 'picture.tif')
  await writeFile(filename, Buffer.concat([tiff, camera, count, ...rows, Buffer.alloc(4)]))
  expect((await sharp(filename).metadata()).width).toBe(width)
  return filename
}

test('reads time, place and camera of a large TIFF whose directory follows the pixels', async () => {
  const filename = await tiffWith(cameraExif, 1000)
  const { takenTime, camera, place } = await readCameraFacts(filename, 'tiff')
  expect({ camera, local: takenTime?.local }).toEqual({ camera: 'Canon EOS 5D', local: '2024-05-03T14:22:11' })
  expect(place?.latitude).toBeCloseTo(48.2083, 3)
  expect(place?.longitude).toBeCloseTo(-16.37, 3)
})

test('reads a time without a zone as it is, and ignores that of an unset clock', async () => {
  const takenAt = async (DateTimeOriginal: string) =>
    (await readCameraFacts(await writeImage('jpeg', { IFD2: { DateTimeOriginal } }), 'jpeg')).takenTime?.at ?? null
  expect(await takenAt('2024:05:03 14:22:11')).toEqual(new Date('2024-05-03T14:22:11Z'))
  for (const unset of ['0000:00:00 00:00:00', '1970:01:01 00:00:00', '2024:13:40 00:00:00', 'yesterday']) {
    expect(await takenAt(unset)).toBeNull()
  }
})

test('adds the maker to a model that doesn’t name it', async () => {
  const filename = await writeImage('jpeg', { IFD0: { Make: 'Apple', Model: 'iPhone 15' } })
  expect((await readCameraFacts(filename, 'jpeg')).camera).toBe('Apple iPhone 15')
})

test('returns nothing for an image without metadata and a file that isn’t an image', async () => {
  const nothing = { takenTime: null, camera: null, place: null, words: {}, contentIdentifier: null }
  expect(await readCameraFacts(await writeImage('png', {}), 'png')).toEqual(nothing)
  const junk = join(folder, 'junk')
  await writeFile(junk, Buffer.alloc(5000, 7))
  expect(await readCameraFacts(junk, 'jpeg')).toEqual(nothing)
  expect(await readCameraFacts(junk, 'tiff')).toEqual(nothing)
})

test('skips an invalid original time, and doesn’t use the zone of an edit', async () => {
  const takenAt = async (exif: Exif) => (await readCameraFacts(await writeImage('jpeg', exif), 'jpeg')).takenTime?.at
  for (const DateTimeOriginal of ['0000:00:00 00:00:00', '    :  :     :  :  ', '2999:01:01 00:00:00']) {
    const exif = {
      IFD0: { DateTime: '2012:01:01 00:00:00' },
      IFD2: { DateTimeOriginal, DateTimeDigitized: '2007:02:19 14:20:11' },
    }
    expect(await takenAt(exif)).toEqual(new Date('2007-02-19T14:20:11Z'))
  }
  const edited = {
    IFD0: { DateTime: '2024:12:01 09:00:00' },
    IFD2: { DateTimeOriginal: '2024:06:01 12:00:00', OffsetTime: '-08:00' },
  }
  expect(await takenAt(edited)).toEqual(new Date('2024-06-01T12:00:00Z'))
})

test('reads title, keywords and people from XMP, and its date when EXIF has none', async () => {
  const filename = join(folder, 'words.jpg')
  const properties = `<dc:title><rdf:Alt><rdf:li>The fair</rdf:li></rdf:Alt></dc:title>
    <dc:subject><rdf:Bag><rdf:li>marmalade</rdf:li><rdf:li>plums</rdf:li></rdf:Bag></dc:subject>
    <Iptc4xmpExt:PersonInImage><rdf:Bag><rdf:li>Petronella</rdf:li></rdf:Bag></Iptc4xmpExt:PersonInImage>
    <photoshop:DateCreated>2011-06-05T11:00:00</photoshop:DateCreated>`
  await sharp({ create: { width: 20, height: 10, channels: 3, background: '#336699' } })
    .withXmp(
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description>${properties}</rdf:Description></rdf:RDF></x:xmpmeta>`,
    )
    .jpeg()
    .toFile(filename)
  const { words, takenTime } = await readCameraFacts(filename, 'jpeg')
  expect(words).toEqual({ title: 'The fair', keywords: 'marmalade, plums', people: 'Petronella' })
  expect(takenTime?.local).toBe('2011-06-05T11:00:00')
})

test.each([
  ['not a TIFF', 'written by nobody knows what'],
  ['another kind of TIFF', 'II+\0\x08\0\0\0\0\0\0\0\0\0'],
])('reads XMP next to EXIF that is %s', async (_name, block) => {
  const filename = join(folder, 'broken.jpg')
  const picture = await sharp(await writeImage('jpeg', {}))
    .withXmp(
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description photoshop:DateCreated="2011-06-05T11:00:00"/></rdf:RDF></x:xmpmeta>`,
    )
    .toBuffer()
  const marker = Buffer.from([0xff, 0xe1, 0, block.length + 8])
  const segment = Buffer.concat([marker, Buffer.from(`Exif\0\0${block}`, 'latin1')])
  await writeFile(filename, Buffer.concat([picture.subarray(0, 2), segment, picture.subarray(2)]))
  expect((await readCameraFacts(filename, 'jpeg')).takenTime?.local).toBe('2011-06-05T11:00:00')
})

test('prefers the creation time of an old Photoshop to the time of the last change', async () => {
  const filename = join(folder, 'edited.jpg')
  const description = `<rdf:Description xmlns:xap="http://ns.adobe.com/xap/1.0/" xap:CreateDate="2005-09-07T15:07:40-07:00"/>`
  await sharp({ create: { width: 20, height: 10, channels: 3, background: '#336699' } })
    .withExif({ IFD0: { DateTime: '2006:04:10 13:37:10' } })
    .withXmp(
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${description}</rdf:RDF></x:xmpmeta>`,
    )
    .jpeg()
    .toFile(filename)
  expect((await readCameraFacts(filename, 'jpeg')).takenTime).toEqual({
    at: new Date('2005-09-07T22:07:40Z'),
    local: '2005-09-07T15:07:40',
  })
})

test('ignores descriptions that cameras and programs write into every image', async () => {
  const genericDescriptions = [
    'SANYO DIGITAL CAMERA',
    'DCF 1.0',
    '<Digimax i50 MP3, Samsung #1 MP3>',
    'Untitled',
    'Created with GIMP',
  ]
  for (const ImageDescription of genericDescriptions) {
    const filename = await writeImage('jpeg', { IFD0: { ImageDescription } })
    expect((await readCameraFacts(filename, 'jpeg')).words).toEqual({})
  }
  for (const description of ['My first digital camera', 'Samsung Town, 1999']) {
    const filename = await writeImage('jpeg', { IFD0: { ImageDescription: description } })
    expect((await readCameraFacts(filename, 'jpeg')).words).toEqual({ description })
  }
})
