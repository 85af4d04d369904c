import { isShownAsCopy } from '@mira/shared'
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
import type { ImageInfo, LocalImages } from './picture-reader.ts'
import { thumbhashOf } from './thumbhash.ts'

/** What is found out about a picture that somebody adds, and what is made of it. */
export interface NewPicture {
  info: ImageInfo
  camera: CameraFacts
  thumbnail: EncodedImage
  /** A copy to look at; null where the picture itself can be shown. */
  preview: EncodedImage | null
  /** A tiny blurred picture, base64. */
  thumbhash: string
  /** Where the film begins that a phone put behind the pixels; null when there is none. */
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

/** Looks at a new picture, which is decoded once. Throws as Images.thumbnail does. */
export function readNewPicture(images: LocalImages, filename: string, sizeBytes: number): Promise<NewPicture> {
  return images.draw(filename, undefined, async (picture, info, metadata) => {
    const camera = await readCameraFacts(filename, info.format, metadata)
    const large = wantsPreview(info, sizeBytes) ? await copyOf(picture) : null
    const pixels = await pixelsOf(large === null ? picture : asPicture(large.pixels), THUMBNAIL_LONGEST_SIDE)
    return {
      info,
      camera,
      preview: large?.copy ?? null,
      thumbnail: await thumbnailOf(pixels),
      thumbhash: await thumbhashOf(asPicture(pixels)),
      motionStart: await findMotion(filename, info.format),
    }
  })
}
