import type { ImageFormat } from '@mira/shared'
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { withBytes } from '../file-bytes.ts'
import { readBmpSize } from './bmp.ts'
import { decodeBmpInThread } from './bmp-thread.ts'
import { asReadable, isPhoneFormat, sizeOf } from './phone/decoded.ts'
import { squareSize, tiffPagesOf } from './tiff-pages.ts'

/** The bytes of a file, or its path on the disk. */
export type ImageSource = Uint8Array | string

/** A picture whose pixels are decoded when something is made of it. */
export interface UprightPicture {
  /** In pixels, as it stands upright. */
  width: number
  height: number
  /** True when no pixel is transparent. */
  isOpaque: boolean
  /** The file's metadata; null for a BMP file. */
  metadata: Metadata | null
  /**
   * Its pixels, upright; what is made of them may be asked for while they are decoded.
   * @param keepsProfile leaves them in the colours of its own profile; they are in sRGB otherwise.
   * @param toleratesDamage decodes what can be, and leaves the rest blank, instead of failing.
   */
  pixels(options?: { keepsProfile?: boolean; toleratesDamage?: boolean }): Sharp
}

/** Part of a BMP file that is read for its size: its headers and masks. */
const BMP_START_BYTES = 256

// The library reads far more than a person's pictures, some of it by running what they say (SVG, PDF): only these.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((kind) => `VipsForeignLoad${kind}`),
})
// Nearly nothing is read twice, and what was read should not stay in memory.
sharp.cache(false)
sharp.concurrency(2)

/**
 * Opens a picture of any format as it is to be looked at: turned as the camera was held, bounded in size and time.
 * @param format what its content is; with null the library has to know it by itself.
 * @throws BmpError, PictureProblem, or the library's Error when it is damaged or has too many pixels.
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
    // what decoders only warn about, such as stray bytes between markers, costs no pixels
    pixels: ({ keepsProfile = false, toleratesDamage = false } = {}) =>
      sharp(readable, { ...limits, ignoreIcc: keepsProfile, failOn: toleratesDamage ? 'none' : 'error' })
        .autoOrient()
        .timeout(timeout),
  }
}

/** Size of the upright picture, without decoding it. Throws as openUpright does. */
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
  const { autoOrient } = await sharp(readable, { limitInputPixels: maxPixels }).metadata()
  return { width: autoOrient.width, height: autoOrient.height }
}

/** A fax with as many rows as its letters need: its pixels are longer than wide. */
async function withSquarePixels(source: ImageSource, format: ImageFormat, limits: SharpOptions): Promise<ImageSource> {
  const [page] = format === 'tiff' ? await tiffPagesOf(source) : []
  if (page === undefined || page.pixelRatio === 1) return source
  const { width, height } = squareSize(page)
  return sharp(source, limits)
    .keepMetadata()
    .resize(Math.round(width), Math.round(height), { fit: 'fill' })
    .tiff()
    .toBuffer()
}
