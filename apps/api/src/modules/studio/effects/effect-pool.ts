import { availableParallelism } from 'node:os'
import type { PackedRows } from '../../../parsers/image/png-rows.ts'
import { unlessAborted } from '../../../platform/lib/abort.ts'
import { loadOnce } from '../../../platform/lib/load-once.ts'
import { createSemaphore } from '../../../platform/lib/semaphore.ts'
import { type Band, type BandResult, type BandWork, bandsOf } from './bands.ts'
import { catalogue, type PixelEffectName } from './catalogue.ts'
import { type Raster, unitOf } from './effect-kind.ts'

export interface ApplyOptions {
  intensity: number
  signal: AbortSignal
  /** 0 to 1. */
  onProgress?: (progress: number) => void
}

/** Applies effects in worker threads, on several processors. */
export interface EffectPool {
  /** Returns a new picture. @throws the signal's reason when it's aborted, at the latest after a band. */
  apply(raster: Raster, effectName: PixelEffectName, options: ApplyOptions): Promise<Raster>
  /**
   * Like `apply`, but the workers compress the rows for a PNG, since nothing needs the whole picture's pixels after the last effect.
   * @throws what `apply` throws.
   */
  applyAndCompress(
    raster: Raster & { isOpaque: boolean },
    effectName: PixelEffectName,
    options: ApplyOptions,
  ): Promise<PackedRows[]>
  close(): Promise<void>
}

const MAX_WORKERS = 4
const LARGE_PIXELS = 24_000_000
/** No band takes even a hundredth of this. */
const BAND_TIMEOUT_MS = 120_000
const IDLE_MS = 60_000

/** Pool of workers, which are started on demand and ended after a minute without work. */
export function createEffectPool({ workers = Math.min(MAX_WORKERS, availableParallelism()) } = {}): EffectPool {
  const pool = loadOnce(async () => {
    const { Piscina } = await import('piscina')
    return new Piscina<BandWork, BandResult>({
      filename: new URL('./effect-worker.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: workers,
      idleTimeout: IDLE_MS,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    })
  })
  // The rows of a band are copied when it gets a permit, so that waiting bands need no memory.
  const semaphore = createSemaphore({ permits: workers })
  const closing = new AbortController()

  /** Renders all bands, and passes their results to `take` in any order. */
  const renderBands = async (
    { width, height, data }: Raster,
    effectName: PixelEffectName,
    { intensity, signal, onProgress }: ApplyOptions,
    packing: BandWork['packing'],
    take: (result: BandResult, band: Band) => void,
  ): Promise<void> => {
    /** Stops remaining bands once the effect has ended or failed. */
    const endController = new AbortController()
    const stopSignal = AbortSignal.any([signal, closing.signal, endController.signal])
    stopSignal.throwIfAborted()
    const kind = catalogue[effectName]
    const prepared = kind.prepare?.({ width, height, data }, intensity, unitOf(width, height))
    const rowBytes = width * 4
    let doneRows = 0
    const renderBand = async (band: Band) => {
      stopSignal.throwIfAborted()
      const { readFrom, readUntil } = band
      const rows = data.slice(readFrom * rowBytes, readUntil * rowBytes)
      const work = { effectName, data: rows, width, fullHeight: height, band, intensity, prepared, packing }
      const timeout = AbortSignal.timeout(BAND_TIMEOUT_MS)
      const result = await (await pool()).run(work, { transferList: [rows.buffer], signal: timeout })
      stopSignal.throwIfAborted()
      take(result, band)
      doneRows += band.until - band.from
      onProgress?.(doneRows / height)
    }
    const bands = bandsOf(kind, { width, height, intensity })
    // Bands of a very large picture are rendered one by one, since each needs hundreds of megabytes.
    const parallelCount = width * height > LARGE_PIXELS ? 1 : bands.length
    const renderRemaining = async () => {
      for (let band = bands.shift(); band; band = bands.shift()) {
        const next = band
        await semaphore.run(() => renderBand(next), { signal: stopSignal })
      }
    }
    try {
      await unlessAborted(Promise.all(Array.from({ length: parallelCount }, renderRemaining)), stopSignal)
    } finally {
      endController.abort(new Error('this effect has ended'))
    }
  }

  return {
    async apply(raster, effectName, options) {
      const { width, height, data } = raster
      const output = new Uint8ClampedArray(data.length)
      await renderBands(raster, effectName, options, null, (result, { from }) => {
        if ('rendered' in result) output.set(result.rendered, from * width * 4)
      })
      return { width, height, data: output }
    },

    async applyAndCompress(raster, effectName, options) {
      const parts = new Map<number, PackedRows>()
      await renderBands(raster, effectName, options, { isOpaque: raster.isOpaque }, (result, { from }) => {
        if ('packed' in result) parts.set(from, result.packed)
      })
      return [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part)
    },

    async close() {
      closing.abort(new Error('the server is stopping'))
      await (await pool.loaded)?.destroy()
    },
  }
}
