import ExifReader from 'exifreader'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { fastestMs } from '../../../test/fastest.ts'
import { withBytes } from '../file-bytes.ts'
import { boundedExif, exifOfTiff } from './exif-block.ts'

/** EXIF block whose tags all point to the same bytes. */
function overlappingTags(entries: number, sizeBytes: number): Buffer {
  const block = Buffer.alloc(sizeBytes, 'A')
  block.write('II', 0, 'latin1')
  block.writeUInt16LE(42, 2)
  block.writeUInt32LE(8, 4)
  block.writeUInt16LE(entries, 8)
  for (let offset = 10; offset < 10 + entries * 12; offset += 12) {
    block.writeUInt16LE(0x010e, offset)
    block.writeUInt16LE(2, offset + 2)
    block.writeUInt32LE(sizeBytes - 100, offset + 4)
    block.writeUInt32LE(50, offset + 8)
  }
  return block
}

test('keeps the tags that a camera wrote', async () => {
  const exif = { IFD0: { Make: 'Canon', Model: 'EOS' }, IFD2: { DateTimeOriginal: '2024:05:06 07:08:09' } }
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .withExif(exif)
    .jpeg()
    .toBuffer()
  const { exif: block = Buffer.alloc(0) } = await sharp(picture).metadata()
  const bounded = boundedExif(block.subarray(6)) ?? Buffer.alloc(0)
  const { exif: tags } = ExifReader.load(bounded, { expanded: true })
  expect([tags?.Model?.description, tags?.DateTimeOriginal?.description]).toEqual(['EOS', '2024:05:06 07:08:09'])
})

test('quickly rejects overlapping tags, oversized and truncated blocks; keeps a circular directory as it is', async () => {
  const blocks = [overlappingTags(4500, 64_000), overlappingTags(65_535, 1_000_000)]
  const fastest = await fastestMs(() => expect(blocks.map(boundedExif)).toEqual([null, null]))
  expect(fastest).toBeLessThan(1000)
  expect(boundedExif(Buffer.alloc(1_000_001))).toBeNull()
  expect(boundedExif(Buffer.from('II*'))).toBeNull()
  const circular = overlappingTags(0, 200)
  circular.writeUInt32LE(8, 10)
  expect(boundedExif(circular)).toEqual(circular)
})

test('drops the maker note', () => {
  const block = overlappingTags(1, 300)
  block.writeUInt16LE(0x927c, 10)
  expect(boundedExif(block)?.readUInt16LE(10)).toBe(0xffff)
})

test('limits the block of a TIFF with overlapping tags, and returns null for another file', async () => {
  const tiff = overlappingTags(4500, 1_000_000)
  // a directory that points to itself as its EXIF directory
  tiff.writeUInt16LE(0x8769, 10)
  tiff.writeUInt16LE(4, 12)
  tiff.writeUInt32LE(1, 14)
  tiff.writeUInt32LE(8, 18)
  const block = (await withBytes(tiff, exifOfTiff)) ?? Buffer.alloc(0)
  expect(block.length).toBeGreaterThan(100_000)
  expect(boundedExif(block)?.length).toBeLessThan(600_000)
  expect(await withBytes(Buffer.from('no picture'), exifOfTiff)).toBeNull()
})

test('reads a big-endian TIFF', async () => {
  const tiff = Buffer.from('MM\0*\0\0\0\x08\0\x01\x01\x0f\0\x02\0\0\0\x06\0\0\0\x1a\0\0\0\0Canon\0', 'latin1')
  const block = (await withBytes(tiff, exifOfTiff)) ?? Buffer.alloc(0)
  expect(ExifReader.load(block, { expanded: true }).exif?.Make?.description).toBe('Canon')
})
