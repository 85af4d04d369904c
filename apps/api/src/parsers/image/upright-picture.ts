import type { ImageFormat } from '@mira/shared'
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { withBytes } from '../file-bytes.ts'
import { readBmpSize } from './bmp.ts'
import { decodeBmpInThread } from './bmp-thread.ts'
import { asReadable, isPhoneFormat, sizeOf } from './phone/decoded.ts'
import { squareSize, tiffPagesOf } from './tiff-pages.ts'

/** The bytes of a file, or its path. */
export type ImageSource = Uint8Array | string

/** A picture that is decoded on demand. */
export interface UprightPicture {
  /** In pixels, upright. */
  width: number
  height: number
  /** True when no pixel is transparent. */
  isOpaque: boolean
  /** The file's metadata; null for a BMP file. */
  metadata: Metadata | null
  /**
   * Upright pixels; the pipeline may be extended while they're decoded.
   * @param keepsProfile keeps the picture's colour profile instead of converting to sRGB.
   * @param toleratesDamage decodes the readable part and leaves the rest blank, instead of failing.
   */
  pixels(options?: { keepsProfile?: boolean; toleratesDamage?: boolean }): Sharp
}

/** Part of a BMP file that is read for the picture's size: headers and masks. */
const BMP_START_BYTES = 256

// sharp reads many more formats, some of which execute their content (SVG, PDF): only these are allowed.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((kind) => `VipsForeignLoad${kind}`),
})
// Hardly any picture is read twice, so nothing is cached.
sharp.cache(false)
sharp.concurrency(2)

/**
 * Opens a picture of any format upright, bounded in size and time.
 * @param format of its content; null lets sharp detect it.
 * @throws BmpError; PictureProblem; sharp's Error for a damaged picture or too many pixels.
 */
export async function openUpright(
  source: ImageSource,
  format: ImageFormat | null,
  { maxPixels, timeoutSeconds }: { maxPixels: number; timeoutSeconds: number },
): Promise<UprightPicture> {
  const limits = { limitInputPixels: maxPixels, sequentialRead: true }
  const timeout = { seconds: timeoutSeconds }
  if (format === 'bmp') {
    const { data, ...raw } = await decodeBmpInThread({ source, maxPixels }, timeoutSeconds * 1000)
    const { width, height, channels } = raw
    const pixels = () => sharp(data, { ...limits, raw }).timeout(timeout)
    return { width, height, isOpaque: channels === 3, metadata: null, pixels }
  }
  const readable =
    format === null ? source : await withSquarePixels(await asReadable(source, format, maxPixels), format, limits)
  const metadata = await sharp(readable, limits).metadata()
  const { width, height } = metadata.autoOrient
  return {
    width,
    height,
    isOpaque: !metadata.hasAlpha,
    metadata,
    // Faults that decoders only warn about, such as stray bytes between markers, don't damage pixels.
    pixels: ({ keepsProfile = false, toleratesDamage = false } = {}) => {
      const picture = sharp(readable, {
        ...limits,
        ignoreIcc: keepsProfile,
        failOn: toleratesDamage ? 'none' : 'error',
        // Otherwise the JPEG decoder stops after a hundred warnings. The timeout still bounds the work.
        unlimited: toleratesDamage && format === 'jpeg',
      })
        .autoOrient()
        .timeout(timeout)
      return keepsProfile ? picture : inSrgb(picture, metadata)
    },
  }
}

/** A pipeline that yields sRGB: sharp converts deep pictures with a profile to Display P3, and back only when asked. */
export function inSrgb(picture: Sharp, { icc, space }: Metadata): Sharp {
  return icc !== undefined && space === 'rgb16' ? picture.withIccProfile('srgb', { attach: false }) : picture
}

/** Size of the upright picture with square pixels, without decoding it. @throws as openUpright does. */
export async function uprightSize(
  source: ImageSource,
  format: ImageFormat,
  maxPixels: number,
): Promise<{ width: number; height: number }> {
  if (format === 'bmp') {
    return withBytes(source, async (bytes) => readBmpSize(await bytes.read(0, BMP_START_BYTES), maxPixels))
  }
  if (isPhoneFormat(format)) return sizeOf(source, format, maxPixels)
  const readable = await asReadable(source, format, maxPixels)
  const { autoOrient, orientation = 1 } = await sharp(readable, { limitInputPixels: maxPixels }).metadata()
  const stretched = await stretchedSize(source, format)
  if (stretched === null) return { width: autoOrient.width, height: autoOrient.height }
  return orientation >= 5 ? { width: stretched.height, height: stretched.width } : stretched
}

/** Size of a TIFF stretched to square pixels; null when they're square already, unlike those of a fax. */
async function stretchedSize(
  source: ImageSource,
  format: ImageFormat,
): Promise<{ width: number; height: number } | null> {
  const [page] = format === 'tiff' ? await tiffPagesOf(source) : []
  if (page === undefined || page.pixelRatio === 1) return null
  const { width, height } = squareSize(page)
  return { width: Math.round(width), height: Math.round(height) }
}

async function withSquarePixels(source: ImageSource, format: ImageFormat, limits: SharpOptions): Promise<ImageSource> {
  const size = await stretchedSize(source, format)
  if (size === null) return source
  return sharp(source, limits).keepMetadata().resize(size.width, size.height, { fit: 'fill' }).tiff().toBuffer()
}
