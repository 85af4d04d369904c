import sharp, { type Sharp } from 'sharp'
import type { ColourPicture } from '../image/readable-pixels.ts'

/** A greyscale picture, one byte per pixel, rows from the top. */
export interface GreyPicture {
  width: number
  height: number
  data: Buffer
}

/** The same picture in grey. */
export function inGrey({ width, height, data }: ColourPicture): Promise<GreyPicture> {
  return grey(sharp(data, { raw: { width, height, channels: 3 } }), { width, height })
}

/** Evens out light and shadow and removes single specks, which helps with photos of paper and hurts clean text. */
export async function flattenBackground({ width, height, data }: GreyPicture): Promise<GreyPicture> {
  const raw = { width, height, channels: 1 } as const
  const smooth = await sharp(data, { raw }).median(3).toColourspace('b-w').raw().toBuffer()
  const light = await sharp(smooth, { raw }).blur(20).toColourspace('b-w').raw().toBuffer()
  for (let index = 0; index < smooth.length; index++) {
    smooth[index] = Math.min(255, (255 * (smooth[index] as number)) / Math.max(1, light[index] as number))
  }
  return { width, height, data: await sharp(smooth, { raw }).normalise().toColourspace('b-w').raw().toBuffer() }
}

/** Rotates clockwise about the centre; the picture grows, and its corners are filled with white. */
export async function rotate({ width, height, data }: GreyPicture, degrees: number): Promise<GreyPicture> {
  const { data: turned, info } = await sharp(data, { raw: { width, height, channels: 1 } })
    .rotate(degrees, { background: '#ffffff' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data: turned }
}

/** The picture, at most `longestSide` long. */
export function shrink({ width, height, data }: GreyPicture, longestSide: number): Promise<GreyPicture> {
  const factor = Math.min(1, longestSide / Math.max(width, height))
  const size = { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
  return grey(sharp(data, { raw: { width, height, channels: 1 } }), size)
}

/** Turns upside down. */
export function rotate180({ width, height, data }: GreyPicture): GreyPicture {
  return { width, height, data: Buffer.from(data).reverse() }
}

/** The picture in a format that costs nothing to write or read (PGM). */
export function encodeGrey({ width, height, data }: GreyPicture): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data])
}

async function grey(picture: Sharp, size: { width: number; height: number }): Promise<GreyPicture> {
  const { data, info } = await picture
    .resize(size.width, size.height, { fit: 'fill' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data }
}
