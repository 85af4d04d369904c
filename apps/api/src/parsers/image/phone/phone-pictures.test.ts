import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { jxlWithCompressedXmp, jxlWithXmp, phonePicture, tiledHeic } from '../../../../test/phone-pictures.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { writeArw, writeCr2, writeCr3, writeDng, writeNef } from '../../../../test/raw-files.ts'
import { readCameraFacts } from '../picture-metadata.ts'
import { createImages } from '../picture-reader.ts'
import { createPixels } from '../pixels.ts'

const images = createImages()
const folder = mkdtempSync(join(tmpdir(), 'mira-phone-pictures-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let fileCount = 0
function storeFile(content: Buffer): string {
  const filename = join(folder, String(fileCount++))
  writeFileSync(filename, content)
  return filename
}

const RED = 'red'
const BLUE = 'blue'
/** Colours at the four edges of a picture: top, right, bottom, left. */
async function edgesOf(picture: Buffer): Promise<string[]> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const colourAt = (x: number, y: number) => {
    const offset = (Math.floor(y * (info.height - 1)) * info.width + Math.floor(x * (info.width - 1))) * info.channels
    const [red = 0, green = 0, blue = 0] = data.subarray(offset, offset + 3)
    if (red > 150 && green < 90 && blue < 90) return RED
    return blue > 150 && red < 90 && green < 110 ? BLUE : `${red} ${green} ${blue}`
  }
  const inside = 0.15
  return [colourAt(0.5, inside), colourAt(1 - inside, 0.5), colourAt(0.5, 1 - inside), colourAt(inside, 0.5)]
}

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it was read',
    ({ status, code, message }) => [status, code, message],
  )

/** Red on the left, blue on the right. */
const twoColours = async (width = 64, height = 48) => {
  const leftHalf = await plainImage({ width: width / 2, height, colour: '#cc2211', format: 'png' })
  return sharp({ create: { width, height, channels: 3, background: '#1133cc' } })
    .composite([{ input: leftHalf, left: 0, top: 0 }])
    .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
    .toBuffer()
}

describe('images of phones', () => {
  test.each([
    ['phone.heic', 'heic', 'image/heic'],
    ['av1.heif', 'avif', 'image/avif'],
    ['phone.jxl', 'jxl', 'image/jxl'],
    ['plain.jxl', 'jxl', 'image/jxl'],
  ] as const)('%s is read and shown', async (name, format, contentType) => {
    const file = phonePicture(name)
    const info = { format, contentType, extension: format, width: 64, height: 48 }
    for (const source of [file, storeFile(file)]) expect(await images.readImage(source)).toEqual(info)
    const preview = await images.shrinkForModel(storeFile(file))
    expect(preview).toMatchObject({ contentType: 'image/jpeg', width: 64, height: 48 })
    const thumbnail = await images.thumbnail(file)
    expect(thumbnail).toMatchObject({ contentType: 'image/webp', width: 64, height: 48 })
    for (const { data } of [preview, thumbnail]) {
      expect((await edgesOf(data)).filter((_, edge) => edge % 2 === 1)).toEqual([BLUE, RED])
    }
  })

  test('are rotated as the container says, and not again for EXIF', async () => {
    const turned = phonePicture('turned.heic')
    expect(await images.readImage(turned)).toMatchObject({ width: 48, height: 64 })
    const { data, width, height } = await images.shrinkForModel(turned)
    expect([width, height]).toEqual([48, 64])
    const [top, , bottom] = await edgesOf(data)
    expect([top, bottom]).toEqual([RED, BLUE])
  })

  test('show the first image of a sequence', async () => {
    expect(await images.readImage(phonePicture('sequence.heic'))).toMatchObject({
      format: 'heic',
      width: 64,
      height: 48,
    })
    expect(await edgesOf((await images.thumbnail(phonePicture('sequence.heic'))).data)).toEqual([RED, RED, RED, RED])
  })

  test('show the first frame of an animated AVIF', async () => {
    expect(await images.readImage(phonePicture('moving.avif'))).toMatchObject({ format: 'avif', width: 24, height: 16 })
    expect(await edgesOf((await images.shrinkForModel(phonePicture('moving.avif'))).data)).toEqual([RED, RED, RED, RED])
  })

  test('have the time, camera and place', async () => {
    const facts = {
      takenTime: { at: new Date('2024-05-17T16:42:10Z'), local: expect.any(String) },
      words: {},
      camera: 'Apple iPhone 14 Pro',
      place: { latitude: expect.closeTo(48.8584, 4), longitude: expect.closeTo(2.2945, 4) },
      contentIdentifier: null,
    }
    expect(await readCameraFacts(storeFile(phonePicture('phone.heic')), 'heic')).toEqual(facts)
    expect(await readCameraFacts(storeFile(phonePicture('phone.jxl')), 'jxl')).toEqual(facts)
    const nothing = { takenTime: null, camera: null, place: null, words: {}, contentIdentifier: null }
    expect(await readCameraFacts(storeFile(phonePicture('plain.jxl')), 'jxl')).toEqual(nothing)
    expect(await readCameraFacts(storeFile(phonePicture('sequence.heic')), 'heic')).toEqual(nothing)
  })

  test('have the title and place that another program added', async () => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description exif:GPSLatitude="48,12N" exif:GPSLongitude="16,22.2E"><dc:title><rdf:Alt><rdf:li>The fair</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`
    const words = { title: 'The fair' }
    const place = { latitude: expect.closeTo(48.2, 4), longitude: expect.closeTo(16.37, 4) }
    expect(await readCameraFacts(storeFile(tiledHeic(xmp)), 'heic')).toMatchObject({
      words,
      camera: 'Apple iPhone 14 Pro',
    })
    expect(await readCameraFacts(storeFile(jxlWithXmp(xmp)), 'jxl')).toMatchObject({ words })
    const raw = writeDng({ jpeg: await twoColours(), xmp })
    expect(await readCameraFacts(storeFile(raw), 'dng')).toMatchObject({ words, place })
  })

  test.each([
    ['broken', Buffer.from('not compressed')],
    ['too large', brotliCompressSync(Buffer.alloc(1_200_000))],
  ])('keep the camera’s metadata of a JPEG XL when its XMP is %s', async (_name, xmp) => {
    const facts = await readCameraFacts(storeFile(phonePicture('phone.jxl')), 'jxl')
    expect(facts.camera).not.toBeNull()
    expect(await readCameraFacts(storeFile(jxlWithCompressedXmp(xmp)), 'jxl')).toEqual(facts)
  })

  test.each([
    ['broken', '<x:xmpmeta <rdf:RDF </rdf:li>&#x'],
    ['too short', '<x'],
    ['too large', 'x'.repeat(1_200_000)],
  ])('keep the camera’s metadata of a HEIC when its XMP is %s', async (_name, xmp) => {
    const facts = await readCameraFacts(storeFile(phonePicture('phone.heic')), 'heic')
    expect(await readCameraFacts(storeFile(tiledHeic(xmp)), 'heic')).toEqual(facts)
  })

  test('are decoded to pixels for effects', async () => {
    const { width, height, data, isOpaque } = await createPixels().decode(storeFile(phonePicture('turned.heic')))
    expect([width, height, isOpaque, data.length]).toEqual([48, 64, true, 48 * 64 * 4])
  })

  test('keep time and camera when an effect is applied, but not the place', async () => {
    for (const name of ['phone.heic', 'phone.jxl'] as const) {
      const { exif } = await createPixels().decode(storeFile(phonePicture(name)))
      expect(exif).toMatchObject({
        IFD0: { Make: 'Apple', Model: 'iPhone 14 Pro' },
        IFD2: { DateTimeOriginal: expect.stringContaining('2024:05:17') },
      })
      expect(JSON.stringify(exif)).not.toContain('GPS')
    }
    const raw = storeFile(writeCr3({ jpeg: await twoColours() }))
    expect((await createPixels().decode(raw)).exif).toMatchObject({ IFD0: { Model: 'Canon EOS R5' } })
  })
})

describe('RAW files', () => {
  test.each([
    ['dng', writeDng, 'Leica Q3'],
    ['cr2', writeCr2, 'Canon EOS 90D'],
    ['cr3', writeCr3, 'Canon EOS R5'],
    ['nef', writeNef, 'NIKON Z 8'],
    ['arw', writeArw, 'SONY ILCE-7M4'],
  ] as const)('show the embedded preview of %s', async (format, write, camera) => {
    const file = write({ jpeg: await twoColours(), orientation: 6 })
    const info = { format, extension: format, width: 48, height: 64 }
    for (const source of [file, storeFile(file)]) expect(await images.readImage(source)).toMatchObject(info)
    const { data, width, height } = await images.shrinkForModel(storeFile(file))
    expect([width, height]).toEqual([48, 64])
    const [top, , bottom] = await edgesOf(data)
    expect([top, bottom]).toEqual([RED, BLUE])
    const takenAt = new Date('2023-10-01T07:30:00Z')
    expect(await readCameraFacts(storeFile(file), format)).toEqual({
      takenTime: { at: takenAt, local: expect.any(String) },
      words: {},
      camera,
      place: null,
      contentIdentifier: null,
    })
  })

  test('don’t rotate a preview that has its own orientation', async () => {
    const jpeg = await sharp(await twoColours())
      .withMetadata({ orientation: 1 })
      .jpeg()
      .toBuffer()
    expect(await images.readImage(writeNef({ jpeg, orientation: 6 }))).toMatchObject({ width: 64, height: 48 })
  })

  test('don’t include a plain TIFF', async () => {
    expect(await images.readImage(await plainImage({ format: 'tiff' }))).toMatchObject({ format: 'tiff' })
  })
})

describe('refuses with a reason', () => {
  const damaged = [422, 'damaged_image', 'This picture is damaged: it can’t be decoded.']

  test.each(['words.heic', 'phone.jxl', 'moving.avif'] as const)('half of %s', async (name) => {
    const file = phonePicture(name)
    expect(await refusalOf(images.shrinkForModel(file.subarray(0, file.length / 2)))).toEqual(damaged)
    expect(await refusalOf(createPixels().decode(storeFile(file.subarray(0, file.length / 2))))).toEqual(damaged)
  })

  test('a tiled image whose last tiles are missing', async () => {
    const file = tiledHeic('')
    expect(await images.shrinkForModel(file)).toMatchObject({ width: 640, height: 320 })
    expect(await refusalOf(images.shrinkForModel(file.subarray(0, file.length * 0.9)))).toEqual(damaged)
  })

  test('an image with too many pixels, before decoding any', async () => {
    const heic = Buffer.from(phonePicture('phone.heic'))
    for (let offset = heic.indexOf('ispe'); offset >= 0; offset = heic.indexOf('ispe', offset + 4)) {
      heic.writeUInt32BE(30_000, offset + 8)
      heic.writeUInt32BE(30_000, offset + 12)
    }
    const refusal = [413, 'too_many_pixels', expect.stringContaining('megapixels')]
    expect(await refusalOf(images.readImage(phonePicture('phone.jxl'), { maxPixels: 64 * 48 - 1 }))).toEqual(refusal)
    expect(await refusalOf(images.shrinkForModel(phonePicture('phone.heic'), { maxPixels: 3071 }))).toEqual(refusal)
    const [status] = (await refusalOf(images.shrinkForModel(heic))) as [number]
    expect([413, 422]).toContain(status)
    const raw = writeDng({ jpeg: await twoColours() })
    expect(await refusalOf(images.readImage(raw, { maxPixels: 64 * 48 - 1 }))).toEqual(refusal)
  })

  test('a RAW file without a preview', async () => {
    const refusal = [
      422,
      'no_preview',
      'This picture has no preview that can be shown. Export it as JPEG and add that.',
    ]
    expect(await refusalOf(images.readImage(writeDng({ jpeg: null })))).toEqual(refusal)
    expect(await refusalOf(createPixels().decode(storeFile(writeDng({ jpeg: null }))))).toEqual(refusal)
  })

  test('a RAW file that is shorter than it claims', async () => {
    const file = writeDng({ jpeg: await twoColours(), claimedBytes: 4_000_000_000 })
    const refusal = [422, 'damaged_image', expect.stringContaining('ends before the picture in it does')]
    expect(await refusalOf(images.readImage(file))).toEqual(refusal)
    const truncated = writeNef({ jpeg: await twoColours() })
    expect(await refusalOf(images.readImage(truncated.subarray(0, truncated.length - 900)))).toEqual(refusal)
  })

  test('files with a few changed bytes, unless they’re still readable', async () => {
    const jpeg = await twoColours()
    const originals = [
      phonePicture('phone.heic'),
      phonePicture('sequence.heic'),
      phonePicture('plain.jxl'),
      writeCr3({ jpeg }),
      writeDng({ jpeg }),
    ]
    let seed = 11
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    for (const file of originals) {
      for (let round = 0; round < 8; round++) {
        const changed = Buffer.from(file)
        for (let change = 0; change < 6; change++) changed[Math.floor(random() * changed.length)] = random() * 256
        const outcome = await refusalOf(images.thumbnail(changed))
        if (outcome !== 'it was read') expect([413, 415, 422]).toContain((outcome as unknown[])[0])
      }
    }
  }, 60_000)
})
