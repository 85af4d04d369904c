import { open } from 'node:fs/promises'

/** A decoded picture: rows from the top, samples of 8 bits, red first; the fourth channel is opacity. */
export interface BitmapPixels {
  width: number
  height: number
  channels: 3 | 4
  data: Uint8Array
}

/** A faulty BMP file; the message completes "This BMP file …". */
export class BmpError extends Error {
  override name = 'BmpError'
}

/** The picture has more pixels than may be read. */
export class BmpTooLargeError extends BmpError {
  override name = 'BmpTooLargeError'
}

interface BmpHeader {
  width: number
  height: number
  isTopDown: boolean
  bitsPerPixel: number
  compression: Compression
  /** Byte offset of the pixels. */
  pixelOffset: number
  /** Red, green, blue, alpha; 0 for a missing channel. */
  masks: [number, number, number, number]
  palette: Uint8Array
}

type Compression = 'none' | 'rle8' | 'rle4' | 'masks'

const FILE_HEADER_BYTES = 14
const OS2_HEADER_BYTES = 12
/** Header lengths of OS/2 1, Windows 3, NT (two), OS/2 2, Windows 4 and 5. */
const headerLengths = [OS2_HEADER_BYTES, 40, 52, 56, 64, 108, 124]
const LONGEST_HEADER_BYTES = FILE_HEADER_BYTES + 124
const depthsByCompression: Record<Compression, number[]> = {
  none: [1, 4, 8, 16, 24, 32],
  rle8: [8],
  rle4: [4],
  masks: [16, 32],
}

/** True when the content has the header of a BMP file, not just its first two letters. */
export async function looksLikeBmp(source: Uint8Array | string): Promise<boolean> {
  const bytes = typeof source === 'string' ? await readStart(source) : source
  if (bytes.length < FILE_HEADER_BYTES + OS2_HEADER_BYTES || bytes[0] !== 0x42 || bytes[1] !== 0x4d) return false
  const view = viewOf(bytes)
  const length = view.getUint32(14, true)
  if (!headerLengths.includes(length) || bytes.length < FILE_HEADER_BYTES + length) return false
  return view.getUint16(length === OS2_HEADER_BYTES ? 22 : 26, true) === 1
}

/**
 * Reads the size of a picture without its pixels.
 * @param bytes start of the file, which may end before the palette.
 * @throws BmpError for an invalid header.
 */
export function readBmpSize(bytes: Uint8Array, maxPixels: number): { width: number; height: number } {
  const { width, height } = readHeader(bytes, maxPixels)
  return { width, height }
}

/**
 * Decodes a BMP file: 1, 4, 8, 16, 24 and 32 bits, run lengths, bit masks, Windows and OS/2. It blocks the thread (about
 * 10 ms per million pixels), so call it in a worker.
 * @throws BmpError for a damaged file; BmpTooLargeError before memory for more than `maxPixels` is allocated.
 */
export function decodeBmp(bytes: Uint8Array, maxPixels: number): BitmapPixels {
  const header = readHeader(bytes, maxPixels)
  if (header.pixelOffset > bytes.length) throw new BmpError('has a wrong pixel offset')
  switch (header.compression) {
    case 'rle8':
    case 'rle4':
      return fromPalette(header, decodeRuns(bytes, header))
    case 'masks':
      return decodeMasks(bytes, header)
    case 'none':
      if (header.bitsPerPixel <= 8) return fromPalette(header, decodeIndices(bytes, header))
      return header.bitsPerPixel === 24 ? decodeTriples(bytes, header) : decodeMasks(bytes, header)
  }
}

async function readStart(path: string): Promise<Uint8Array> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST_HEADER_BYTES), 0, LONGEST_HEADER_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function readHeader(bytes: Uint8Array, maxPixels: number): BmpHeader {
  const view = viewOf(bytes)
  if (bytes.length < FILE_HEADER_BYTES + OS2_HEADER_BYTES || bytes[0] !== 0x42 || bytes[1] !== 0x4d)
    throw new BmpError('has no header')
  const pixelOffset = view.getUint32(10, true)
  const length = view.getUint32(14, true)
  if (!headerLengths.includes(length) || bytes.length < FILE_HEADER_BYTES + length)
    throw new BmpError('has an unknown kind of header')
  const isOs2 = length === OS2_HEADER_BYTES
  const width = isOs2 ? view.getUint16(18, true) : view.getInt32(18, true)
  const signedHeight = isOs2 ? view.getUint16(20, true) : view.getInt32(22, true)
  const bitsPerPixel = view.getUint16(isOs2 ? 24 : 28, true)
  const height = Math.abs(signedHeight)
  if (width <= 0 || height === 0) throw new BmpError('has no width or height')
  if (width * height > maxPixels) throw new BmpTooLargeError('has too many pixels')

  const compression = readCompression(isOs2 ? 0 : view.getUint32(30, true), length)
  if (!depthsByCompression[compression].includes(bitsPerPixel)) throw new BmpError('has an unknown colour depth')
  const isTopDown = signedHeight < 0
  if (isTopDown && (compression === 'rle8' || compression === 'rle4'))
    throw new BmpError('has run-length encoded rows from top to bottom')

  const hasMaskTail = length === 40 && compression === 'masks'
  const maskBytes = hasMaskTail ? (view.getUint32(30, true) === 6 ? 16 : 12) : 0
  const paletteOffset = FILE_HEADER_BYTES + length + maskBytes
  if (pixelOffset < paletteOffset) throw new BmpError('has a wrong pixel offset')
  return {
    width,
    height,
    isTopDown,
    bitsPerPixel,
    compression,
    pixelOffset,
    masks: readMasks(view, { compression, bitsPerPixel, hasOpacity: length >= 56 || maskBytes === 16 }),
    palette:
      bitsPerPixel > 8
        ? new Uint8Array()
        : readPalette(bytes.subarray(paletteOffset, pixelOffset), {
            count: (isOs2 ? 0 : view.getUint32(46, true)) || 2 ** bitsPerPixel,
            entryBytes: isOs2 ? 3 : 4,
          }),
  }
}

function readCompression(code: number, headerLength: number): Compression {
  if (code === 0) return 'none'
  if (code === 1) return 'rle8'
  if (code === 2) return 'rle4'
  // in OS/2's header the same numbers mean something else
  if ((code === 3 || code === 6) && headerLength !== 64) return 'masks'
  throw new BmpError('has an unknown compression')
}

function readMasks(
  view: DataView,
  { compression, bitsPerPixel, hasOpacity }: { compression: Compression; bitsPerPixel: number; hasOpacity: boolean },
): BmpHeader['masks'] {
  if (compression !== 'masks') return bitsPerPixel === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff0000, 0xff00, 0xff, 0]
  const maskAt = (index: number) => {
    const offset = FILE_HEADER_BYTES + 40 + index * 4
    if (offset + 4 > view.byteLength) throw new BmpError('ends in its header')
    return view.getUint32(offset, true)
  }
  return [maskAt(0), maskAt(1), maskAt(2), hasOpacity ? maskAt(3) : 0]
}

/** 256 RGB colours of three bytes each; missing ones are black. */
function readPalette(bytes: Uint8Array, { count, entryBytes }: { count: number; entryBytes: number }): Uint8Array {
  const palette = new Uint8Array(256 * 3)
  const entryCount = Math.min(count, 256, Math.floor(bytes.length / entryBytes))
  for (let entry = 0; entry < entryCount; entry++) {
    palette[entry * 3] = bytes[entry * entryBytes + 2] as number
    palette[entry * 3 + 1] = bytes[entry * entryBytes + 1] as number
    palette[entry * 3 + 2] = bytes[entry * entryBytes] as number
  }
  return palette
}

/** Bytes of a row in the file, a multiple of four. @throws BmpError when the file ends before its last row. */
function requireRows(bytes: Uint8Array, { width, height, bitsPerPixel, pixelOffset }: BmpHeader): number {
  const stride = Math.ceil((width * bitsPerPixel) / 32) * 4
  const lastRow = Math.ceil((width * bitsPerPixel) / 8)
  if (pixelOffset + stride * (height - 1) + lastRow > bytes.length) throw new BmpError('ends before its last row')
  return stride
}

/** Index of a file row's first pixel in the picture. */
function rowStart({ width, height, isTopDown }: BmpHeader, row: number): number {
  return (isTopDown ? row : height - 1 - row) * width
}

/** Palette indices, one byte each. */
function decodeIndices(bytes: Uint8Array, header: BmpHeader): Uint8Array {
  const { width, height, bitsPerPixel, pixelOffset } = header
  const stride = requireRows(bytes, header)
  const indices = new Uint8Array(width * height)
  const perByte = 8 / bitsPerPixel
  const mask = 2 ** bitsPerPixel - 1
  for (let row = 0; row < height; row++) {
    const from = pixelOffset + row * stride
    const to = rowStart(header, row)
    if (bitsPerPixel === 8) {
      indices.set(bytes.subarray(from, from + width), to)
      continue
    }
    for (let x = 0; x < width; x++) {
      const byte = bytes[from + Math.floor(x / perByte)] as number
      indices[to + x] = (byte >> (8 - bitsPerPixel - (x % perByte) * bitsPerPixel)) & mask
    }
  }
  return indices
}

/** Palette indices of a run-length encoded picture; gaps get the first colour. */
function decodeRuns(bytes: Uint8Array, header: BmpHeader): Uint8Array {
  const { width, height, compression, pixelOffset } = header
  const indices = new Uint8Array(width * height)
  const isNibbles = compression === 'rle4'
  let x = 0
  let row = 0
  let offset = pixelOffset
  const next = () => {
    const byte = bytes[offset++]
    if (byte === undefined) throw new BmpError('ends before its last row')
    return byte
  }
  /** Runs may exceed the row: pixels outside aren't written, which bounds the work. */
  const visible = (count: number) => Math.max(0, Math.min(count, width - x))
  while (row < height) {
    const count = next()
    const value = next()
    const to = rowStart(header, row) + x
    if (count > 0) {
      const visibleCount = visible(count)
      if (!isNibbles) indices.fill(value, to, to + visibleCount)
      else for (let i = 0; i < visibleCount; i++) indices[to + i] = i % 2 === 0 ? value >> 4 : value & 15
      x += count
    } else if (value === 0) {
      x = 0
      row++
    } else if (value === 1) {
      break
    } else if (value === 2) {
      x += next()
      row += next()
    } else {
      const length = isNibbles ? Math.ceil(value / 2) : value
      if (offset + length > bytes.length) throw new BmpError('ends before its last row')
      const visibleCount = visible(value)
      for (let i = 0; i < visibleCount; i++) {
        const byte = bytes[offset + (isNibbles ? i >> 1 : i)] as number
        indices[to + i] = isNibbles ? (i % 2 === 0 ? byte >> 4 : byte & 15) : byte
      }
      x += value
      // literal runs are padded to an even length
      offset += length + (length % 2)
    }
  }
  return indices
}

function fromPalette({ width, height, palette }: BmpHeader, indices: Uint8Array): BitmapPixels {
  const data = new Uint8Array(width * height * 3)
  for (let pixel = 0, to = 0; pixel < indices.length; pixel++, to += 3) {
    const from = (indices[pixel] as number) * 3
    data[to] = palette[from] as number
    data[to + 1] = palette[from + 1] as number
    data[to + 2] = palette[from + 2] as number
  }
  return { width, height, channels: 3, data }
}

function decodeTriples(bytes: Uint8Array, header: BmpHeader): BitmapPixels {
  const { width, height, pixelOffset } = header
  const stride = requireRows(bytes, header)
  const data = new Uint8Array(width * height * 3)
  for (let row = 0; row < height; row++) {
    let from = pixelOffset + row * stride
    let to = rowStart(header, row) * 3
    for (let x = 0; x < width; x++, from += 3, to += 3) {
      data[to] = bytes[from + 2] as number
      data[to + 1] = bytes[from + 1] as number
      data[to + 2] = bytes[from] as number
    }
  }
  return { width, height, channels: 3, data }
}

/** Pixels of 16 or 32 bits with channel masks. */
function decodeMasks(bytes: Uint8Array, header: BmpHeader): BitmapPixels {
  const { width, height, bitsPerPixel, pixelOffset, masks } = header
  const stride = requireRows(bytes, header)
  const view = viewOf(bytes)
  const [red, green, blue, opacity] = masks.map(channelOf) as [Channel, Channel, Channel, Channel]
  const channels = masks[3] === 0 ? 3 : 4
  const data = new Uint8Array(width * height * channels)
  const step = bitsPerPixel / 8
  let isTransparentEverywhere = channels === 4
  for (let row = 0; row < height; row++) {
    let from = pixelOffset + row * stride
    let to = rowStart(header, row) * channels
    for (let x = 0; x < width; x++, from += step, to += channels) {
      const value = bitsPerPixel === 16 ? view.getUint16(from, true) : view.getUint32(from, true)
      data[to] = sample(value, red)
      data[to + 1] = sample(value, green)
      data[to + 2] = sample(value, blue)
      if (channels === 3) continue
      const alpha = sample(value, opacity)
      data[to + 3] = alpha
      if (alpha > 0) isTransparentEverywhere = false
    }
  }
  // many programs declare an opacity mask and write zeros
  if (isTransparentEverywhere) for (let offset = 3; offset < data.length; offset += 4) data[offset] = 255
  return { width, height, channels, data }
}

interface Channel {
  mask: number
  shift: number
  scale: number
}

function channelOf(mask: number): Channel {
  const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask)
  return { mask, shift, scale: mask === 0 ? 0 : 255 / (mask >>> shift) }
}

function sample(value: number, { mask, shift, scale }: Channel): number {
  return Math.round(((value & mask) >>> shift) * scale)
}
