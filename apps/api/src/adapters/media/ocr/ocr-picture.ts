import sharp, { type Sharp } from 'sharp'
import { READABLE_LONGEST_SIDE } from '../pictures/copies-and-thumbnails.ts'
import { MAX_PIXELS } from '../pictures/picture-reader.ts'
import { openUpright, type UprightPicture } from '../pictures/upright-picture.ts'
import { sniffImage } from '../sniff/sniff.ts'
import type { ColourPicture } from './text-strip.ts'

/** A picture in shades of grey, one byte a pixel, rows from the top. */
export interface GreyPicture {
  width: number
  height: number
  data: Buffer
}

/** Smaller ones are enlarged: letters should be some 30 pixels high, and on screens they are 12. */
const SMALL_SIDE = 1_000
const ENLARGED_BY = 2
const DECODING_SECONDS = 20
/** The letters in what is left of a damaged picture count. */
const READING = { toleratesDamage: true }
/** Enough pixels to tell light letters from dark ones. */
const SAMPLE_SIDE = 200
/** The brightness, of 255, from which letters are light. */
const LIGHT_FROM = 150

/**
 * Decodes a picture as a reader of text needs it: upright, in grey, what is transparent filled so that letters stand out.
 * @throws Error of the decoder when it is damaged or too large.
 */
export async function prepareForReading(filename: string): Promise<GreyPicture> {
  const picture = await openedUpright(filename)
  const { width, height } = picture
  return grey(await onContrast(picture), scaleOf(width, height, READABLE_LONGEST_SIDE))
}

/**
 * Decodes a picture in colours, upright, transparency filled as there; small ones are enlarged.
 * @param longestSide larger ones are made smaller while they are decoded, which costs less than decoding all of them.
 * @throws as prepareForReading does.
 */
export async function prepareColours(filename: string, longestSide: number): Promise<ColourPicture> {
  const picture = await openedUpright(filename)
  const { width, height } = scaleOf(picture.width, picture.height, longestSide)
  const opaque = await onContrast(picture)
  const { data, info } = await opaque
    .resize(width, height, { fit: 'fill', kernel: 'linear' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  if (info.channels === 3) return { width: info.width, height: info.height, data }
  const colours = Buffer.allocUnsafe(info.width * info.height * 3)
  for (let at = 0; at < info.width * info.height; at++)
    colours.fill(data[at * info.channels] as number, at * 3, at * 3 + 3)
  return { width: info.width, height: info.height, data: colours }
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

/** The pixels on white, or on black where what can be seen of a transparent picture is mostly light. */
async function onContrast(picture: UprightPicture): Promise<Sharp> {
  if (picture.isOpaque) return picture.pixels(READING)
  const { data, info } = await picture
    .pixels(READING)
    .resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'inside' })
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  let light = 0
  let opacity = 0
  for (let at = 0; at < data.length; at += info.channels) {
    const alpha = data[at + info.channels - 1] ?? 0
    light += (data[at] ?? 0) * alpha
    opacity += alpha
  }
  return picture.pixels(READING).flatten({ background: light > LIGHT_FROM * opacity ? '#000000' : '#ffffff' })
}

async function openedUpright(filename: string): Promise<UprightPicture> {
  const { format } = await sniffImage(filename)
  return openUpright(filename, format, { maxPixels: MAX_PIXELS, timeoutSeconds: DECODING_SECONDS })
}

function scaleOf(width: number, height: number, largestSide: number): { width: number; height: number } {
  const longest = Math.max(width, height)
  const factor = Math.min(longest < SMALL_SIDE ? ENLARGED_BY : 1, largestSide / longest)
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
