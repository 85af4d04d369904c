import { constants, deflateRawSync } from 'node:zlib'
import type { PackedRows } from '../../../parsers/image/png-rows.ts'
import { COARSEST_GRID } from './blurring.ts'
import { type EffectKind, type Raster, unitOf } from './effect-kind.ts'

const DEFLATE_LEVEL = 2
const CHUNK_SIZE = 256 * 1024
/** Types of PNG filters. */
const SUB = 1
const UP = 2
/** Adler-32 modulus (RFC 1950), and the number of bytes that can be added up before it must be applied. */
const ADLER_MODULUS = 65521
const ADLER_RUN_BYTES = 5552

/**
 * Compresses rows of red, green, blue and alpha. Each row uses the filter with the smaller differences, Sub or Up (PNG
 * specification, 12.8); the other filters take twice the time and hardly make photos smaller.
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
  const pixels = Buffer.from(data.buffer, data.byteOffset, data.length)
  const rowOf = (row: number) => pixels.subarray(row * width * 4, (row + 1) * width * 4)
  for (let row = 0; row < rows; row++) {
    // Equal to the row above, as nearly all rows of large blocks are.
    if (row > 0 && rowOf(row).equals(rowOf(row - 1))) {
      filtered[row * (rowBytes + 1)] = UP
      continue
    }
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
      // Differences are stored as bytes, so their size is that of a signed byte.
      subSum += Math.abs((sub << 24) >> 24)
      upSum += Math.abs((up << 24) >> 24)
    }
    // The row above the first one is packed in another band.
    const isUp = row > 0 && upSum < subSum
    filtered[start - 1] = isUp ? UP : SUB
    if (isUp) filtered.set(ups, start)
    const previousRow = above
    above = values
    values = previousRow
  }
  const packed = deflateRawSync(filtered, {
    level: DEFLATE_LEVEL,
    chunkSize: CHUNK_SIZE,
    finishFlush: constants.Z_SYNC_FLUSH,
  })
  // A copy, because data sent to another thread must own its memory.
  return { data: new Uint8Array(packed), checksum: adlerOf(filtered), sizeBytes: filtered.length }
}

function adlerOf(data: Uint8Array): number {
  let low = 1
  let high = 0
  for (let index = 0; index < data.length; ) {
    const end = Math.min(data.length, index + ADLER_RUN_BYTES)
    for (; index < end; index++) {
      low += data[index] as number
      high += low
    }
    low %= ADLER_MODULUS
    high %= ADLER_MODULUS
  }
  return high * 65536 + low
}

/** A band of a picture: the rows to render, and the rows around them that rendering reads. */
export interface Band {
  /** First row to render, and the one after the last. */
  from: number
  until: number
  /** First row to read, and the one after the last. */
  readFrom: number
  readUntil: number
}

/** Small enough that a cancelled effect stops soon, and that workers need little memory. */
const BAND_PIXELS = 1_000_000

/** Cuts a picture into bands, the same ones for every worker. */
export function bandsOf(
  kind: EffectKind,
  {
    width,
    height,
    intensity,
    bandPixels = BAND_PIXELS,
  }: { width: number; height: number; intensity: number; bandPixels?: number },
): Band[] {
  const reach = kind.reach(intensity, unitOf(width, height))
  if (reach === 'whole') return [{ from: 0, until: height, readFrom: 0, readUntil: height }]
  // At most half of the rows that a band reads should overlap with other bands.
  const minRows = Math.max(bandPixels / width, reach * 2)
  const rows = Math.ceil(minRows / COARSEST_GRID) * COARSEST_GRID
  const halo = Math.ceil(reach / COARSEST_GRID) * COARSEST_GRID
  const bands: Band[] = []
  for (let from = 0; from < height; from += rows) {
    const until = Math.min(height, from + rows)
    bands.push({ from, until, readFrom: Math.max(0, from - halo), readUntil: Math.min(height, until + halo) })
  }
  return bands
}

/** Input of a worker for one band. */
export interface BandWork {
  effectName: string
  /** The rows to read. */
  data: Uint8ClampedArray
  width: number
  fullHeight: number
  band: Band
  intensity: number
  prepared: unknown
  /** Set to compress the rows for a PNG; null to return them as they are. */
  packing: { isOpaque: boolean } | null
}

/** Result of a worker. */
export type BandResult = { rendered: Uint8ClampedArray } | { packed: PackedRows }

/** Renders a band, without the surrounding rows. */
export function renderBand(
  kind: EffectKind,
  { data, width, fullHeight, band, intensity, prepared }: Omit<BandWork, 'packing'>,
): Uint8ClampedArray {
  const raster: Raster = { width, height: band.readUntil - band.readFrom, data }
  const rendered = kind.render({
    band: raster,
    top: band.readFrom,
    fullWidth: width,
    fullHeight,
    intensity,
    unit: unitOf(width, fullHeight),
    prepared,
  })
  const rowBytes = width * 4
  return rendered.slice((band.from - band.readFrom) * rowBytes, (band.until - band.readFrom) * rowBytes)
}

/** Renders a band, and packs it if requested. */
export function processBand(kind: EffectKind, work: BandWork): BandResult {
  const rendered = renderBand(kind, work)
  return work.packing ? { packed: packRows({ data: rendered, width: work.width }, work.packing) } : { rendered }
}
