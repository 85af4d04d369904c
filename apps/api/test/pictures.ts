import { crc32 } from 'node:zlib'
import sharp from 'sharp'

/** A picture of one colour. */
export function plainPicture(options: {
  width?: number
  height?: number
  colour?: string
  format?: 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif'
}): Promise<Buffer> {
  const { width = 60, height = 40, colour = '#cc3311', format = 'jpeg' } = options
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .toFormat(format)
    .toBuffer()
}

/** A picture that no format makes small. */
export function noisyPicture(options: { width: number; height: number }): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 90 } as const
  return sharp({ create: { ...options, channels: 3, background: '#888888', noise } })
    .jpeg({ quality: 95 })
    .toBuffer()
}

/** A small PNG file that says it has this many pixels. */
export async function pictureThatClaims(width: number, height: number): Promise<Buffer> {
  const file = await plainPicture({ format: 'png' })
  file.writeUInt32BE(width, 16)
  file.writeUInt32BE(height, 20)
  // the header's own checksum, over its name and its content
  file.writeUInt32BE(crc32(file.subarray(12, 29)), 29)
  return file
}
