import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { jxlWithCompressedXmp, jxlWithXmp, phonePicture, tiledHeic } from '../../../../test/phone-pictures.ts'
import { plainPicture } from '../../../../test/pictures.ts'
import { writeArw, writeCr2, writeCr3, writeDng, writeNef } from '../../../../test/raw-files.ts'
import { readCameraFacts } from '../picture-metadata.ts'
import { createImages } from '../picture-reader.ts'
import { createPixels } from '../pixels.ts'

const images = createImages()
const folder = mkdtempSync(join(tmpdir(), 'mira-phone-pictures-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function stored(content: Buffer): string {
  const filename = join(folder, String(files++))
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
  const leftHalf = await plainPicture({ width: width / 2, height, colour: '#cc2211', format: 'png' })
  return sharp({ create: { width, height, channels: 3, background: '#1133cc' } })
    .composite([{ input: leftHalf, left: 0, top: 0 }])
    .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
    .toBuffer()
}

describe('what phones save is shown', () => {
  test.each([
    ['phone.heic', 'heic', 'image/heic'],
    ['av1.heif', 'avif', 'image/avif'],
    ['phone.jxl', 'jxl', 'image/jxl'],
    ['plain.jxl', 'jxl', 'image/jxl'],
  ] as const)('%s', async (name, format, contentType) => {
    const file = phonePicture(name)
    const info = { format, contentType, extension: format, width: 64, height: 48 }
    for (const source of [file, stored(file)]) expect(await images.readImage(source)).toEqual(info)
    const preview = await images.shrinkForModel(stored(file))
    expect(preview).toMatchObject({ contentType: 'image/jpeg', width: 64, height: 48 })
    const thumbnail = await images.thumbnail(file)
    expect(thumbnail).toMatchObject({ contentType: 'image/webp', width: 64, height: 48 })
    for (const { data } of [preview, thumbnail]) {
      expect((await edgesOf(data)).filter((_, edge) => edge % 2 === 1)).toEqual([BLUE, RED])
    }
  })

  test('upright, as the file says that it lies, and not once more for what the camera says', async () => {
    const turned = phonePicture('turned.heic')
    expect(await images.readImage(turned)).toMatchObject({ width: 48, height: 64 })
    const { data, width, height } = await images.shrinkForModel(turned)
    expect([width, height]).toEqual([48, 64])
    const [top, , bottom] = await edgesOf(data)
    expect([top, bottom]).toEqual([RED, BLUE])
  })

  test('of a sequence, its first picture', async () => {
    expect(await images.readImage(phonePicture('sequence.heic'))).toMatchObject({
      format: 'heic',
      width: 64,
      height: 48,
    })
    expect(await edgesOf((await images.thumbnail(phonePicture('sequence.heic'))).data)).toEqual([RED, RED, RED, RED])
  })

  test('of a moving AVIF, its first picture', async () => {
    expect(await images.readImage(phonePicture('moving.avif'))).toMatchObject({ format: 'avif', width: 24, height: 16 })
    expect(await edgesOf((await images.shrinkForModel(phonePicture('moving.avif'))).data)).toEqual([RED, RED, RED, RED])
  })

  test('with when, by what and where it was taken', async () => {
    const facts = {
      takenTime: { at: new Date('2024-05-17T16:42:10Z'), local: expect.any(String) },
      words: {},
      camera: 'Apple iPhone 14 Pro',
      place: { latitude: expect.closeTo(48.8584, 4), longitude: expect.closeTo(2.2945, 4) },
      contentIdentifier: null,
    }
    expect(await readCameraFacts(stored(phonePicture('phone.heic')), 'heic')).toEqual(facts)
    expect(await readCameraFacts(stored(phonePicture('phone.jxl')), 'jxl')).toEqual(facts)
    const nothing = { takenTime: null, camera: null, place: null, words: {}, contentIdentifier: null }
    expect(await readCameraFacts(stored(phonePicture('plain.jxl')), 'jxl')).toEqual(nothing)
    expect(await readCameraFacts(stored(phonePicture('sequence.heic')), 'heic')).toEqual(nothing)
  })

  test('with the words and the place that another program added', async () => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description exif:GPSLatitude="48,12N" exif:GPSLongitude="16,22.2E"><dc:title><rdf:Alt><rdf:li>The fair</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`
    const words = { title: 'The fair' }
    const place = { latitude: expect.closeTo(48.2, 4), longitude: expect.closeTo(16.37, 4) }
    expect(await readCameraFacts(stored(tiledHeic(xmp)), 'heic')).toMatchObject({
      words,
      camera: 'Apple iPhone 14 Pro',
    })
    expect(await readCameraFacts(stored(jxlWithXmp(xmp)), 'jxl')).toMatchObject({ words })
    const raw = writeDng({ jpeg: await twoColours(), xmp })
    expect(await readCameraFacts(stored(raw), 'dng')).toMatchObject({ words, place })
  })

  test.each([
    ['broken', Buffer.from('not compressed')],
    ['too large', brotliCompressSync(Buffer.alloc(1_200_000))],
  ])('with what the camera says, though other words are %s', async (_name, xmp) => {
    const facts = await readCameraFacts(stored(phonePicture('phone.jxl')), 'jxl')
    expect(facts.camera).not.toBeNull()
    expect(await readCameraFacts(stored(jxlWithCompressedXmp(xmp)), 'jxl')).toEqual(facts)
  })

  test.each([
    ['broken', '<x:xmpmeta <rdf:RDF </rdf:li>&#x'],
    ['too short', '<x'],
    ['too large', 'x'.repeat(1_200_000)],
  ])('in HEIC with what the camera says, though other words are %s', async (_name, xmp) => {
    const facts = await readCameraFacts(stored(phonePicture('phone.heic')), 'heic')
    expect(await readCameraFacts(stored(tiledHeic(xmp)), 'heic')).toEqual(facts)
  })

  test('as pixels for effects', async () => {
    const { width, height, data, isOpaque } = await createPixels().decode(stored(phonePicture('turned.heic')))
    expect([width, height, isOpaque, data.length]).toEqual([48, 64, true, 48 * 64 * 4])
  })
})

describe('the picture that a camera puts into its RAW file is shown', () => {
  test.each([
    ['dng', writeDng, 'Leica Q3'],
    ['cr2', writeCr2, 'Canon EOS 90D'],
    ['cr3', writeCr3, 'Canon EOS R5'],
    ['nef', writeNef, 'NIKON Z 8'],
    ['arw', writeArw, 'SONY ILCE-7M4'],
  ] as const)('%s', async (format, write, camera) => {
    const file = write({ jpeg: await twoColours(), orientation: 6 })
    const info = { format, extension: format, width: 48, height: 64 }
    for (const source of [file, stored(file)]) expect(await images.readImage(source)).toMatchObject(info)
    const { data, width, height } = await images.shrinkForModel(stored(file))
    expect([width, height]).toEqual([48, 64])
    const [top, , bottom] = await edgesOf(data)
    expect([top, bottom]).toEqual([RED, BLUE])
    const takenAt = new Date('2023-10-01T07:30:00Z')
    expect(await readCameraFacts(stored(file), format)).toEqual({
      takenTime: { at: takenAt, local: expect.any(String) },
      words: {},
      camera,
      place: null,
      contentIdentifier: null,
    })
  })

  test('and not turned twice when the JPEG says itself how it lies', async () => {
    const jpeg = await sharp(await twoColours())
      .withMetadata({ orientation: 1 })
      .jpeg()
      .toBuffer()
    expect(await images.readImage(writeNef({ jpeg, orientation: 6 }))).toMatchObject({ width: 64, height: 48 })
  })

  test('while a TIFF of a camera stays a TIFF', async () => {
    expect(await images.readImage(await plainPicture({ format: 'tiff' }))).toMatchObject({ format: 'tiff' })
  })
})

describe('refused with a reason is', () => {
  const damaged = [422, 'damaged_image', 'This picture is damaged: it can’t be decoded.']

  test.each(['words.heic', 'phone.jxl', 'moving.avif'] as const)('half of %s', async (name) => {
    const file = phonePicture(name)
    expect(await refusalOf(images.shrinkForModel(file.subarray(0, file.length / 2)))).toEqual(damaged)
    expect(await refusalOf(createPixels().decode(stored(file.subarray(0, file.length / 2))))).toEqual(damaged)
  })

  test('a picture in tiles of which the last ones are missing', async () => {
    const file = tiledHeic('')
    expect(await images.shrinkForModel(file)).toMatchObject({ width: 640, height: 320 })
    expect(await refusalOf(images.shrinkForModel(file.subarray(0, file.length * 0.9)))).toEqual(damaged)
  })

  test('a picture of too many pixels, before any is decoded', async () => {
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

  test('a RAW file without a picture to show', async () => {
    const refusal = [
      422,
      'no_preview',
      'This picture has no preview that can be shown. Export it as JPEG and add that.',
    ]
    expect(await refusalOf(images.readImage(writeDng({ jpeg: null })))).toEqual(refusal)
    expect(await refusalOf(createPixels().decode(stored(writeDng({ jpeg: null }))))).toEqual(refusal)
  })

  test('a RAW file that says it is larger than it is', async () => {
    const file = writeDng({ jpeg: await twoColours(), claimedBytes: 4_000_000_000 })
    const refusal = [422, 'damaged_image', expect.stringContaining('ends before the picture in it does')]
    expect(await refusalOf(images.readImage(file))).toEqual(refusal)
    const cut = writeNef({ jpeg: await twoColours() })
    expect(await refusalOf(images.readImage(cut.subarray(0, cut.length - 900)))).toEqual(refusal)
  })

  test('whatever a few changed bytes make of it, and nothing worse', async () => {
    const jpeg = await twoColours()
    const whole = [
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
    for (const file of whole) {
      for (let round = 0; round < 8; round++) {
        const changed = Buffer.from(file)
        for (let change = 0; change < 6; change++) changed[Math.floor(random() * changed.length)] = random() * 256
        const ending = await refusalOf(images.thumbnail(changed))
        if (ending !== 'it was read') expect([413, 415, 422]).toContain((ending as unknown[])[0])
      }
    }
  }, 60_000)
})
