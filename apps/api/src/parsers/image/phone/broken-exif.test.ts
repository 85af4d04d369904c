import { expect, test, vi } from 'vitest'
import { tiledHeic } from '../../../../test/phone-pictures.ts'
import { metadataBlocksOf } from './decoded.ts'

vi.mock('./heif.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('./heif.ts')>()
  const readExif = (): never => {
    throw new Error('memory access out of bounds')
  }
  const withHeif: typeof original.withHeif = (content, maxPixels, use) =>
    original.withHeif(content, maxPixels, (image) => use({ ...image, readExif }))
  return { ...original, withHeif }
})

test('keeps the XMP of a HEIC when its EXIF can’t be read', async () => {
  const { exif, xmp } = await metadataBlocksOf(tiledHeic('<x:xmpmeta/>'), 'heic', 1_000_000)
  expect([exif, xmp?.toString()]).toEqual([[], '<x:xmpmeta/>'])
})
