/** A colour: red, green, blue, from 0 to 255. */
export type Colour = readonly [number, number, number]

/** Format of a BMP file. */
export interface BmpKind {
  bitsPerPixel: 1 | 4 | 8 | 16 | 24 | 32
  /** 0: none, 1: run lengths of bytes, 2: run lengths of half-bytes, 3: bit masks. */
  compression?: 0 | 1 | 2 | 3
  headerBytes?: 12 | 40 | 56 | 124
  isTopDown?: boolean
  /** Bit masks of red, green, blue and opacity, for compression 3. */
  masks?: [number, number, number, number]
  palette?: readonly Colour[]
}

/**
 * Writes a BMP file.
 * @param rows from the top: palette indexes up to 8 bits, otherwise the raw value of each pixel.
 */
export function writeBmp(rows: number[][], kind: BmpKind): Buffer {
  const { bitsPerPixel, compression = 0, headerBytes = 40, isTopDown = false, masks, palette = [] } = kind
  const width = rows[0]?.length ?? 0
  const maskBytes = compression === 3 && headerBytes === 40 ? 12 : 0
  const header = Buffer.alloc(14 + headerBytes + maskBytes)
  header.write('BM', 'latin1')
  header.writeUInt32LE(headerBytes, 14)
  if (headerBytes === 12) {
    header.writeUInt16LE(width, 18)
    header.writeUInt16LE(rows.length, 20)
    header.writeUInt16LE(1, 22)
    header.writeUInt16LE(bitsPerPixel, 24)
  } else {
    header.writeInt32LE(width, 18)
    header.writeInt32LE(isTopDown ? -rows.length : rows.length, 22)
    header.writeUInt16LE(1, 26)
    header.writeUInt16LE(bitsPerPixel, 28)
    header.writeUInt32LE(compression, 30)
    header.writeUInt32LE(palette.length, 46)
    const writtenMasks = headerBytes === 40 ? masks?.slice(0, 3) : masks
    if (compression === 3)
      for (const [index, mask] of (writtenMasks ?? []).entries()) header.writeUInt32LE(mask, 54 + index * 4)
  }
  const colours = Buffer.concat(
    palette.map(([red, green, blue]) => Buffer.from([blue, green, red, ...(headerBytes === 12 ? [] : [0])])),
  )
  const ordered = isTopDown ? rows : rows.toReversed()
  const pixels =
    compression === 1 || compression === 2
      ? Buffer.concat([...ordered.map((row) => writeRuns(row, compression)), Buffer.from([0, 1])])
      : Buffer.concat(ordered.map((row) => writeRow(row, bitsPerPixel)))
  header.writeUInt32LE(header.length + colours.length, 10)
  const file = Buffer.concat([header, colours, pixels])
  file.writeUInt32LE(file.length, 2)
  return file
}

function writeRow(row: number[], bitsPerPixel: number): Buffer {
  const bytes = Buffer.alloc(Math.ceil((row.length * bitsPerPixel) / 32) * 4)
  for (const [x, value] of row.entries()) {
    if (bitsPerPixel >= 16) bytes.writeUIntLE(value, (x * bitsPerPixel) / 8, bitsPerPixel / 8)
    else {
      const byteIndex = Math.floor((x * bitsPerPixel) / 8)
      const shift = 8 - bitsPerPixel - ((x * bitsPerPixel) % 8)
      bytes[byteIndex] = (bytes[byteIndex] ?? 0) | (value << shift)
    }
  }
  return bytes
}

/** The first half of a row as runs of one, the rest as one literal run when that is long enough. */
function writeRuns(row: number[], compression: 1 | 2): Buffer {
  const half = row.length - 3 < 1 ? row.length : Math.floor(row.length / 2)
  const parts: number[] = []
  for (const value of row.slice(0, half)) parts.push(1, compression === 1 ? value : value << 4)
  const literal = row.slice(half)
  if (literal.length >= 3) {
    parts.push(0, literal.length)
    const bytes = compression === 1 ? literal : pairs(literal)
    parts.push(...bytes, ...(bytes.length % 2 === 0 ? [] : [0]))
  } else for (const value of literal) parts.push(1, compression === 1 ? value : value << 4)
  return Buffer.from([...parts, 0, 0])
}

function pairs(values: number[]): number[] {
  return Array.from({ length: Math.ceil(values.length / 2) }, (_, pair) => {
    return ((values[pair * 2] ?? 0) << 4) | (values[pair * 2 + 1] ?? 0)
  })
}
