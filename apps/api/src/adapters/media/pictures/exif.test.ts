import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type Exif } from 'sharp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readCameraFacts } from './exif.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-exif-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ofCamera: Exif = {
  IFD0: { Make: 'Canon', Model: 'Canon EOS 5D' },
  IFD2: { DateTimeOriginal: '2024:05:03 14:22:11', OffsetTimeOriginal: '+02:00' },
  IFD3: {
    ...{ GPSLatitudeRef: 'N', GPSLatitude: '48/1 12/1 30/1' },
    ...{ GPSLongitudeRef: 'W', GPSLongitude: '16/1 22/1 12/1' },
  },
}

async function pictureOf(format: 'jpeg' | 'png' | 'webp' | 'avif', exif: Exif): Promise<string> {
  const filename = join(folder, `picture.${format}`)
  await sharp({ create: { width: 20, height: 10, channels: 3, background: '#336699' } })
    .withExif(exif)
    .toFormat(format)
    .toFile(filename)
  return filename
}

test.each(['jpeg', 'png', 'webp', 'avif'] as const)(
  'a %s tells when, where and with what it was taken',
  async (format) => {
    const { takenAt, camera, place } = await readCameraFacts(await pictureOf(format, ofCamera), format)
    expect({ takenAt, camera }).toEqual({ takenAt: new Date('2024-05-03T12:22:11Z'), camera: 'Canon EOS 5D' })
    expect(place?.latitude).toBeCloseTo(48.2083, 3)
    expect(place?.longitude).toBeCloseTo(-16.37, 3)
  },
)

test('a clock without a zone is told as it stood, a clock that nobody set is not', async () => {
  const at = async (DateTimeOriginal: string) =>
    (await readCameraFacts(await pictureOf('jpeg', { IFD2: { DateTimeOriginal } }), 'jpeg')).takenAt
  expect(await at('2024:05:03 14:22:11')).toEqual(new Date('2024-05-03T14:22:11Z'))
  for (const unset of ['0000:00:00 00:00:00', '1970:01:01 00:00:00', '2024:13:40 00:00:00', 'yesterday']) {
    expect(await at(unset)).toBeNull()
  }
})

test('the maker is named beside a model that does not name it', async () => {
  const filename = await pictureOf('jpeg', { IFD0: { Make: 'Apple', Model: 'iPhone 15' } })
  expect((await readCameraFacts(filename, 'jpeg')).camera).toBe('Apple iPhone 15')
})

test('a picture without such facts, and a file that is none, tell nothing', async () => {
  const nothing = { takenAt: null, camera: null, place: null, contentIdentifier: null }
  expect(await readCameraFacts(await pictureOf('png', {}), 'png')).toEqual(nothing)
  const junk = join(folder, 'junk')
  await writeFile(junk, Buffer.alloc(5000, 7))
  expect(await readCameraFacts(junk, 'jpeg')).toEqual(nothing)
  expect(await readCameraFacts(junk, 'tiff')).toEqual(nothing)
})
