import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { MainModule } from 'libheif-js/libheif-wasm/libheif.js'
import { PictureProblem } from './picture-problem.ts'

/** Decoded pixels, rows from the top without gaps, 8 bits each; straight alpha when there are four channels. */
interface PlainPixels {
  width: number
  height: number
  channels: 3 | 4
  data: Buffer
  /** The colour profile that the values are in; null for sRGB. */
  iccProfile: Buffer | null
}

const SHORT = 3
const LONG = 4
const UNDEFINED = 7
const ROWS_PER_STRIP = 64
const HEADER_BYTES = 8
const ENTRY_BYTES = 12

/**
 * Pixels as an uncompressed TIFF (TIFF 6.0, section 6), which costs nothing to write and keeps their colour profile: sharp
 * accepts pixels with a profile in no other way.
 */
export function writePlainTiff({ width, height, channels, data, iccProfile }: PlainPixels): Buffer {
  const rowBytes = width * channels
  const stripCount = Math.ceil(height / ROWS_PER_STRIP)
  const stripBytes = (strip: number) => rowBytes * Math.min(ROWS_PER_STRIP, height - strip * ROWS_PER_STRIP)
  const longs = (count: number, numberAt: (index: number) => number) => {
    const values = Buffer.alloc(count * 4)
    for (let index = 0; index < count; index++) values.writeUInt32LE(numberAt(index), index * 4)
    return values
  }
  const bits = Buffer.alloc(channels * 2)
  for (let channel = 0; channel < channels; channel++) bits.writeUInt16LE(8, channel * 2)
  const entries: { tag: number; type: number; value: number | Buffer }[] = [
    { tag: 256, type: LONG, value: width },
    { tag: 257, type: LONG, value: height },
    { tag: 258, type: SHORT, value: bits },
    { tag: 259, type: SHORT, value: 1 },
    { tag: 262, type: SHORT, value: 2 },
    { tag: 273, type: LONG, value: Buffer.alloc(stripCount * 4) },
    { tag: 277, type: SHORT, value: channels },
    { tag: 278, type: LONG, value: ROWS_PER_STRIP },
    { tag: 279, type: LONG, value: longs(stripCount, stripBytes) },
    ...(channels === 4 ? [{ tag: 338, type: SHORT, value: 2 }] : []),
    ...(iccProfile ? [{ tag: 34_675, type: UNDEFINED, value: iccProfile }] : []),
  ]
  const directoryBytes = 2 + entries.length * ENTRY_BYTES + 4
  const outOfLineValues = entries.flatMap(({ value }) => (typeof value !== 'number' && value.length > 4 ? [value] : []))
  const even = (length: number) => length + (length % 2)
  const pixelsOffset = outOfLineValues.reduce(
    (index, value) => index + even(value.length),
    HEADER_BYTES + directoryBytes,
  )
  const file = Buffer.alloc(pixelsOffset + data.length)
  file.write('II*\0', 0, 'latin1')
  file.writeUInt32LE(HEADER_BYTES, 4)
  file.writeUInt16LE(entries.length, HEADER_BYTES)
  let valueOffset = HEADER_BYTES + directoryBytes
  for (const [index, { tag, type, value: rawValue }] of entries.entries()) {
    const offset = HEADER_BYTES + 2 + index * ENTRY_BYTES
    const value =
      tag === 273 ? longs(stripCount, (strip) => pixelsOffset + strip * ROWS_PER_STRIP * rowBytes) : rawValue
    const eachBytes = type === SHORT ? 2 : type === LONG ? 4 : 1
    file.writeUInt16LE(tag, offset)
    file.writeUInt16LE(type, offset + 2)
    file.writeUInt32LE(typeof value === 'number' ? 1 : value.length / eachBytes, offset + 4)
    if (typeof value === 'number') file.writeUInt32LE(value, offset + 8)
    else if (value.length <= 4) value.copy(file, offset + 8)
    else {
      file.writeUInt32LE(valueOffset, offset + 8)
      value.copy(file, valueOffset)
      valueOffset += even(value.length)
    }
  }
  data.copy(file, pixelsOffset)
  return file
}

/** An opened picture of a HEIF file, not decoded yet. */
interface OpenHeif {
  /** Upright, as the file's rotation says. */
  width: number
  height: number
  decode(): PlainPixels
  /** EXIF block from its byte order mark; null when missing. */
  readExif(maxBytes: number): Buffer | null
  /** XMP packet; null when missing. */
  readXmp(maxBytes: number): Buffer | null
}

/** Constants of libheif (libheif/heif.h). */
const ERROR_BYTES = 12
const UNSUPPORTED = new Set([3, 4])
const MEMORY_EXCEEDED = 1000
const COLOURS_RGB = 1
const INTERLEAVED_RGB = 10
const INTERLEAVED_RGBA = 11
const CHANNEL_INTERLEAVED = 10
/** Offset of the maximum number of pixels in the security limits, after their version. */
const MAX_PIXELS_OFFSET = 8
/** Offset of `strict_decoding` in the decoding options, which turns any fault into an error. */
const STRICT_OFFSET = 21
/** Profiles of printers and scanners have one or two megabytes. */
const PROFILE_MAX_BYTES = 4_000_000
/** Limit of metadata blocks of one kind. */
const MAX_BLOCKS = 8
const MAX_TYPE_CHARACTERS = 100
const XMP_TYPE = 'application/rdf+xml'

const require = createRequire(import.meta.url)
type CreateModule = (options: { wasmBinary: Uint8Array }) => Promise<MainModule>
let wasm: Promise<Uint8Array> | undefined

/** A new instance of the library for each file, so that no memory is shared or leaked. */
async function openLibrary(): Promise<MainModule> {
  wasm ??= readFile(require.resolve('libheif-js/libheif-wasm/libheif.wasm'))
  const createModule = require('libheif-js/libheif-wasm/libheif.js') as CreateModule
  return createModule({ wasmBinary: await wasm })
}

/**
 * Opens the primary picture of a HEIF file, or the first one of a sequence.
 * @throws PictureProblem when it is damaged, has too many pixels, or has an unsupported coding.
 */
export async function withHeif<Result>(
  content: Uint8Array,
  maxPixels: number,
  use: (picture: OpenHeif) => Result,
): Promise<Result> {
  const library = await openLibrary()
  // The library returns error codes for undecodable files, but broken ones make WebAssembly throw.
  try {
    return use(openPicture(library, content, maxPixels))
  } catch (error) {
    if (error instanceof PictureProblem || !(error instanceof Error)) throw error
    throw new PictureProblem('undecodable', 'cannot be decoded', { cause: error })
  }
}

function openPicture(library: MainModule, content: Uint8Array, maxPixels: number): OpenHeif {
  const numberAt = (index: number) => library.HEAPU32[index >> 2] as number
  const textAt = (index: number) => {
    const end = library.HEAPU8.indexOf(0, index)
    return Buffer.from(library.HEAPU8.slice(index, Math.min(end, index + MAX_TYPE_CHARACTERS))).toString('latin1')
  }
  const error = library._malloc(ERROR_BYTES)
  const pointer = library._malloc(8)
  const check = (call: () => void) => {
    call()
    const [code, detail] = [numberAt(error), numberAt(error + 4)]
    if (code === 0) return
    if (detail === MEMORY_EXCEEDED) throw tooLarge()
    if (UNSUPPORTED.has(code)) throw new PictureProblem('unknown-coding', 'has an unsupported coding')
    throw new PictureProblem('undecodable', 'cannot be decoded')
  }

  const file = library._malloc(content.length)
  if (file === 0) throw tooLarge()
  library.HEAPU8.set(content, file)
  const context = library._heif_context_alloc()
  const limits = library._heif_context_get_security_limits(context)
  library.HEAPU32[(limits + MAX_PIXELS_OFFSET) >> 2] = maxPixels
  library.HEAPU32[(limits + MAX_PIXELS_OFFSET + 4) >> 2] = 0
  check(() => library._heif_context_read_from_memory_without_copy(error, context, file, content.length, 0))

  const decodedOf = (image: number): PlainPixels => {
    const [width, height] = [
      library._heif_image_get_primary_width(image),
      library._heif_image_get_primary_height(image),
    ]
    if (width < 1 || height < 1) throw new PictureProblem('undecodable', 'cannot be decoded')
    if (width * height > maxPixels) throw tooLarge()
    const channels = library._heif_image_get_chroma_format(image) === INTERLEAVED_RGBA ? 4 : 3
    const plane = library._heif_image_get_plane_readonly(image, CHANNEL_INTERLEAVED, pointer)
    const [stride, rowBytes] = [numberAt(pointer), width * channels]
    if (plane === 0 || stride < rowBytes) throw new PictureProblem('undecodable', 'cannot be decoded')
    const data = Buffer.allocUnsafe(height * rowBytes)
    for (let row = 0; row < height; row++) {
      data.set(library.HEAPU8.subarray(plane + row * stride, plane + row * stride + rowBytes), row * rowBytes)
    }
    return { width, height, channels, data, iccProfile: null }
  }

  if (library._heif_context_get_number_of_top_level_images(context) === 0) {
    return openSequence()
  }
  check(() => library._heif_context_get_primary_image_handle(error, context, pointer))
  const handle = numberAt(pointer)
  const [width, height] = [library._heif_image_handle_get_width(handle), library._heif_image_handle_get_height(handle)]
  if (width * height > maxPixels) throw tooLarge()

  const readProfile = (): Buffer | null => {
    const length = library._heif_image_handle_get_raw_color_profile_size(handle)
    if (length === 0 || length > PROFILE_MAX_BYTES) return null
    const profile = library._malloc(length)
    check(() => library._heif_image_handle_get_raw_color_profile(error, handle, profile))
    return Buffer.from(library.HEAPU8.slice(profile, profile + length))
  }

  /** The first block of a kind. @param contentType of 'mime' blocks; null for others. */
  const readBlock = (kind: string, contentType: string | null, maxBytes: number): Buffer | null => {
    const name = library._malloc(8)
    library.HEAPU8.set(Buffer.from(`${kind}\0`, 'latin1'), name)
    const ids = library._malloc(4 * MAX_BLOCKS)
    const count = library._heif_image_handle_get_list_of_metadata_block_IDs(handle, name, ids, MAX_BLOCKS)
    const id = Array.from({ length: count }, (_, index) => numberAt(ids + 4 * index)).find(
      (id) =>
        contentType === null ||
        textAt(library._heif_image_handle_get_metadata_content_type(handle, id)) === contentType,
    )
    if (id === undefined) return null
    const length = library._heif_image_handle_get_metadata_size(handle, id)
    if (length < 8 || length > maxBytes) return null
    const block = library._malloc(length)
    check(() => library._heif_image_handle_get_metadata(error, handle, id, block))
    return Buffer.from(library.HEAPU8.slice(block, block + length))
  }

  return {
    width,
    height,
    decode() {
      const chroma = library._heif_image_handle_has_alpha_channel(handle) ? INTERLEAVED_RGBA : INTERLEAVED_RGB
      const options = library._heif_decoding_options_alloc()
      // otherwise missing tiles are left grey
      library.HEAPU8[options + STRICT_OFFSET] = 1
      check(() => library._heif_decode_image(error, handle, pointer, COLOURS_RGB, chroma, options))
      return { ...decodedOf(numberAt(pointer)), iccProfile: readProfile() }
    },
    readExif(maxBytes) {
      const block = readBlock('Exif', null, maxBytes)
      return block && fromByteOrder(block)
    },
    readXmp: (maxBytes) => readBlock('mime', XMP_TYPE, maxBytes),
  }

  function openSequence(): OpenHeif {
    const track = library._heif_context_get_track(context, 0)
    if (track === 0) throw new PictureProblem('no-preview', 'has no preview that can be shown')
    check(() => library._heif_track_get_image_resolution(error, track, pointer, pointer + 2))
    const size = { width: library.HEAPU16[pointer >> 1], height: library.HEAPU16[(pointer + 2) >> 1] }
    if (size.width * size.height > maxPixels) throw tooLarge()
    return {
      ...size,
      decode() {
        check(() => library._heif_track_decode_next_image(error, track, pointer, COLOURS_RGB, INTERLEAVED_RGB, 0))
        return decodedOf(numberAt(pointer))
      },
      readExif: () => null,
      readXmp: () => null,
    }
  }
}

const tooLarge = () => new PictureProblem('too-large', 'has too many pixels')

/** EXIF from its byte order mark; the block starts with the number of bytes before that (ISO/IEC 23008-12, A.2.1). */
export function fromByteOrder(block: Buffer): Buffer | null {
  const start = 4 + block.readUInt32BE(0)
  return start + 8 <= block.length ? block.subarray(start) : null
}
