import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { initSync, JxlImage } from 'jxl-oxide-wasm'
import type { FileBytes } from '../../file-bytes.ts'
import { boxesOf } from './boxes.ts'
import { fromByteOrder } from './heif.ts'
import { PictureProblem } from './picture-problem.ts'

/** An opened JPEG XL picture, not decoded yet. */
interface OpenJxl {
  /** Upright. */
  width: number
  height: number
  /** A PNG in sRGB, the only output of the library. */
  decode(): Buffer
}

const decompress = promisify(brotliDecompress)
let loaded: Promise<unknown> | undefined

/**
 * Opens a JPEG XL picture; of an animation, the first frame is decoded.
 * @throws PictureProblem when it is damaged or has too many pixels.
 */
export async function withJxl<Result>(
  content: Uint8Array,
  maxPixels: number,
  use: (picture: OpenJxl) => Result,
): Promise<Result> {
  loaded ??= readFile(fileURLToPath(import.meta.resolve('jxl-oxide-wasm/module.wasm'))).then((code) =>
    initSync({ module: code }),
  )
  await loaded
  const image = new JxlImage()
  try {
    image.forceSrgb = true
    image.feedBytes(content)
    const isOpen = image.tryInit()
    const { width, height } = image
    if (!isOpen || width === undefined || height === undefined) throw new Error('its header is incomplete')
    if (width * height > maxPixels) throw new PictureProblem('too-large', 'has too many pixels')
    return use({
      width,
      height,
      decode() {
        // missing data would be left blank
        if (image.numLoadedKeyframes === 0) throw new Error('its first frame is incomplete')
        return Buffer.from(image.render(0).encodeToPng())
      },
    })
  } catch (error) {
    if (error instanceof PictureProblem) throw error
    throw new PictureProblem('undecodable', 'cannot be decoded', { cause: error })
  } finally {
    image.free()
  }
}

/** EXIF block from its byte order mark; null when missing. */
export async function readJxlExif(bytes: FileBytes, maxBytes: number): Promise<Buffer | null> {
  const block = await readBox(bytes, 'Exif', maxBytes)
  return block && fromByteOrder(block)
}

/** XMP packet; null when missing. */
export const readJxlXmp = (bytes: FileBytes, maxBytes: number) => readBox(bytes, 'xml ', maxBytes)

/** The first box of a type, or the compressed one (ISO/IEC 18181-2, 9.4 and 9.7). */
async function readBox(bytes: FileBytes, wanted: string, maxBytes: number): Promise<Buffer | null> {
  for (const { type, start, end } of await boxesOf(bytes)) {
    if ((type !== wanted && type !== 'brob') || end - start > maxBytes || end - start < 12) continue
    const content = await bytes.read(start, end - start)
    if (type === wanted) return content
    if (content.toString('latin1', 0, 4) !== wanted) continue
    return decompress(content.subarray(4), { maxOutputLength: maxBytes })
  }
  return null
}
