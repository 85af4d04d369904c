import { isShownAsCopy } from '@mira/shared'
import sharp from 'sharp'
import { ValidationError } from '../../../errors.ts'
import {
  asPicture,
  copyOf,
  type EncodedImage,
  pixelsOf,
  THUMBNAIL_LONGEST_SIDE,
  thumbnailOf,
} from './copies-and-thumbnails.ts'
import { type CameraFacts, readCameraFacts } from './exif.ts'
import { findMotion } from './phone/motion.ts'
import { PictureProblem } from './phone/picture-problem.ts'
import type { ImageInfo, LocalImages } from './picture-reader.ts'
import { thumbhashOf } from './thumbhash.ts'

/** Analysis and copies of a new picture. */
export interface NewPicture {
  info: ImageInfo
  camera: CameraFacts
  /** True if only a part of it could be decoded. */
  isDamaged: boolean
  thumbnail: EncodedImage
  /** A copy to look at; null where the picture itself can be shown. */
  preview: EncodedImage | null
  /** A tiny blurred picture, base64. */
  thumbhash: string
  /** Byte offset of the film that a phone appended to the pixels; null for none. */
  motionStart: number | null
}

/** Their pictures would stop moving. */
const mayMove = new Set<ImageInfo['format']>(['gif', 'webp', 'png', 'avif'])
/** More than a screen shows and a connection loads at once. */
const LARGE_PIXELS = 4_000_000
const LARGE_BYTES = 2_500_000

function wantsPreview({ format, contentType, width, height }: ImageInfo, sizeBytes: number): boolean {
  if (isShownAsCopy(contentType)) return true
  return (width * height > LARGE_PIXELS || sizeBytes > LARGE_BYTES) && !mayMove.has(format)
}

/** Below this, all pixels have one colour: nothing of a damaged picture was decoded. */
const MIN_DEVIATION = 1

/**
 * Looks at a new picture, which is decoded once. Of a damaged one, as much is shown as can be decoded. Throws as
 * Images.thumbnail does, when nothing can.
 */
export async function readNewPicture(images: LocalImages, filename: string, sizeBytes: number): Promise<NewPicture> {
  try {
    return await readPicture(images, filename, { sizeBytes, isDamaged: false })
  } catch (error) {
    if (!(error instanceof ValidationError) || error.code !== 'damaged_image') throw error
    // neither gives up its pixels a second time
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
  return images.draw(filename, { toleratesDamage: isDamaged }, async (picture, info, metadata) => {
    const camera = await readCameraFacts(filename, info.format, metadata)
    // not every program shows a damaged original
    const large = isDamaged || wantsPreview(info, sizeBytes) ? await copyOf(picture) : null
    const pixels = await pixelsOf(large === null ? picture : asPicture(large.pixels), THUMBNAIL_LONGEST_SIDE)
    return {
      info,
      camera,
      isDamaged,
      preview: large?.copy ?? null,
      thumbnail: await thumbnailOf(pixels),
      thumbhash: await thumbhashOf(asPicture(pixels)),
      motionStart: await findMotion(filename, info.format),
    }
  })
}
