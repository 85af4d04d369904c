import { readFile } from 'node:fs/promises'
import type { ImageFormat } from '@mira/shared'
import sharp from 'sharp'
import { type FileBytes, withBytes } from '../../file-bytes.ts'
import { exifOfTiff, xmpOfTiff } from '../exif-block.ts'
import { withHeif, writePlainTiff } from './heif.ts'
import { readJxlExif, readJxlXmp, withJxl } from './jxl.ts'
import { findRawPreview, type RawFormat, type RawPreview, readCanonBlock } from './raw.ts'

type Source = Uint8Array | string

/** Formats that sharp doesn't read. */
type PhoneFormat = Extract<ImageFormat, 'heic' | 'jxl' | RawFormat>

const phoneFormats: ReadonlySet<string> = new Set<PhoneFormat>(['heic', 'jxl', 'dng', 'cr2', 'cr3', 'nef', 'arw'])

/** True for formats that are decoded here before sharp reads them. */
export function isPhoneFormat(format: ImageFormat): format is PhoneFormat {
  return phoneFormats.has(format)
}

/**
 * A picture in a format that sharp reads: HEIC and JPEG XL are decoded, RAW files yield the embedded picture
 * with its orientation; all others are unchanged.
 * @throws PictureProblem
 */
export async function asReadable(source: Source, format: ImageFormat, maxPixels: number): Promise<Source> {
  if (format === 'avif') return asStillAvif(source)
  if (!isPhoneFormat(format)) return source
  if (format === 'heic') return withHeif(await contentOf(source), maxPixels, (image) => writePlainTiff(image.decode()))
  if (format === 'jxl') return withJxl(await contentOf(source), maxPixels, (image) => image.decode())
  return withBytes(source, async (bytes) => {
    const preview = await findRawPreview(bytes, format, maxPixels)
    return withOrientation(await bytes.read(preview.start, preview.length), preview.orientation)
  })
}

/** An animated AVIF with the brand of a still one, which sharp requires. */
async function asStillAvif(source: Source): Promise<Source> {
  const isAnimated = await withBytes(source, async (bytes) => (await bytes.read(8, 4)).equals(ANIMATED_BRAND))
  if (!isAnimated) return source
  const content = Buffer.from(await contentOf(source))
  content.write('avif', 8, 'latin1')
  return content
}

/** Size of the upright picture, without decoding it. @throws PictureProblem */
export async function sizeOf(
  source: Source,
  format: PhoneFormat,
  maxPixels: number,
): Promise<{ width: number; height: number }> {
  const size = ({ width, height }: { width: number; height: number }) => ({ width, height })
  if (format === 'heic') return withHeif(await contentOf(source), maxPixels, size)
  if (format === 'jxl') return withJxl(await contentOf(source), maxPixels, size)
  return withBytes(source, async (bytes) => {
    const preview = await findRawPreview(bytes, format, maxPixels)
    const { autoOrient } = await sharp(
      await withOrientation(await jpegStart(bytes, preview), preview.orientation),
    ).metadata()
    return size(autoOrient)
  })
}

/** Metadata blocks of a picture of any format. */
export interface PictureBlocks {
  /** From their byte order mark. */
  exif: Buffer[]
  xmp: Buffer | null
}

/** Metadata blocks of a phone or camera picture. A broken one doesn't affect the others. */
export async function metadataBlocksOf(source: Source, format: PhoneFormat, maxBytes: number): Promise<PictureBlocks> {
  if (format === 'heic') {
    // nothing is decoded, so no size is too large
    return withHeif(await contentOf(source), MAX_UINT32, (image) =>
      readBlocks(
        () => image.readExif(maxBytes),
        () => image.readXmp(maxBytes),
      ),
    )
  }
  return withBytes(source, async (bytes) => {
    if (format === 'cr3') {
      const exif = [await readCanonBlock(bytes, 'CMT1', maxBytes), await readCanonBlock(bytes, 'CMT2', maxBytes)]
      return { exif, xmp: null }
    }
    const [readExif, readXmp] = format === 'jxl' ? [readJxlExif, readJxlXmp] : [exifOfTiff, xmpOfTiff]
    return readBlocks(
      () => readExif(bytes, maxBytes),
      () => readXmp(bytes, maxBytes),
    )
  })
}

type BlockReader = () => Buffer | null | Promise<Buffer | null>

async function readBlocks(readExif: BlockReader, readXmp: BlockReader): Promise<PictureBlocks> {
  const exif = await orNull(readExif)
  return { exif: exif ? [exif] : [], xmp: await orNull(readXmp) }
}

/** The result, or null for an error: one broken part of a file doesn't affect the others. */
export async function orNull<Result>(read: () => Result | Promise<Result>): Promise<Result | null> {
  try {
    return await read()
  } catch {
    return null
  }
}

const ANIMATED_BRAND = Buffer.from('avis')
const MAX_UINT32 = 0xffff_ffff
/** Headers of a JPEG, which may contain the camera's thumbnails. */
const JPEG_START_BYTES = 256 * 1024

function jpegStart(bytes: FileBytes, { start, length }: RawPreview): Promise<Buffer> {
  return bytes.read(start, Math.min(length, JPEG_START_BYTES))
}

async function contentOf(source: Source): Promise<Uint8Array> {
  return typeof source === 'string' ? readFile(source) : source
}

/** JPEG segment of EXIF with nothing but the orientation, at byte 28. */
const ORIENTATION_SEGMENT = Buffer.from(
  'ffe1002245786966000049492a0008000000010012010300010000000000000000000000',
  'hex',
)
const ORIENTATION_OFFSET = 28

/** A JPEG with the orientation of its RAW file, unless it has one itself. */
async function withOrientation(jpeg: Buffer, orientation: number): Promise<Buffer> {
  if (orientation === 1 || (await sharp(jpeg).metadata()).orientation !== undefined) return jpeg
  const segment = Buffer.from(ORIENTATION_SEGMENT)
  segment.writeUInt16LE(orientation, ORIENTATION_OFFSET)
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)])
}
