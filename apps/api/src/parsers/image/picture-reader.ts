import type { ImageFormat } from '@mira/shared'
import type { Metadata, Sharp } from 'sharp'
import { AppError, PayloadTooLargeError, UnsupportedTypeError, ValidationError } from '../../errors.ts'
import { createSemaphore } from '../../platform/lib/semaphore.ts'
import { isSystemError } from '../../platform/storage/whole-file.ts'
import { say } from '../../sentences.ts'
import { imageFormats, sniffImage } from '../sniff/sniff.ts'
import { BmpError, BmpTooLargeError } from './bmp.ts'
import { copyOf, type EncodedImage, pixelsOf, THUMBNAIL_LONGEST_SIDE, thumbnailOf } from './copies-and-thumbnails.ts'
import { PictureProblem, pictureParams, unshowable } from './phone/picture-problem.ts'
import { MAX_MEGAPIXELS, MAX_PIXELS } from './pixel-picture.ts'
import { type ImageSource, openUpright, uprightSize } from './upright-picture.ts'

/** Properties of a picture by its content; the size is in pixels, upright. */
export interface ImageInfo {
  format: ImageFormat
  contentType: string
  /** Extension of files of this format, without the dot. */
  extension: string
  width: number
  height: number
}

interface ReadOptions {
  /** `MAX_PIXELS` by default. */
  maxPixels?: number
  /** Name of the picture in sentences; "This picture" by default. */
  label?: string
  /** Decodes as much of a damaged picture as possible and leaves the rest blank, instead of failing. */
  toleratesDamage?: boolean
}

interface ResolvedOptions extends Required<Omit<ReadOptions, 'label'>> {
  label: string | undefined
}

export interface ThumbnailOptions extends ReadOptions {
  /** In pixels; 512 by default. */
  longestSide?: number
}

/** Reads untrusted pictures, bounded in size, memory and time. */
export interface Images {
  /**
   * Properties of a picture, read without decoding it.
   * @throws UnsupportedTypeError when its format can't be read, PayloadTooLargeError when it has too many pixels,
   * ValidationError when it's damaged, UnavailableError when too many wait.
   */
  readImage(source: ImageSource, options?: ReadOptions): Promise<ImageInfo>
  /**
   * Upright JPEG for models and screens: at most 1568 pixels on the longest side (longer for a very tall or wide picture) and
   * 1.5 MB, on white, without camera data or location; of an animation, the first frame.
   * @throws as readImage does, and when any part of the picture is damaged.
   */
  shrinkForModel(source: ImageSource, options?: ReadOptions): Promise<EncodedImage>
  /** Small upright WebP for lists. @throws as shrinkForModel does. */
  thumbnail(source: ImageSource, options?: ThumbnailOptions): Promise<EncodedImage>
}

/** Reads pictures in the calling process. */
export interface LocalImages extends Images {
  /** Decodes a picture, upright, with its metadata. @throws as shrinkForModel does. */
  withDecoded<Made>(
    source: ImageSource,
    options: ReadOptions | undefined,
    work: (picture: Sharp, info: ImageInfo, metadata: Metadata | null) => Promise<Made>,
  ): Promise<Made>
}

/** Pictures through sharp, and BMP files through a reader of our own, in the calling process. */
export function createImages({
  atOnce = 2,
  maxWaiting = 100,
  timeoutSeconds = 20,
}: {
  /** Half of libuv's threads: storing files must not wait for pictures. */
  atOnce?: number
  maxWaiting?: number
  timeoutSeconds?: number
} = {}): LocalImages {
  const semaphore = createSemaphore({ permits: atOnce, maxWaiting })

  const formatOf = async (source: ImageSource, label: string | undefined): Promise<ImageFormat> => {
    const sniffed = await sniffImage(source)
    if (sniffed.format === null) throw notAnImage(label, sniffed.kind)
    return sniffed.format
  }

  /** Runs a task with a permit, and converts its errors into ones for the user. */
  const guarded = <T>(options: ReadOptions | undefined, work: (options: ResolvedOptions) => Promise<T>): Promise<T> => {
    const withDefaults = {
      maxPixels: options?.maxPixels ?? MAX_PIXELS,
      label: options?.label,
      toleratesDamage: options?.toleratesDamage ?? false,
    }
    return semaphore.run(() =>
      work(withDefaults).catch((error: unknown) => {
        throw error instanceof AppError ? error : refusal(error, withDefaults)
      }),
    )
  }

  const withDecoded: LocalImages['withDecoded'] = (source, options, work) =>
    guarded(options, async ({ maxPixels, label, toleratesDamage }) => {
      const format = await formatOf(source, label)
      const upright = await openUpright(source, format, { maxPixels, timeoutSeconds })
      return work(upright.pixels({ toleratesDamage }), infoOf(format, upright), upright.metadata)
    })

  return {
    withDecoded,

    readImage: (source, options) =>
      guarded(options, async ({ maxPixels, label }) => {
        const format = await formatOf(source, label)
        return infoOf(format, await uprightSize(source, format, maxPixels))
      }),

    shrinkForModel: (source, options) => withDecoded(source, options, async (picture) => (await copyOf(picture)).copy),

    thumbnail: (source, options) =>
      withDecoded(source, options, async (picture) =>
        thumbnailOf(await pixelsOf(picture, options?.longestSide ?? THUMBNAIL_LONGEST_SIDE)),
      ),
  }
}

function infoOf(format: ImageFormat, { width, height }: { width: number; height: number }): ImageInfo {
  const { contentType, extension } = imageFormats[format]
  return { format, contentType, extension, width, height }
}

function notAnImage(label: string | undefined, type: string | null): AppError {
  const params = pictureParams(label)
  return new UnsupportedTypeError(
    type === null ? say('no_picture', params) : say('picture_of_type', { ...params, type }),
  )
}

function refusal(error: unknown, { maxPixels, label }: ResolvedOptions): unknown {
  if (!(error instanceof Error) || isSystemError(error)) return error
  const params = pictureParams(label)
  const reason = error instanceof PictureProblem ? error.reason : null
  if (reason === 'too-large' || error instanceof BmpTooLargeError || /pixel limit/i.test(error.message)) {
    const megapixels = Math.min(MAX_MEGAPIXELS, Math.floor(maxPixels / 1_000_000))
    return new PayloadTooLargeError(say('picture_too_large', { ...params, megapixels }), {
      code: 'too_many_pixels',
      cause: error,
    })
  }
  if (reason === 'unknown-coding' || reason === 'no-preview') {
    return unshowable(error, reason, label)
  }
  if (/timeout/i.test(error.message)) {
    return new ValidationError(say('content_slow', params), { code: 'damaged_image', cause: error })
  }
  const damaged =
    error instanceof BmpError || reason === 'damaged'
      ? say('picture_damaged', { ...params, said: error.message })
      : say('content_damaged', params)
  return new ValidationError(damaged, { code: 'damaged_image', cause: error })
}
