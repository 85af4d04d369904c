import sharp, { type Colour, type Sharp } from 'sharp'
import { READABLE_LONGEST_SIDE } from '../image/copies-and-thumbnails.ts'
import { MAX_PIXELS } from '../image/picture-reader.ts'
import { openUpright, type UprightPicture } from '../image/upright-picture.ts'
import { sniffImage } from '../sniff/sniff.ts'
import type { ColourPicture } from './text-boxes.ts'

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
/** The readable part of a damaged picture is used. */
const READING = { toleratesDamage: true }
/** Pixels sampled to distinguish light from dark letters. */
const SAMPLE_SIDE = 200
/** Candidate backgrounds, of 255: white first, then shades between kinds of letters. */
const grounds = [255, 0, 128, 64, 192] as const
/** Letters that are so far from their ground are read well. */
const STANDS_OUT = 96
/** A brightness that less is of is a rim. */
const MIN_SEEN = 0.05

/** A picture, or a stretch of one, as it is read: upright, without transparency. */
export interface ReadablePicture {
  width: number
  height: number
  pixels(): Sharp
}

/**
 * Opens a picture for OCR, with transparency filled so that letters stand out.
 * @throws the decoder's Error for a damaged or too large picture.
 */
export async function openForReading(filename: string): Promise<ReadablePicture> {
  const { format } = await sniffImage(filename)
  const picture = await openUpright(filename, format, { maxPixels: MAX_PIXELS, timeoutSeconds: DECODING_SECONDS })
  const { width, height, isOpaque } = picture
  if (isOpaque) return { width, height, pixels: () => picture.pixels(READING) }
  const background = await groundBehind(picture)
  return { width, height, pixels: () => picture.pixels(READING).flatten({ background }) }
}

/** Decodes a picture in grey. @throws as openForReading does. */
export async function prepareForReading({ width, height, pixels }: ReadablePicture): Promise<GreyPicture> {
  return grey(pixels(), scaleOf(width, height, READABLE_LONGEST_SIDE))
}

/**
 * Decodes a picture in colours; small ones are enlarged.
 * @param longestSide larger pictures are shrunk while decoding, which is cheaper than decoding them in full.
 * @throws as openForReading does.
 */
export async function prepareColours(picture: ReadablePicture, longestSide: number): Promise<ColourPicture> {
  const { width, height } = scaleOf(picture.width, picture.height, longestSide)
  const { data, info } = await picture
    .pixels()
    .resize(width, height, { fit: 'fill', kernel: 'linear' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  if (info.channels === 3) return { width: info.width, height: info.height, data }
  const colours = Buffer.allocUnsafe(info.width * info.height * 3)
  for (let index = 0; index < info.width * info.height; index++)
    colours.fill(data[index * info.channels] as number, index * 3, index * 3 + 3)
  return { width: info.width, height: info.height, data: colours }
}

/** Evens out light and shadow and takes single specks away, which helps with photos of paper and hurts clean text. */
export async function flattenBackground({ width, height, data }: GreyPicture): Promise<GreyPicture> {
  const raw = { width, height, channels: 1 } as const
  const smooth = await sharp(data, { raw }).median(3).toColourspace('b-w').raw().toBuffer()
  const light = await sharp(smooth, { raw }).blur(20).toColourspace('b-w').raw().toBuffer()
  for (let index = 0; index < smooth.length; index++) {
    smooth[index] = Math.min(255, (255 * (smooth[index] as number)) / Math.max(1, light[index] as number))
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

/** The ground, of several, that is furthest from every brightness of what can be seen of a transparent picture. */
async function groundBehind(picture: UprightPicture): Promise<Colour> {
  const { data, info } = await picture
    .pixels(READING)
    .resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'inside' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const opacities = new Float64Array(256)
  let all = 0
  for (let index = 0; index < data.length; index += info.channels) {
    const alpha = data[index + info.channels - 1] ?? 0
    const [red = 0, green = 0, blue = 0] =
      info.channels < 4 ? [data[index], data[index], data[index]] : data.subarray(index, index + 3)
    const shade = Math.round(0.299 * red + 0.587 * green + 0.114 * blue)
    opacities[shade] = (opacities[shade] ?? 0) + alpha
    all += alpha
  }
  const isSeen = (_: unknown, shade: number) => sumAround(opacities, shade) >= MIN_SEEN * all
  const visibleIndexes = Array.from(opacities.keys()).filter(isSeen)
  const distance = (ground: number) => Math.min(...visibleIndexes.map((shade) => Math.abs(shade - ground)))
  const ground =
    grounds.find((ground) => distance(ground) >= STANDS_OUT) ?? grounds.toSorted((a, b) => distance(b) - distance(a))[0]
  return { r: ground, g: ground, b: ground }
}

/** Opacity of about one brightness. */
const sumAround = (opacities: Float64Array, shade: number) =>
  opacities.subarray(Math.max(0, shade - 4), shade + 5).reduce((sum, one) => sum + one, 0)

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
