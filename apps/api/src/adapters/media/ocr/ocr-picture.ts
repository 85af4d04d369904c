import { readFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { decodeBmp, looksLikeBmp } from '../pictures/bmp.ts'
import { MAX_PIXELS } from '../pictures/image.ts'
import { asReadable } from '../pictures/phone/decoded.ts'
import { sniffImage } from '../sniff/sniff.ts'

/** A picture in shades of grey, one byte a pixel, rows from the top. */
export interface GreyPicture {
  width: number
  height: number
  data: Buffer
}

/** Smaller ones are enlarged: letters should be some 30 pixels high, and on screens they are 12. */
const SMALL_SIDE = 1_000
const ENLARGED_BY = 2
/** More pixels than this say nothing more and cost time. */
const LARGEST_SIDE = 2_800
const DECODING_SECONDS = 20

/**
 * Decodes a picture as a reader of text needs it: upright, on white, in grey.
 * @throws Error of the decoder when it is damaged or too large.
 */
export async function prepareForReading(filename: string): Promise<GreyPicture> {
  const picture = await decodeUpright(filename)
  const { autoOrient } = await picture.metadata()
  return grey(picture.flatten({ background: '#ffffff' }), scaleOf(autoOrient.width, autoOrient.height))
}

/** Evens out light and shadow and takes single specks away, which helps with photos of paper and hurts clean text. */
export async function flattenBackground({ width, height, data }: GreyPicture): Promise<GreyPicture> {
  const raw = { width, height, channels: 1 } as const
  const smooth = await sharp(data, { raw }).median(3).toColourspace('b-w').raw().toBuffer()
  const light = await sharp(smooth, { raw }).blur(20).toColourspace('b-w').raw().toBuffer()
  for (let at = 0; at < smooth.length; at++) {
    smooth[at] = Math.min(255, (255 * (smooth[at] as number)) / Math.max(1, light[at] as number))
  }
  return { width, height, data: await sharp(smooth, { raw }).normalise().toColourspace('b-w').raw().toBuffer() }
}

/** Turned clockwise about its middle, with white where nothing was; it becomes larger. */
export async function turn({ width, height, data }: GreyPicture, degrees: number): Promise<GreyPicture> {
  const { data: turned, info } = await sharp(data, { raw: { width, height, channels: 1 } })
    .rotate(degrees, { background: '#ffffff' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data: turned }
}

/** Small enough to be looked at as a whole. */
export function shrink({ width, height, data }: GreyPicture, widest: number): Promise<GreyPicture> {
  const factor = Math.min(1, widest / Math.max(width, height))
  const size = { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
  return grey(sharp(data, { raw: { width, height, channels: 1 } }), size)
}

/** Upside down. */
export function turnAround({ width, height, data }: GreyPicture): GreyPicture {
  return { width, height, data: Buffer.from(data).reverse() }
}

/** The picture in a format that costs nothing to write or read (PGM). */
export function encodeGrey({ width, height, data }: GreyPicture): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data])
}

async function decodeUpright(filename: string): Promise<Sharp> {
  if (!(await looksLikeBmp(filename))) {
    const { format } = await sniffImage(filename)
    const readable = format === null ? filename : await asReadable(filename, format, MAX_PIXELS)
    return sharp(readable, { limitInputPixels: MAX_PIXELS, sequentialRead: true })
      .autoOrient()
      .timeout({ seconds: DECODING_SECONDS })
  }
  const { data, ...raw } = decodeBmp(await readFile(filename), MAX_PIXELS)
  return sharp(data, { raw, limitInputPixels: MAX_PIXELS })
}

function scaleOf(width: number, height: number): { width: number; height: number } {
  const longest = Math.max(width, height)
  const factor = longest < SMALL_SIDE ? ENLARGED_BY : Math.min(1, LARGEST_SIDE / longest)
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

async function grey(picture: Sharp, size: { width: number; height: number }): Promise<GreyPicture> {
  const { data, info } = await picture
    .resize(size.width, size.height, { fit: 'fill' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data }
}
