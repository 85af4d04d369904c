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

test('each page of a TIFF file is drawn, and it is a document', async () => {
  const pages = [await plain('#c03020'), await plain('#3040c0')]
  const filename = await write('two.tif', sharp(pages, { join: { animated: true } }).tiff())
  expect(await sniffFile(filename)).toEqual({ mediaType: 'document', format: 'tif', contentType: 'image/tiff' })
  const page = await drawTiffPage({ filename, page: 2, widthPixels: 30, into: join(folder, 'second.png') })
  expect(page).toMatchObject({ page: 2, width: 30, height: 20 })
  expect((await sharp(page.filename).stats()).dominant).toMatchObject({ r: expect.any(Number), b: 200 })
})

test('smaller copies of a page are none, and it stays a picture', async () => {
  const filename = await write(
    'pyramid.tif',
    sharp(await plain('#c03020', 600, 400)).tiff({ pyramid: true, tile: true }),
  )
  expect(await tiffPagesOf(filename)).toHaveLength(1)
  expect(await sniffFile(filename)).toMatchObject({ mediaType: 'image' })
})

test('the pixels of a fax are as wide as high once it is read', async () => {
  const filename = await write('fax.tif', sharp(await plain('#ffffff', 600, 200)).tiff({ xres: 8, yres: 4 }))
  expect(await createImages().thumbnail(filename)).toMatchObject({ width: 512, height: 341 })
  const page = await drawTiffPage({ filename, page: 1, widthPixels: 600, into: join(folder, 'fax.png') })
  expect(page).toMatchObject({ width: 600, height: 400 })
})
