import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Colour, writeBmp } from '../../../test/bmp-files.ts'
import { noisyImage, plainImage, pngWithClaimedSize } from '../../../test/pictures.ts'
import { createImages } from './picture-reader.ts'
import { createPixels } from './pixels.ts'

const images = createImages()

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-pictures-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const bmp = (value: number) => writeBmp(Array<number[]>(40).fill(Array(60).fill(value)), { bitsPerPixel: 24 })

/** Colour in the middle of a picture. */
async function middleOf(data: Buffer): Promise<number[]> {
  const { data: pixels, info } = await sharp(data).raw().toBuffer({ resolveWithObject: true })
  const offset = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels
  return [...pixels.subarray(offset, offset + info.channels)]
}

/** Lossy formats change a colour a little. */
const about = (colour: number[]) =>
  colour.map((sample) => expect.toSatisfy((value: number) => Math.abs(value - sample) < 8))

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it was read',
    ({ status, code, message }) => [status, code, message],
  )

describe('the format is detected by content', () => {
  test.each([
    ['jpeg', 'image/jpeg', 'jpg'],
    ['png', 'image/png', 'png'],
    ['webp', 'image/webp', 'webp'],
    ['gif', 'image/gif', 'gif'],
    ['avif', 'image/avif', 'avif'],
    ['tiff', 'image/tiff', 'tif'],
  ] as const)('%s', async (format, contentType, extension) => {
    const file = await plainImage({ format })
    const info = { format, contentType, extension, width: 60, height: 40 }
    expect(await images.readImage(file)).toEqual(info)
    const path = join(folder, `${format}.txt`)
    writeFileSync(path, file)
    expect(await images.readImage(path)).toEqual(info)
    expect(await middleOf((await images.shrinkForModel(path)).data)).toEqual(about([0xcc, 0x33, 0x11]))
  })

  test('bmp', async () => {
    const file = bmp(0xcc3311)
    const info = { format: 'bmp', contentType: 'image/bmp', extension: 'bmp', width: 60, height: 40 }
    expect(await images.readImage(file)).toEqual(info)
    const path = join(folder, 'bmp.jpg')
    writeFileSync(path, file)
    expect(await images.readImage(path)).toEqual(info)
    for (const source of [file, path]) {
      const { data, width, height } = await images.shrinkForModel(source)
      expect([width, height, ...(await middleOf(data))]).toEqual([60, 40, ...about([0xcc, 0x33, 0x11])])
      expect(await images.thumbnail(source)).toMatchObject({ contentType: 'image/webp', width: 60, height: 40 })
    }
  })

  test('bmp with 256 colours, whose pixels start late', async () => {
    const palette = Array.from({ length: 256 }, (_, shade): Colour => [shade, 0, 0])
    const file = writeBmp(Array<number[]>(40).fill(Array(60).fill(200)), { bitsPerPixel: 8, palette })
    expect(file.readUInt32LE(10)).toBeGreaterThan(1000)
    expect(await images.readImage(file)).toMatchObject({ format: 'bmp', width: 60, height: 40 })
    expect(await middleOf((await images.shrinkForModel(file)).data)).toEqual(about([200, 0, 0]))
  })

  test('a JPEG named .png', async () => {
    const path = join(folder, 'lie.png')
    writeFileSync(path, await plainImage({ format: 'jpeg' }))
    expect(await images.readImage(path)).toMatchObject({ format: 'jpeg' })
  })
})

describe('refuses', () => {
  const readable = 'Use JPEG, PNG, WebP, GIF, AVIF, HEIC, JPEG XL, TIFF, BMP, DNG, CR2, CR3, NEF or ARW.'
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
  test.each([
    ['a text', 'Hello', 'This file isn’t a picture that can be read.'],
    ['a text that starts like a BMP', 'BM and some more words to fill it up to a header', 'isn’t a picture'],
    ['an SVG', svg, 'This file isn’t a picture that can be read.'],
    [
      'an SVG with an XML declaration',
      `<?xml version="1.0"?>${svg}`,
      'This picture is of the type XML, which can’t be read.',
    ],
    ['a PDF', '%PDF-1.7\n1 0 obj\n<<>>\nendobj\n', 'This picture is of the type PDF, which can’t be read.'],
    ['an icon', Buffer.from('00000100010010100000', 'hex'), 'This picture is of the type ICO, which can’t be read.'],
    ['an empty file', '', 'This file isn’t a picture that can be read.'],
  ])('%s', async (_name, content, sentence) => {
    expect(await refusalOf(images.readImage(Buffer.from(content)))).toEqual([
      415,
      'unsupported_type',
      expect.stringContaining(sentence),
    ])
    expect(await refusalOf(images.thumbnail(Buffer.from(content)))).toEqual([
      415,
      'unsupported_type',
      expect.stringMatching(readable),
    ])
  })

  test('an image of 100 megapixels', async () => {
    const sentence = 'Picture 3 has more than 50 megapixels. Make it smaller.'
    const png = await pngWithClaimedSize(10_000, 10_000)
    const huge = writeBmp([[0]], { bitsPerPixel: 1, palette: [] })
    huge.writeInt32LE(10_000, 18)
    huge.writeInt32LE(10_000, 22)
    for (const file of [png, huge]) {
      const refusal = [413, 'too_many_pixels', sentence]
      expect(await refusalOf(images.readImage(file, { label: 'Picture 3' }))).toEqual(refusal)
      expect(await refusalOf(images.shrinkForModel(file, { label: 'Picture 3' }))).toEqual(refusal)
    }
  })

  test('one pixel too many, but not the maximum', async () => {
    const file = await plainImage({ width: 60, height: 40 })
    expect(await refusalOf(images.shrinkForModel(file, { maxPixels: 2399 }))).toEqual([
      413,
      'too_many_pixels',
      expect.any(String),
    ])
    expect(await images.shrinkForModel(file, { maxPixels: 2400 })).toMatchObject({ width: 60 })
  })

  test('no photo of a camera with “50 megapixels”, and says 50 for a larger one', async () => {
    const [photo, larger] = [await pngWithClaimedSize(8192, 6144), await pngWithClaimedSize(8192, 6250)]
    expect(await images.readImage(photo)).toMatchObject({ width: 8192, height: 6144 })
    const sentence = 'This picture has more than 50 megapixels. Make it smaller.'
    expect(await refusalOf(images.readImage(larger))).toEqual([413, 'too_many_pixels', sentence])
  })

  test('half an image, when decoding it', async () => {
    const jpeg = await noisyImage({ width: 400, height: 300 })
    const png = await sharp(jpeg).png().toBuffer()
    for (const file of [jpeg, png]) {
      const half = file.subarray(0, file.length / 2)
      expect(await refusalOf(images.shrinkForModel(half))).toEqual([
        422,
        'damaged_image',
        'This picture is damaged: it can’t be decoded.',
      ])
    }
    expect(await refusalOf(images.shrinkForModel(bmp(0).subarray(0, 900), { label: 'Picture 1' }))).toEqual([
      422,
      'damaged_image',
      'Picture 1 is damaged: it ends before its last row.',
    ])
  })

  test('an image cut off in its header', async () => {
    const start = (await plainImage({ format: 'png' })).subarray(0, 20)
    expect(await refusalOf(images.readImage(start))).toEqual([422, 'damaged_image', expect.any(String)])
  })

  test('a missing file with the file system’s error', async () => {
    await expect(images.readImage(join(folder, 'nowhere'))).rejects.toThrow('ENOENT')
  })

  test('a file that can’t be opened with the file system’s error', async () => {
    const filename = join(folder, 'loop')
    symlinkSync(filename, filename)
    await expect(images.thumbnail(filename)).rejects.toMatchObject({ code: 'ELOOP' })
    await expect(createPixels().decode(filename)).rejects.toMatchObject({ code: 'ELOOP' })
  })
})

describe('an image for a model', () => {
  test('is upright, with its size to match', async () => {
    const leftPicture = await plainImage({ width: 30, height: 40, colour: '#ff0000' })
    const rotated = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#0000ff' } })
      .composite([{ input: leftPicture, left: 0, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    expect(await images.readImage(rotated)).toMatchObject({ width: 40, height: 60 })
    const { data, width, height } = await images.shrinkForModel(rotated)
    expect([width, height]).toEqual([40, 60])
    // rotated clockwise, so the left half is now at the top
    expect(await middleOf(await sharp(data).extract({ left: 0, top: 0, width: 40, height: 20 }).toBuffer())).toEqual(
      about([255, 0, 0]),
    )
    expect(await images.thumbnail(rotated)).toMatchObject({ width: 40, height: 60 })
  })

  test('has no metadata about the camera and place, nor does a thumbnail', async () => {
    const exif = { IFD0: { Make: 'A camera' }, IFD3: { GPSLatitude: '48/1 51/1 30/1' } }
    const file = await sharp(await plainImage({}))
      .withExif(exif)
      .jpeg()
      .toBuffer()
    expect((await sharp(file).metadata()).exif).toBeDefined()
    const outputs = [await images.shrinkForModel(file), await images.thumbnail(file)]
    for (const { data } of outputs) expect((await sharp(data).metadata()).exif).toBeUndefined()
  })

  test('has at most 1568 pixels on its longest side and 1.5 MB, even when noisy', async () => {
    const { data, contentType, width, height } = await images.shrinkForModel(
      await noisyImage({ width: 2000, height: 3000 }),
    )
    expect([contentType, width, height]).toEqual(['image/jpeg', 1045, 1568])
    expect(data.length).toBeLessThanOrEqual(1_500_000)
  })

  test('isn’t enlarged', async () => {
    expect(await images.shrinkForModel(await plainImage({ width: 10, height: 10 }))).toMatchObject({
      width: 10,
      height: 10,
    })
  })

  test('is white where the original is transparent, while a thumbnail stays transparent', async () => {
    const background = { r: 0, g: 0, b: 0, alpha: 0 }
    const file = await sharp({ create: { width: 9, height: 9, channels: 4, background } })
      .png()
      .toBuffer()
    expect(await middleOf((await images.shrinkForModel(file)).data)).toEqual(about([255, 255, 255]))
    expect(await middleOf((await images.thumbnail(file)).data)).toEqual([
      expect.anything(),
      expect.anything(),
      expect.anything(),
      0,
    ])
  })

  test('is the first frame of an animation', async () => {
    const frame = (colour: string) => plainImage({ colour, format: 'png' })
    const file = await sharp([await frame('#ff0000'), await frame('#0000ff')], { join: { animated: true } })
      .gif()
      .toBuffer()
    expect((await sharp(file).metadata()).pages).toBe(2)
    const { data, height } = await images.shrinkForModel(file)
    expect([height, ...(await middleOf(data))]).toEqual([40, ...about([255, 0, 0])])
  })

  test('can be made from CMYK, 16 bits or a single row of pixels', async () => {
    const red = sharp(await plainImage({ colour: '#ff0000' }))
    const print = await red.clone().toColourspace('cmyk').jpeg().toBuffer()
    expect((await sharp(print).metadata()).space).toBe('cmyk')
    const [first, second, third] = await middleOf((await images.shrinkForModel(print)).data)
    expect([first, (second as number) < 60, (third as number) < 60]).toEqual([expect.any(Number), true, true])
    const deep = await red.clone().toColourspace('rgb16').png().toBuffer()
    expect((await sharp(deep).metadata()).depth).toBe('ushort')
    expect(await middleOf((await images.shrinkForModel(deep)).data)).toEqual(about([255, 0, 0]))
    const withProfile = await red.clone().toColourspace('rgb16').withIccProfile('srgb').png().toBuffer()
    expect(await sharp(withProfile).metadata()).toMatchObject({ depth: 'ushort', icc: expect.any(Buffer) })
    expect(await middleOf((await images.shrinkForModel(withProfile)).data)).toEqual(about([255, 0, 0]))
    const line = await plainImage({ width: 20_000, height: 1, format: 'png' })
    expect(await images.shrinkForModel(line)).toMatchObject({ width: 1568, height: 1 })
  })
})

test('a thumbnail is a WebP of at most 512 pixels', async () => {
  const thumbnail = await images.thumbnail(await noisyImage({ width: 1000, height: 2000 }))
  expect(thumbnail).toMatchObject({ contentType: 'image/webp', width: 256, height: 512 })
  expect((await sharp(thumbnail.data).metadata()).format).toBe('webp')
})

test('refuses a request with a retry delay when the queue is full', async () => {
  const small = createImages({ atOnce: 1, maxWaiting: 1 })
  const file = await plainImage({})
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => small.readImage(file)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(outcomes[2]).toMatchObject({ reason: { status: 503, code: 'busy', retryAfterSeconds: 5 } })
  expect(await small.readImage(file)).toMatchObject({ format: 'jpeg' })
})

test('makes the thumbnail and copy of a very tall screenshot wide enough to show something', async () => {
  const screenshot = await plainImage({ width: 1080, height: 20_000 })
  const [thumbnail, copy] = [await images.thumbnail(screenshot), await images.shrinkForModel(screenshot)]
  expect([thumbnail.width, copy.width].map((width) => width > 140)).toEqual([true, true])
  expect(thumbnail.height / thumbnail.width).toBeCloseTo(20_000 / 1080, 0)
})
