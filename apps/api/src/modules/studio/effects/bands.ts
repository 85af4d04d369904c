import { constants, deflateRawSync } from 'node:zlib'
import type { PackedRows } from '../../../parsers/image/png-rows.ts'
import { COARSEST_GRID } from './blurring.ts'
import { type EffectKind, type Raster, unitOf } from './effect-kind.ts'

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
  const pixels = Buffer.from(data.buffer, data.byteOffset, data.length)
  const rowOf = (row: number) => pixels.subarray(row * width * 4, (row + 1) * width * 4)
  for (let row = 0; row < rows; row++) {
    // nothing changes from above: large blocks have such rows nearly alone
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
      // how far from none as a signed byte, which is what is stored
      subSum += Math.abs((sub << 24) >> 24)
      upSum += Math.abs((up << 24) >> 24)
    }
    // the rows above the first one are packed elsewhere
    const isUp = row > 0 && upSum < subSum
    filtered[start - 1] = isUp ? UP : SUB
    if (isUp) filtered.set(ups, start)
    const previousRow = above
    above = values
    values = previousRow
  }
  const packed = deflateRawSync(filtered, {
    level: LEVEL,
    chunkSize: CHUNK_SIZE,
    finishFlush: constants.Z_SYNC_FLUSH,
  })
  // a copy, because what is sent to another thread must own its memory
  return { data: new Uint8Array(packed), checksum: adlerOf(filtered), sizeBytes: filtered.length }
}

function adlerOf(data: Uint8Array): number {
  let low = 1
  let high = 0
  for (let index = 0; index < data.length; ) {
    const end = Math.min(data.length, index + ADLER_RUN)
    for (; index < end; index++) {
      low += data[index] as number
      high += low
    }
    low %= ADLER
    high %= ADLER
  }
  return high * 65536 + low
}

/** A band: the rows that come out of it, and those around them that are looked at. */
export interface Band {
  /** First row that comes out, and the one after the last. */
  from: number
  until: number
  /** First row that is looked at, and the one after the last. */
  readFrom: number
  readUntil: number
}

/** Small enough that a cancelled effect stops soon and its working space stays small. */
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
  // what is looked at twice should not be more than half of it
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
  /** The rows that are looked at. */
  data: Uint8ClampedArray
  width: number
  fullHeight: number
  band: Band
  intensity: number
  prepared: unknown
  /** Given when the rows are to be packed for a PNG instead of being sent as they are. */
  packing: { isOpaque: boolean } | null
}

/** Result of a worker. */
export type BandAnswer = { rendered: Uint8ClampedArray } | { packed: PackedRows }

/** Makes a band: only the rows that come out of it. */
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

/** Makes a band, and packs it when that is wanted. */
export function answerBand(kind: EffectKind, work: BandWork): BandAnswer {
  const rendered = renderBand(kind, work)
  return work.packing ? { packed: packRows({ data: rendered, width: work.width }, work.packing) } : { rendered }
}
