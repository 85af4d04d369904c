import { constants, crc32, deflateRawSync } from 'node:zlib'

/** Rows of a picture as a part of a PNG's data: filtered and compressed, to be joined with those above and below. */
export interface PackedRows {
  /** A stretch of deflate that ends at a byte and does not look back at what comes before it. */
  data: Uint8Array
  /** Adler-32 and size of what is compressed. */
  checksum: number
  sizeBytes: number
}

/** Chunks of a PNG that stand between its header and its data. */
const NO_CHUNKS = Buffer.alloc(0)
const LEVEL = 2
const CHUNK_SIZE = 256 * 1024
const SUB = 1
const UP = 2
/** The largest prime below 65536 (RFC 1950), and how many bytes can be added up before a sum is too large. */
const ADLER = 65521
const ADLER_RUN = 5552

/**
 * Packs rows of red, green, blue and alpha. Each row is filtered by what changes least, to its left or above (PNG
 * specification, 12.8); the other filters gain photos next to nothing and take twice the time.
 */
export function packRows(
  { data, width }: { data: Uint8ClampedArray; width: number },
  { isOpaque }: { isOpaque: boolean },
): PackedRows {
  const channels = isOpaque ? 3 : 4
  const rowBytes = width * channels
  const rows = data.length / (width * 4)
  const filtered = new Uint8Array((rowBytes + 1) * rows)
  let above = new Uint8Array(rowBytes)
  let values = new Uint8Array(rowBytes)
  const ups = new Uint8Array(rowBytes)
  for (let row = 0; row < rows; row++) {
    for (let i = 0, p = row * width * 4; i < rowBytes; i += channels, p += 4) {
      values[i] = data[p] as number
      values[i + 1] = data[p + 1] as number
      values[i + 2] = data[p + 2] as number
      if (!isOpaque) values[i + 3] = data[p + 3] as number
    }
    const start = row * (rowBytes + 1) + 1
    let subSum = 0
    let upSum = 0
    for (let i = 0; i < rowBytes; i++) {
      const value = values[i] as number
      const sub = value - (i < channels ? 0 : (values[i - channels] as number))
      const up = value - (above[i] as number)
      filtered[start + i] = sub
      ups[i] = up
      // how far from none as a signed byte, which is what is stored
      subSum += Math.abs((sub << 24) >> 24)
      upSum += Math.abs((up << 24) >> 24)
    }
    // the rows above the first one are packed elsewhere
    const isUp = row > 0 && upSum < subSum
    filtered[start - 1] = isUp ? UP : SUB
    if (isUp) filtered.set(ups, start)
    const known = above
    above = values
    values = known
  }
  const packed = deflateRawSync(filtered, {
    level: LEVEL,
    chunkSize: CHUNK_SIZE,
    finishFlush: constants.Z_SYNC_FLUSH,
  })
  // a copy, because what is sent to another thread must own its memory
  return { data: new Uint8Array(packed), checksum: adlerOf(filtered), sizeBytes: filtered.length }
}

/** A PNG of rows that were packed apart. @param chunks those of another PNG that are to be in this one. */
export function joinRows(
  parts: readonly PackedRows[],
  { width, height, isOpaque }: { width: number; height: number; isOpaque: boolean },
  chunks: Buffer = NO_CHUNKS,
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const EIGHT_BITS = 8
  const COLOUR = 2
  const COLOUR_AND_ALPHA = 6
  header.set([EIGHT_BITS, isOpaque ? COLOUR : COLOUR_AND_ALPHA], 8)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(parts.reduce((sum, part) => addAdler(sum, part), 1))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...chunkOf('IHDR', header),
    chunks,
    // the header of zlib, and a last block that holds nothing
    ...chunkOf('IDAT', Buffer.from([0x78, 0x01])),
    ...parts.flatMap(({ data }) => chunkOf('IDAT', data)),
    ...chunkOf('IDAT', Buffer.concat([Buffer.from([0x03, 0x00]), checksum])),
    ...chunkOf('IEND', Buffer.alloc(0)),
  ])
}

/** The chunks that stand before the data of a PNG, without its header. */
export function chunksBeforeData(png: Buffer): Buffer {
  const HEADER_END = 33
  const AROUND = 12
  let at = HEADER_END
  while (at + AROUND <= png.length && png.toString('latin1', at + 4, at + 8) !== 'IDAT') {
    at += png.readUInt32BE(at) + AROUND
  }
  return png.subarray(HEADER_END, at)
}

/** A chunk in the parts it is written from, so that large data is copied once. */
export function chunkOf(type: string, data: Uint8Array): Uint8Array[] {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length)
  head.write(type, 4, 'latin1')
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(data, crc32(head.subarray(4))))
  return [head, data, check]
}

function adlerOf(data: Uint8Array): number {
  let low = 1
  let high = 0
  for (let at = 0; at < data.length; ) {
    const end = Math.min(data.length, at + ADLER_RUN)
    for (; at < end; at++) {
      low += data[at] as number
      high += low
    }
    low %= ADLER
    high %= ADLER
  }
  return high * 65536 + low
}

/** The checksum of one stretch of bytes and another behind it. */
function addAdler(before: number, { checksum, sizeBytes }: PackedRows): number {
  const [low, high] = [before % 65536, Math.floor(before / 65536)]
  const [nextLow, nextHigh] = [checksum % 65536, Math.floor(checksum / 65536)]
  // each of the later bytes counts what came before once more
  const sumLow = (low + nextLow + ADLER - 1) % ADLER
  const sumHigh = (high + nextHigh + (sizeBytes % ADLER) * ((low + ADLER - 1) % ADLER)) % ADLER
  return sumHigh * 65536 + sumLow
}
