import sharp, { type Colour, type Sharp } from 'sharp'
import { READABLE_LONGEST_SIDE } from '../ocr/ocr.ts'
import { sniffImage } from '../sniff/sniff.ts'
import { isPhoneFormat } from './phone/decoded.ts'
import { MAX_PIXELS } from './picture-reader.ts'
import { openUpright, type UprightPicture } from './upright-picture.ts'

/** A picture in colours, three bytes a pixel, rows from the top. */
export interface ColourPicture {
  width: number
  height: number
  data: Buffer
}

/** Smaller ones are enlarged: letters should be some 30 pixels high, and on screens they are 12. */
const SMALL_SIDE = 1_000
const ENLARGED_BY = 2
/** So many times as high as wide is taller than any screen. */
const TALL = 2.6
const MIN_TALL_ROWS = 960
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

/** Pixels of a picture for OCR. */
export interface ReadablePixels {
  width: number
  height: number
  /** Much taller than wide, and of full size. */
  isTall: boolean
  /** No larger one would be read. */
  isWhole: boolean
}

/** The decoder's error for a damaged or too large picture. */
class DamagedPictureError extends Error {
  readonly code = 'damaged_image'
}

/**
 * Decodes a picture for OCR, upright, with transparency filled so that letters stand out; small ones are enlarged.
 * @param longestSide larger pictures are shrunk while decoding, which is cheaper than decoding them in full. Those of formats
 * that are always decoded in full are given as they will be read, and tall ones whole, as their letters would be lost.
 * @throws DamagedPictureError.
 */
export async function readablePixels(filename: string, longestSide: number): Promise<ColourPicture & ReadablePixels> {
  try {
    const { format } = await sniffImage(filename)
    const picture = await openUpright(filename, format, { maxPixels: MAX_PIXELS, timeoutSeconds: DECODING_SECONDS })
    const { width, height, isOpaque } = picture
    const background = isOpaque ? null : await groundBehind(picture)
    const pixels = background === null ? picture.pixels(READING) : picture.pixels(READING).flatten({ background })
    const isTall = height > TALL * width && height > MIN_TALL_ROWS
    const whole = isTall ? { width, height } : readableSize(picture, READABLE_LONGEST_SIDE)
    const size = isTall || (format !== null && isPhoneFormat(format)) ? whole : readableSize(picture, longestSide)
    return { ...(await resized(pixels, size)), isTall, isWhole: size.width === whole.width }
  } catch (error) {
    throw new DamagedPictureError(error instanceof Error ? error.message : String(error))
  }
}

/** The same picture for OCR, small enough; small ones are enlarged. */
export const scaledForReading = (picture: ColourPicture, longestSide: number): Promise<ColourPicture> =>
  scaled(picture, readableSize(picture, longestSide))

/** The same picture, small enough. */
export const shrunk = async (picture: ColourPicture, longestSide: number): Promise<ColourPicture> =>
  Math.max(picture.width, picture.height) <= longestSide ? picture : scaledForReading(picture, longestSide)

async function scaled(
  { width, height, data }: ColourPicture,
  size: { width: number; height: number },
): Promise<ColourPicture> {
  if (size.width === width && size.height === height) return { width, height, data }
  return resized(sharp(data, { raw: { width, height, channels: 3 } }), size)
}

async function resized(pixels: Sharp, size: { width: number; height: number }): Promise<ColourPicture> {
  const { data, info } = await pixels
    .resize(size.width, size.height, { fit: 'fill', kernel: 'linear' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  if (channels === 3) return { width, height, data }
  const colours = Buffer.allocUnsafe(width * height * 3)
  for (let index = 0; index < width * height; index++)
    colours.fill(data[index * channels] as number, index * 3, index * 3 + 3)
  return { width, height, data: colours }
}

function readableSize(picture: { width: number; height: number }, longestSide: number) {
  const longest = Math.max(picture.width, picture.height)
  const factor = Math.min(longest < SMALL_SIDE ? ENLARGED_BY : 1, longestSide / longest)
  const scaled = (side: number) => Math.max(1, Math.round(side * factor))
  return { width: scaled(picture.width), height: scaled(picture.height) }
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
