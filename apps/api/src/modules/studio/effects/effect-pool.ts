import { availableParallelism } from 'node:os'
import type { PackedRows } from '../../../parsers/image/png-rows.ts'
import { unlessAborted } from '../../../platform/lib/abort.ts'
import { loadOnce } from '../../../platform/lib/load-once.ts'
import { createSemaphore } from '../../../platform/lib/semaphore.ts'
import { type Band, type BandAnswer, type BandWork, bandsOf } from './bands.ts'
import { catalogue, type PixelEffectName } from './catalogue.ts'
import { type Raster, unitOf } from './effect-kind.ts'

export interface ApplyOptions {
  intensity: number
  signal: AbortSignal
  /** 0 to 1. */
  onProgress?: (progress: number) => void
}

/** Applies effects away from the event loop, on several processors. */
export interface EffectPool {
  /** The picture that is given stays as it is. @throws the signal's reason when it is aborted, within a band. */
  apply(raster: Raster, effectName: PixelEffectName, options: ApplyOptions): Promise<Raster>
  /**
   * The same, packed for a PNG by those who made it: the last effect of several needs no pixels of the whole any more.
   * @throws as apply does.
   */
  applyAndPack(
    raster: Raster & { isOpaque: boolean },
    effectName: PixelEffectName,
    options: ApplyOptions,
  ): Promise<PackedRows[]>
  close(): Promise<void>
}

const MAX_WORKERS = 4
const LARGE_PIXELS = 24_000_000
/** No band takes a hundredth of this. */
const BAND_TIMEOUT_MS = 120_000
const IDLE_MS = 60_000

/** Workers are started when they are needed, and ended when nothing was asked for a minute. */
export function createEffectPool({ workers = Math.min(MAX_WORKERS, availableParallelism()) } = {}): EffectPool {
  const pool = loadOnce(async () => {
    const { Piscina } = await import('piscina')
    return new Piscina<BandWork, BandAnswer>({
      filename: new URL('./effect-worker.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: workers,
      idleTimeout: IDLE_MS,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    })
  })
  // the rows of a band are taken out of the picture when its turn comes: those that wait hold no memory
  const semaphore = createSemaphore({ permits: workers })
  const closing = new AbortController()

  /** Has every band made, and takes what came of each, in whatever order they come. */
  const makeBands = async (
    { width, height, data }: Raster,
    effectName: PixelEffectName,
    { intensity, signal, onProgress }: ApplyOptions,
    packing: BandWork['packing'],
    take: (answer: BandAnswer, band: Band) => void,
  ): Promise<void> => {
    /** Ends what is left of this effect, whatever came of it. */
    const over = new AbortController()
    const stopped = AbortSignal.any([signal, closing.signal, over.signal])
    stopped.throwIfAborted()
    const kind = catalogue[effectName]
    const prepared = kind.prepare?.({ width, height, data }, intensity, unitOf(width, height))
    const rowBytes = width * 4
    let doneRows = 0
    const makeBand = async (band: Band) => {
      stopped.throwIfAborted()
      const { readFrom, readUntil } = band
      const rows = data.slice(readFrom * rowBytes, readUntil * rowBytes)
      const work = { effectName, data: rows, width, fullHeight: height, band, intensity, prepared, packing }
      const timeout = AbortSignal.timeout(BAND_TIMEOUT_MS)
      const answer = await (await pool()).run(work, { transferList: [rows.buffer], signal: timeout })
      stopped.throwIfAborted()
      take(answer, band)
      doneRows += band.until - band.from
      onProgress?.(doneRows / height)
    }
    const bands = bandsOf(kind, { width, height, intensity })
    // bands of a very large picture are made one after the other: each needs hundreds of megabytes
    const atOnce = width * height > LARGE_PIXELS ? 1 : bands.length
    const makeWhatIsLeft = async () => {
      for (let band = bands.shift(); band; band = bands.shift()) {
        const next = band
        await semaphore.run(() => makeBand(next), { signal: stopped })
      }
    }
    try {
      await unlessAborted(Promise.all(Array.from({ length: atOnce }, makeWhatIsLeft)), stopped)
    } finally {
      over.abort(new Error('this effect has ended'))
    }
  }

  return {
    async apply(raster, effectName, options) {
      const { width, height, data } = raster
      const output = new Uint8ClampedArray(data.length)
      await makeBands(raster, effectName, options, null, (answer, { from }) => {
        if ('rendered' in answer) output.set(answer.rendered, from * width * 4)
      })
      return { width, height, data: output }
    },

    async applyAndPack(raster, effectName, options) {
      const parts = new Map<number, PackedRows>()
      await makeBands(raster, effectName, options, { isOpaque: raster.isOpaque }, (answer, { from }) => {
        if ('packed' in answer) parts.set(from, answer.packed)
      })
      return [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part)
    },

    async close() {
      closing.abort(new Error('the server stops'))
      await (await pool.loaded)?.destroy()
    },
  }
}
