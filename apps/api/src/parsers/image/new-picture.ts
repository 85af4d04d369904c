import { isShownAsCopy } from '@mira/shared/constants/formats'
import sharp, { type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { ValidationError } from '../../errors.ts'
import {
  asPicture,
  copyOf,
  type EncodedImage,
  pixelsOf,
  THUMBNAIL_LONGEST_SIDE,
  thumbnailOf,
} from './copies-and-thumbnails.ts'
import { findMotion } from './phone/motion.ts'
import { PictureProblem } from './phone/picture-problem.ts'
import { type CameraFacts, readCameraFacts } from './picture-metadata.ts'
import type { ImageInfo, LocalImages } from './picture-reader.ts'

/** Limit of the thumbhash package. */
const MAX_THUMBHASH_SIDE = 100

/**
 * A tiny blurred version of a picture, base64 of some 25 bytes, shown until the picture has loaded.
 * @param picture a thumbnail, or its bytes, that sharp can decode.
 */
export async function thumbhashOf(picture: Uint8Array | Sharp): Promise<string> {
  const { data, info } = await (picture instanceof Uint8Array ? sharp(picture) : picture)
    .resize(MAX_THUMBHASH_SIDE, MAX_THUMBHASH_SIDE, { fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64')
}

/** Analysis and copies of a new picture. */
export interface NewPicture {
  info: ImageInfo
  camera: CameraFacts
  /** True when only a part could be decoded. */
  isDamaged: boolean
  thumbnail: EncodedImage
  /** A copy for display; null when the picture itself can be shown. */
  preview: EncodedImage | null
  /** A tiny blurred picture, base64. */
  thumbhash: string
  /** Byte offset of the video that a phone appended to the pixels; null for none. */
  motionStart: number | null
}

/** Formats that may be animated, unlike a copy. */
const mayBeAnimated = new Set<ImageInfo['format']>(['gif', 'webp', 'png', 'avif'])
/** Pictures above one of these limits get a copy: they have more pixels than a screen shows, more bytes than a connection loads at once. */
const LARGE_PIXELS = 4_000_000
const LARGE_BYTES = 2_500_000

function wantsPreview({ format, contentType, width, height }: ImageInfo, sizeBytes: number): boolean {
  if (isShownAsCopy(contentType)) return true
  return (width * height > LARGE_PIXELS || sizeBytes > LARGE_BYTES) && !mayBeAnimated.has(format)
}

/** Standard deviation of the pixels below which a damaged picture counts as one colour, so that nothing of it was decoded. */
const MIN_DEVIATION = 1

/**
 * Reads a new picture and makes its copies, from a single decoding if possible. A damaged picture is decoded again as far as it
 * can be.
 * @throws as Images.thumbnail does, when nothing can be decoded.
 */
export async function readNewPicture(images: LocalImages, filename: string, sizeBytes: number): Promise<NewPicture> {
  try {
    return await readPicture(images, filename, { sizeBytes, isDamaged: false })
  } catch (error) {
    if (!(error instanceof ValidationError) || error.code !== 'damaged_image') throw error
    // a second attempt wouldn't help with a PictureProblem or a timeout
    const { cause } = error
    if (cause instanceof PictureProblem || (cause instanceof Error && /timeout/i.test(cause.message))) throw error
    const picture = await readPicture(images, filename, { sizeBytes, isDamaged: true }).catch(() => null)
    if (picture === null) throw error
    const { channels } = await sharp(picture.thumbnail.data).stats()
    if (channels.every(({ stdev }) => stdev < MIN_DEVIATION)) throw error
    return picture
  }
}

function readPicture(
  images: LocalImages,
  filename: string,
  { sizeBytes, isDamaged }: { sizeBytes: number; isDamaged: boolean },
): Promise<NewPicture> {
  return images.withDecoded(filename, { toleratesDamage: isDamaged }, async (picture, info, metadata) => {
    const camera = await readCameraFacts(filename, info.format, metadata)
    // not every program shows a damaged original
    const displayCopy = isDamaged || wantsPreview(info, sizeBytes) ? await copyOf(picture) : null
    const pixels = await pixelsOf(
      displayCopy === null ? picture : asPicture(displayCopy.pixels),
      THUMBNAIL_LONGEST_SIDE,
    )
    return {
      info,
      camera,
      isDamaged,
      preview: displayCopy?.copy ?? null,
      thumbnail: await thumbnailOf(pixels),
      thumbhash: await thumbhashOf(asPicture(pixels)),
      motionStart: await findMotion(filename, info.format),
    }
  })
}
