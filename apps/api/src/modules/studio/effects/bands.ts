import type { PackedRows } from '../../../parsers/image/png-rows.ts'
import { COARSEST_GRID } from './blurring.ts'
import { type EffectKind, type Raster, unitOf } from './effect-kind.ts'
import { packRows } from './packing.ts'

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
