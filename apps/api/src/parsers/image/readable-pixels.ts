import sharp, { type Colour, type Sharp } from 'sharp'
import { isSystemError } from '../../platform/storage/whole-file.ts'
import { READABLE_LONGEST_SIDE } from '../ocr/ocr.ts'
import { sniffImage } from '../sniff/sniff.ts'
import { isPhoneFormat } from './phone/decoded.ts'
import { MAX_PIXELS } from './pixel-picture.ts'
import { openUpright, type UprightPicture } from './upright-picture.ts'

/** An RGB picture, three bytes per pixel, rows from the top. */
export interface ColourPicture {
  width: number
  height: number
  data: Buffer
}

/** Smaller pictures are enlarged: letters should be some 30 pixels high, and in screenshots they're 12. */
const SMALL_SIDE = 1_000
const ENLARGED_BY = 2
/** Ratio of height to width from which a picture is taller than any screen. */
const TALL = 2.6
const MIN_TALL_ROWS = 960
const DECODING_SECONDS = 20
/** OCR reads as much of a damaged picture as can be decoded. */
const DECODING_OPTIONS = { toleratesDamage: true }
/** Pixels sampled to distinguish light from dark letters. */
const SAMPLE_SIDE = 200
/** Candidate background shades, 0 to 255: white first, then black, then shades between those of light and dark letters. */
const backgrounds = [255, 0, 128, 64, 192] as const
/** Letters that differ this much from their background, of 255, are read well. */
const MIN_CONTRAST = 96
/** Minimum share of a visible shade; rarer ones are the blurred edges of letters. */
const MIN_SHARE = 0.05

/** Pixels of a picture for OCR. */
export interface ReadablePixels {
  width: number
  height: number
  /** True for a picture much taller than wide; its pixels then have their full size. */
  isTall: boolean
  /** True when these are all the pixels that OCR can use, so decoding a larger version is needless. */
  isWhole: boolean
}

/** The decoder's error for a damaged or too large picture. */
class DamagedPictureError extends Error {
  readonly code = 'damaged_image'
}

/**
 * Decodes a picture for OCR, upright, with transparency filled so that letters stand out; small ones are enlarged.
 * @param longestSide larger pictures are shrunk while decoding, which is cheaper than decoding them in full. Formats
 * that are always decoded in full get the largest size that is read, and tall pictures keep their size, or their letters would be lost.
 * @throws DamagedPictureError.
 */
export async function readablePixels(filename: string, longestSide: number): Promise<ColourPicture & ReadablePixels> {
  try {
    const { format } = await sniffImage(filename)
    const picture = await openUpright(filename, format, { maxPixels: MAX_PIXELS, timeoutSeconds: DECODING_SECONDS })
    const { width, height, isOpaque } = picture
    const background = isOpaque ? null : await backgroundFor(picture)
    const pixels =
      background === null ? picture.pixels(DECODING_OPTIONS) : picture.pixels(DECODING_OPTIONS).flatten({ background })
    const isTall = height > TALL * width && height > MIN_TALL_ROWS
    const whole = isTall ? { width, height } : readableSize(picture, READABLE_LONGEST_SIDE)
    const size = isTall || (format !== null && isPhoneFormat(format)) ? whole : readableSize(picture, longestSide)
    return { ...(await resizePixels(pixels, size)), isTall, isWhole: size.width === whole.width }
  } catch (error) {
    if (isSystemError(error)) throw error
    throw new DamagedPictureError(error instanceof Error ? error.message : String(error))
  }
}

/** The picture scaled for OCR: no larger than `longestSide`; small ones are enlarged. */
export const scaledForReading = (picture: ColourPicture, longestSide: number): Promise<ColourPicture> =>
  scalePicture(picture, readableSize(picture, longestSide))

/** The picture shrunk to `longestSide`, or the same picture if it's no larger. */
export const shrinkTo = async (picture: ColourPicture, longestSide: number): Promise<ColourPicture> =>
  Math.max(picture.width, picture.height) <= longestSide ? picture : scaledForReading(picture, longestSide)

async function scalePicture(
  { width, height, data }: ColourPicture,
  size: { width: number; height: number },
): Promise<ColourPicture> {
  if (size.width === width && size.height === height) return { width, height, data }
  return resizePixels(sharp(data, { raw: { width, height, channels: 3 } }), size)
}

async function resizePixels(pixels: Sharp, size: { width: number; height: number }): Promise<ColourPicture> {
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

/** Background with enough contrast to every visible shade of a transparent picture, or else the one with the most. */
async function backgroundFor(picture: UprightPicture): Promise<Colour> {
  const { data, info } = await picture
    .pixels(DECODING_OPTIONS)
    .resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'inside' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const opacities = new Float64Array(256)
  let totalOpacity = 0
  for (let index = 0; index < data.length; index += info.channels) {
    const alpha = data[index + info.channels - 1] ?? 0
    const [red = 0, green = 0, blue = 0] =
      info.channels < 4 ? [data[index], data[index], data[index]] : data.subarray(index, index + 3)
    const shade = Math.round(0.299 * red + 0.587 * green + 0.114 * blue)
    opacities[shade] = (opacities[shade] ?? 0) + alpha
    totalOpacity += alpha
  }
  const isVisible = (_: unknown, shade: number) => sumAround(opacities, shade) >= MIN_SHARE * totalOpacity
  const visibleShades = Array.from(opacities.keys()).filter(isVisible)
  const distance = (background: number) => Math.min(...visibleShades.map((shade) => Math.abs(shade - background)))
  const background =
    backgrounds.find((background) => distance(background) >= MIN_CONTRAST) ??
    backgrounds.toSorted((a, b) => distance(b) - distance(a))[0]
  return { r: background, g: background, b: background }
}

/** Opacity of a shade and its neighbours. */
const sumAround = (opacities: Float64Array, shade: number) =>
  opacities.subarray(Math.max(0, shade - 4), shade + 5).reduce((sum, one) => sum + one, 0)
