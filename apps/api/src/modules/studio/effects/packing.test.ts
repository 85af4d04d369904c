import { inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { chunksBeforeData, joinRows } from '../../../parsers/image/png-rows.ts'
import { packRows } from './bands.ts'

const WIDTH = 61
const HEIGHT = 40

/** Gradients, noise and steps, and some transparency. */
function picture(isOpaque: boolean): Uint8ClampedArray {
  return Uint8ClampedArray.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => {
    const [x, y, channel] = [(i >> 2) % WIDTH, Math.floor((i >> 2) / WIDTH), i & 3]
    if (channel === 3) return isOpaque ? 255 : (x * y) % 256
    return channel === 0 ? x * 4 : channel === 1 ? (Math.imul(i, 2654435761) >>> 24) & 255 : y > 20 ? 240 : 10
  })
}

describe.each([
  { isOpaque: true, rows: HEIGHT },
  { isOpaque: true, rows: 7 },
  { isOpaque: false, rows: 16 },
  { isOpaque: false, rows: 1 },
])('rows packed $rows at a time, opaque: $isOpaque', ({ isOpaque, rows }) => {
  test('are a PNG with correct pixels and checksums', async () => {
    const data = picture(isOpaque)
    const parts = []
    for (let from = 0; from < HEIGHT; from += rows) {
      const band = data.slice(from * WIDTH * 4, (from + rows) * WIDTH * 4)
      parts.push(packRows({ data: band, width: WIDTH }, { isOpaque }))
    }
    const png = joinRows(parts, { width: WIDTH, height: HEIGHT, isOpaque })
    const read = sharp(png, { failOn: 'warning' })
    expect(await read.metadata()).toMatchObject({ format: 'png', channels: isOpaque ? 3 : 4, width: WIDTH })
    // Inflates strictly, verifying the checksum of all rows.
    const start = png.indexOf('IDAT') - 4
    const stream: Buffer[] = []
    for (
      let index = start;
      png.toString('latin1', index + 4, index + 8) === 'IDAT';
      index += png.readUInt32BE(index) + 12
    ) {
      stream.push(png.subarray(index + 8, index + 8 + png.readUInt32BE(index)))
    }
    expect(inflateSync(Buffer.concat(stream))).toHaveLength((WIDTH * (isOpaque ? 3 : 4) + 1) * HEIGHT)
    expect(Buffer.from(data).equals(await read.ensureAlpha().raw().toBuffer())).toBe(true)
  })
})

test.each([true, false])('repeated rows stay unchanged and take hardly any space, opaque: %s', async (isOpaque) => {
  const noisy = picture(isOpaque).subarray(0, WIDTH * 4)
  const data = new Uint8ClampedArray(WIDTH * 4 * 300)
  for (let row = 0; row < 300; row++) data.set(row < 298 ? noisy : noisy.map((value) => value ^ 1), row * WIDTH * 4)
  const part = packRows({ data, width: WIDTH }, { isOpaque })
  expect(part.data.length).toBeLessThan(data.length / 50)
  const png = joinRows([part], { width: WIDTH, height: 300, isOpaque })
  const read = await sharp(png, { failOn: 'warning' }).ensureAlpha().raw().toBuffer()
  const expected = isOpaque ? data.map((value, i) => (i % 4 === 3 ? 255 : value)) : data
  expect(Buffer.from(expected).equals(read)).toBe(true)
})

test('copies the chunks of another PNG', async () => {
  const other = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .withExif({ IFD0: { Make: 'Maker of cameras' } })
    .png()
    .toBuffer()
  const part = packRows({ data: picture(true), width: WIDTH }, { isOpaque: true })
  const png = joinRows([part], { width: WIDTH, height: HEIGHT, isOpaque: true }, chunksBeforeData(other))
  const { exif, width } = await sharp(png).metadata()
  expect(exif?.toString('latin1')).toContain('Maker of cameras')
  expect(width).toBe(WIDTH)
})
