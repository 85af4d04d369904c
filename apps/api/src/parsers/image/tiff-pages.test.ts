import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sniffFile } from '../sniff/sniff.ts'
import { drawTiffPage } from './draw-tiff.ts'
import { createImages } from './picture-reader.ts'
import { tiffPagesOf } from './tiff-pages.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-tiff-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const plain = (background: string, width = 60, height = 40) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()

async function write(name: string, tiff: Sharp): Promise<string> {
  const filename = join(folder, name)
  await tiff.toFile(filename)
  return filename
}

test('treats a TIFF of two pages as a document, and draws its second page', async () => {
  const pages = [await plain('#c03020'), await plain('#3040c0')]
  const filename = await write('two.tif', sharp(pages, { join: { animated: true } }).tiff())
  expect(await sniffFile(filename)).toEqual({ mediaType: 'document', format: 'tif', contentType: 'image/tiff' })
  const page = await drawTiffPage({ filename, page: 2, widthPixels: 30, into: join(folder, 'second.png') })
  expect(page).toMatchObject({ page: 2, width: 30, height: 20 })
  expect((await sharp(page.filename).stats()).dominant).toMatchObject({ r: expect.any(Number), b: 200 })
})

test('ignores smaller copies of a page, so that the file stays an image', async () => {
  const filename = await write(
    'pyramid.tif',
    sharp(await plain('#c03020', 600, 400)).tiff({ pyramid: true, tile: true }),
  )
  expect(await tiffPagesOf(filename)).toHaveLength(1)
  expect(await sniffFile(filename)).toMatchObject({ mediaType: 'image' })
})

/** Little-endian TIFF of directories without pixels, each given as values by tag. */
function directories(...all: Record<number, number>[]): Buffer {
  const parts = [Buffer.from('II*\0\b\0\0\0', 'latin1')]
  let end = 8
  for (const [index, numbers] of all.entries()) {
    const entries = Object.entries(numbers)
    const part = Buffer.alloc(2 + entries.length * 12 + 4)
    part.writeUInt16LE(entries.length, 0)
    for (const [n, [tag, value]] of entries.entries()) {
      part.writeUInt16LE(Number(tag), 2 + n * 12)
      part.writeUInt16LE(4, 4 + n * 12)
      part.writeUInt32LE(1, 6 + n * 12)
      part.writeUInt32LE(value, 10 + n * 12)
    }
    end += part.length
    part.writeUInt32LE(index === all.length - 1 ? 0 : end, part.length - 4)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const [SUBFILE_TYPE, OLD_SUBFILE_TYPE, PAGE_NUMBER, TILE_WIDTH] = [254, 255, 297, 322]
/** Values of the new tag, a set of bits, and of the old one. */
const [REDUCED_COPY, PAGE] = [1, 2]
const [OLD_REDUCED_COPY, OLD_PAGE] = [2, 3]
const letter = { 256: 2480, 257: 3508 }
const halfLetter = { 256: 1240, 257: 1754 }
const tiled = { [TILE_WIDTH]: 256 }
const photo = { 256: 2048, 257: 1536 }
const thumbnail = { 256: 160, 257: 120 }

test.each([
  ['a marked page', { ...letter, ...tiled }, { ...halfLetter, [SUBFILE_TYPE]: PAGE }, 2],
  ['a page with the old mark', { ...letter, ...tiled }, { ...halfLetter, [OLD_SUBFILE_TYPE]: OLD_PAGE }, 2],
  ['a numbered page', { ...letter, ...tiled }, { ...halfLetter, [PAGE_NUMBER]: 1 }, 2],
  ['an unmarked page in a scan', letter, halfLetter, 2],
  [
    'a marked copy',
    { ...letter, [PAGE_NUMBER]: 0 },
    { ...halfLetter, [SUBFILE_TYPE]: REDUCED_COPY, [PAGE_NUMBER]: 1 },
    1,
  ],
  ['a copy with the old mark', letter, { ...halfLetter, [OLD_SUBFILE_TYPE]: OLD_REDUCED_COPY }, 1],
  ['an unmarked copy in a zoomable image', { ...letter, ...tiled }, { ...halfLetter, ...tiled }, 1],
  ["a camera's unmarked thumbnail", photo, thumbnail, 1],
  ['a tiny marked page', photo, { ...thumbnail, [SUBFILE_TYPE]: PAGE }, 2],
])('tells a second page from a smaller copy: %s', async (_what, one, other, count) => {
  expect(await tiffPagesOf(directories(one, other))).toHaveLength(count)
})

test('stretches a fax with non-square pixels', async () => {
  const filename = await write('fax.tif', sharp(await plain('#ffffff', 600, 200)).tiff({ xres: 8, yres: 4 }))
  expect(await createImages().thumbnail(filename)).toMatchObject({ width: 512, height: 341 })
  const page = await drawTiffPage({ filename, page: 1, widthPixels: 600, into: join(folder, 'fax.png') })
  expect(page).toMatchObject({ width: 600, height: 400 })
  expect(await createImages().readImage(filename)).toMatchObject({ width: 600, height: 400 })
  const turned = sharp(await plain('#ffffff', 600, 200)).withMetadata({ orientation: 6 })
  const upright = await createImages().readImage(await write('turned-fax.tif', turned.tiff({ xres: 8, yres: 4 })))
  expect(upright).toMatchObject({ width: 400, height: 600 })
})
