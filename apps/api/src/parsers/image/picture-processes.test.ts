import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { phonePicture } from '../../../test/phone-pictures.ts'
import { plainImage } from '../../../test/pictures.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import { createPictureProcesses } from './picture-processes.ts'
import { createPixels } from './pixels.ts'

const THUMBHASH = /^[\w+/]{20,40}=*$/
const folder = mkdtempSync(join(tmpdir(), 'mira-picture-processes-'))
const pictures = createPictureProcesses({ sandboxing: testSandboxing })
afterAll(async () => {
  await pictures.close()
  rmSync(folder, { recursive: true })
})
const write = (name: string, content: Uint8Array) => {
  const filename = join(folder, name)
  writeFileSync(filename, content)
  return filename
}

test('reads an image from bytes or a file, and makes a thumbnail and preview of the right size', async () => {
  const picture = await plainImage({ width: 1200, height: 800 })
  const filename = write('wide.png', picture)
  for (const source of [picture, filename]) {
    expect(await pictures.images.readImage(source)).toMatchObject({ format: 'jpeg', width: 1200, height: 800 })
  }
  const thumbnail = await pictures.images.thumbnail(filename)
  expect(await sharp(thumbnail.data).metadata()).toMatchObject({ format: 'webp', width: 512, height: 341 })
  expect(await pictures.thumbhashOf(thumbnail.data)).toMatch(THUMBHASH)
  expect(await pictures.contrastOf(filename)).toBeGreaterThanOrEqual(0)
  const { contentType, width, height } = thumbnail
  expect(await pictures.readNewPicture(filename, picture.length)).toMatchObject({
    info: { format: 'jpeg', width: 1200, height: 800 },
    camera: { takenTime: null, camera: null, place: null, words: {}, contentIdentifier: null },
    thumbnail: { contentType, width, height },
    preview: null,
    motionStart: null,
    thumbhash: expect.stringMatching(THUMBHASH),
  })
  const { preview } = await pictures.readNewPicture(filename, 3_000_000)
  expect(preview).toMatchObject({ contentType: 'image/jpeg', width: 1200, height: 800 })
})

const readablePixels = async (filename: string, longestSide = 1280) => {
  const into = join(folder, 'pixels')
  const size = await pictures.readablePixels(filename, { into, longestSide, signal: AbortSignal.timeout(60_000) })
  return { ...size, bytes: statSync(into).size }
}

test('prepares pixels for OCR: upright, no larger than needed, a tall image in full', async () => {
  const large = await readablePixels(write('large.heic', phonePicture('large-words.heic')))
  expect(large).toEqual({ width: 2800, height: 2100, isTall: false, isWhole: true, bytes: 3 * 2800 * 2100 })
  const turned = await readablePixels(write('turned.heic', phonePicture('turned.heic')))
  expect(turned).toMatchObject({ width: 96, height: 128 })
  const tall = { create: { width: 600, height: 5000, channels: 3, background: '#fff' } } as const
  expect(await readablePixels(write('tall.png', await sharp(tall).png().toBuffer()))).toMatchObject({
    ...{ width: 600, height: 5000, isTall: true },
  })
  const photo = await sharp({ create: { ...tall.create, height: 400 } })
    .resize(2400, 1600)
    .jpeg()
    .toBuffer()
  const photoPixels = await readablePixels(write('photo.jpg', photo))
  expect(photoPixels).toMatchObject({ width: 1280, height: 853, isWhole: false })
  const damaged = readablePixels(write('none.png', Buffer.from('no picture')))
  await expect(damaged).rejects.toMatchObject({ reason: 'failed', code: 'damaged_image' })
})

test('decodes what it can of a badly damaged JPEG', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const create = { width: 800, height: 600, channels: 3, background: '#000', noise } as const
  const picture = await sharp({ create }).jpeg({ quality: 90 }).toBuffer()
  // segments of ten blocks, none in its place: the decoder usually stops after a hundred warnings
  const scan = picture.indexOf(Buffer.from([0xff, 0xda]))
  const parts = [picture.subarray(0, scan), Buffer.from([0xff, 0xdd, 0, 4, 0, 10]), picture.subarray(scan, scan + 14)]
  for (let offset = scan + 14, count = 0; offset < picture.length; offset += 1000, count++)
    parts.push(picture.subarray(offset, offset + 1000), Buffer.from([0xff, 0xd0 + (count % 8)]))
  const filename = write('card.jpg', Buffer.concat(parts))
  expect(await pictures.readNewPicture(filename, picture.length)).toMatchObject({
    info: { format: 'jpeg', width: 800, height: 600 },
    isDamaged: true,
  })
  expect(await readablePixels(filename, 2800)).toMatchObject({ width: 1600, height: 1200 })
})

test('passes on the errors of decoding unchanged', async () => {
  const label = 'The picture "holiday.png"'
  await expect(pictures.images.readImage(Buffer.from('no picture'), { label })).rejects.toMatchObject({
    status: 415,
    message: expect.stringContaining(label),
  })
  const large = await plainImage({ width: 200, height: 200 })
  await expect(pictures.images.thumbnail(large, { maxPixels: 100 })).rejects.toMatchObject({
    status: 413,
    code: 'too_many_pixels',
  })
  await expect(pictures.images.thumbnail(join(folder, 'gone.png'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('decodes the same pixels as in-process, and encodes previews and other formats', async () => {
  const filename = write('small.png', await plainImage({ width: 60, height: 40 }))
  const [inProcess, fromProcess] = await Promise.all([
    createPixels().decode(filename),
    pictures.pixels.decode(filename),
  ])
  expect(fromProcess).toEqual(inProcess)
  expect(await sharp(await pictures.pixels.encodePreview(fromProcess)).metadata()).toMatchObject({
    format: 'webp',
    width: 60,
  })
  expect(await sharp(await pictures.pixels.convert(filename, 'avif')).metadata()).toMatchObject({ format: 'heif' })
})

test('refuses images beyond the queue’s limit and finishes those it accepted', async () => {
  const few = createPictureProcesses({ sandboxing: testSandboxing, atOnce: 1, maxWaitingPerUser: 1 })
  const picture = await plainImage({ width: 400, height: 400 })
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => few.images.thumbnail(picture)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(outcomes[2]).toMatchObject({ reason: { status: 503, code: 'busy' } })
  await few.close()
})
