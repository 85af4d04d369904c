import { crc32 } from 'node:zlib'

/** Filtered and compressed rows of a PNG, to be joined with those above and below. */
export interface PackedRows {
  /** Byte-aligned deflate data without references to earlier data. */
  data: Uint8Array
  /** Adler-32 and size of the uncompressed data. */
  checksum: number
  sizeBytes: number
}

/** Default for a PNG with no chunks between its header and its data. */
const NO_CHUNKS = Buffer.alloc(0)
/** The largest prime below 65536 (RFC 1950). */
const ADLER = 65521

/** A PNG of separately packed rows. @param chunks ancillary chunks of another PNG to include. */
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
    // the zlib header, and an empty last block
    ...chunkOf('IDAT', Buffer.from([0x78, 0x01])),
    ...parts.flatMap(({ data }) => chunkOf('IDAT', data)),
    ...chunkOf('IDAT', Buffer.concat([Buffer.from([0x03, 0x00]), checksum])),
    ...chunkOf('IEND', Buffer.alloc(0)),
  ])
}

/** Chunks before the data of a PNG, without its header. */
export function chunksBeforeData(png: Buffer): Buffer {
  const HEADER_END = 33
  const CHUNK_OVERHEAD = 12
  let offset = HEADER_END
  while (offset + CHUNK_OVERHEAD <= png.length && png.toString('latin1', offset + 4, offset + 8) !== 'IDAT') {
    offset += png.readUInt32BE(offset) + CHUNK_OVERHEAD
  }
  return png.subarray(HEADER_END, offset)
}

/** A chunk in parts that are yet to be joined, so that large data is copied once. */
export function chunkOf(type: string, data: Uint8Array): Uint8Array[] {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length)
  head.write(type, 4, 'latin1')
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(data, crc32(head.subarray(4))))
  return [head, data, check]
}

/** Adler-32 of bytes followed by packed rows. @param before Adler-32 of the bytes before the rows. */
function addAdler(before: number, { checksum, sizeBytes }: PackedRows): number {
  const [low, high] = [before % 65536, Math.floor(before / 65536)]
  const [nextLow, nextHigh] = [checksum % 65536, Math.floor(checksum / 65536)]
  // each later byte adds the low sum so far to the high one
  const sumLow = (low + nextLow + ADLER - 1) % ADLER
  const sumHigh = (high + nextHigh + (sizeBytes % ADLER) * ((low + ADLER - 1) % ADLER)) % ADLER
  return sumHigh * 65536 + sumLow
}
