import ExifReader from 'exifreader'
import { AppError, PayloadTooLargeError, ValidationError } from '../../errors.ts'
import { isSystemError } from '../../platform/storage/whole-file.ts'
import { say } from '../../sentences.ts'
import { sniffImage } from '../sniff/sniff.ts'
import { type PictureEncoding, pictureEncoding } from './encode-picture.ts'
import { boundedExif } from './exif-block.ts'
import { PictureProblem, unshowable } from './phone/picture-problem.ts'
import { blocksOfPicture } from './picture-metadata.ts'
import { CHANNELS, MAX_MEGAPIXELS, MAX_PIXELS, type PixelPicture } from './pixel-picture.ts'
import { openUpright } from './upright-picture.ts'

export interface DecodeOptions {
  longestSide?: number | undefined
  inSrgb?: boolean
}

/** Decodes pictures to pixels and writes pixels as pictures; bounded in size. */
export interface Pixels extends PictureEncoding {
  /**
   * Decodes a picture in its own colours.
   * @param longestSide bound that larger pictures are shrunk to.
   * @param inSrgb converts the colours to sRGB.
   * @throws PayloadTooLargeError above about 50 megapixels; ValidationError for a damaged picture.
   */
  decode(filename: string, options?: DecodeOptions): Promise<PixelPicture>
}

const TIMEOUT_SECONDS = 30
const MAX_VALUE_CHARACTERS = 200
/** Profiles of printers and scanners have one or two megabytes. */
const PROFILE_MAX_BYTES = 4_000_000

/** EXIF tags that are kept; nothing else is, so that no location slips through. */
const keptTags = {
  IFD0: ['Make', 'Model', 'Artist', 'Copyright', 'DateTime'],
  IFD2: ['DateTimeOriginal', 'OffsetTimeOriginal', 'LensModel', 'ExposureTime', 'FNumber', 'FocalLength'],
}

/** Pixels through sharp, and BMP files through a reader of our own, in the calling process. */
export function createPixels(): Pixels {
  return {
    async decode(filename, { longestSide, inSrgb = false } = {}) {
      try {
        const { format } = await sniffImage(filename)
        const picture = await openUpright(filename, format, { maxPixels: MAX_PIXELS, timeoutSeconds: TIMEOUT_SECONDS })
        // RGB pictures keep their profile; others are converted
        const { icc, space, channels = 0 } = picture.metadata ?? {}
        const keepsProfile =
          !inSrgb && icc !== undefined && icc.length <= PROFILE_MAX_BYTES && space !== 'cmyk' && channels >= 3
        const opened = picture.pixels({ keepsProfile })
        const sized = longestSide
          ? opened.resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
          : opened
        const { data, info } = await sized
          .toColourspace('srgb')
          .ensureAlpha()
          .raw({ depth: 'uchar' })
          .toBuffer({ resolveWithObject: true })
        if (info.channels !== CHANNELS) throw new Error(`the picture has ${info.channels} channels`)
        return {
          width: info.width,
          height: info.height,
          data: new Uint8ClampedArray(data.buffer, data.byteOffset, data.length),
          isOpaque: picture.isOpaque,
          iccProfile: (keepsProfile && icc) || null,
          exif: format === null ? {} : keptExif((await blocksOfPicture(filename, format, picture.metadata)).exif),
        }
      } catch (error) {
        throw asRefusal(error)
      }
    },
    ...pictureEncoding,
  }
}

/** The kept tags of EXIF blocks, in the form that sharp writes. */
function keptExif(blocks: readonly Buffer[]): PixelPicture['exif'] {
  const exif: PixelPicture['exif'] = {}
  const allTags = Object.assign({}, ...blocks.map(tagsOf)) as ReturnType<typeof tagsOf>
  for (const [directory, names] of Object.entries(keptTags)) {
    const values: Record<string, string> = {}
    for (const name of names) {
      const { value, description } = allTags[name] ?? {}
      const isFraction = Array.isArray(value) && value.length === 2 && value.every(Number.isInteger)
      const text = isFraction ? value.join('/') : description
      if (typeof text === 'string' && text !== '' && text.length <= MAX_VALUE_CHARACTERS) values[name] = text
    }
    if (Object.keys(values).length > 0) exif[directory] = values
  }
  return exif
}

/** Tags of an EXIF block; none of an unreadable one. */
function tagsOf(block: Buffer): Record<string, { value?: unknown; description?: unknown } | undefined> {
  const bounded = boundedExif(block)
  if (bounded === null) return {}
  try {
    return ExifReader.load(bounded) as ReturnType<typeof tagsOf>
  } catch {
    return {}
  }
}

function asRefusal(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error) || isSystemError(error)) return error
  if (error instanceof PictureProblem && (error.reason === 'no-preview' || error.reason === 'unknown-coding')) {
    return unshowable(error, error.reason)
  }
  if (/pixel limit|too large|too many pixels/i.test(error.message)) {
    return new PayloadTooLargeError(say('picture_too_large', { kind: 'picture', megapixels: MAX_MEGAPIXELS }), {
      code: 'too_many_pixels',
      cause: error,
    })
  }
  const sentence = say('content_damaged', { kind: 'picture' })
  return new ValidationError(sentence, { code: 'damaged_image', cause: error })
}
