import { crc32 } from 'node:zlib'
import sharp from 'sharp'

/** An image of one colour. */
export function plainImage(options: {
  width?: number
  height?: number
  colour?: string
  format?: 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif'
  /** DateTimeOriginal of EXIF, such as 2024:12:31 23:30:00. */
  taken?: string
}): Promise<Buffer> {
  const { width = 60, height = 40, colour = '#cc3311', format = 'jpeg', taken } = options
  const picture = sharp({ create: { width, height, channels: 3, background: colour } }).toFormat(format)
  return (taken === undefined ? picture : picture.withExif({ IFD2: { DateTimeOriginal: taken } })).toBuffer()
}

/** An image that compresses badly; less so with less noise and quality. */
export function noisyImage(options: {
  width: number
  height: number
  sigma?: number
  quality?: number
}): Promise<Buffer> {
  const { width, height, sigma = 90, quality = 95 } = options
  const noise = { type: 'gaussian', mean: 128, sigma } as const
  return sharp({ create: { width, height, channels: 3, background: '#888888', noise } })
    .jpeg({ quality })
    .toBuffer()
}

/** A small PNG file that claims this size. */
export async function pngWithClaimedSize(width: number, height: number): Promise<Buffer> {
  const file = await plainImage({ format: 'png' })
  file.writeUInt32BE(width, 16)
  file.writeUInt32BE(height, 20)
  // Checksum of the header chunk, over its name and content.
  file.writeUInt32BE(crc32(file.subarray(12, 29)), 29)
  return file
}
