import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { PackedRows } from '../../adapters/media/pictures/png-rows.ts'
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

interface Task {
  work(): BandWork
  done(answer: BandAnswer): void
  failed(error: unknown): void
  signal: AbortSignal
}

const MOST_WORKERS = 4
const LARGE_PIXELS = 24_000_000
/** No band takes a hundredth of this. */
const BAND_TIMEOUT_MS = 120_000
const IDLE_MS = 60_000

/** Workers are started when they are needed, and ended when nothing was asked for a minute. */
export function createEffectPool({
  workers: most = Math.min(MOST_WORKERS, availableParallelism()),
  idleMs = IDLE_MS,
}: {
  workers?: number
  idleMs?: number
} = {}): EffectPool {
  const waiting: Task[] = []
  const idle: Worker[] = []
  const all = new Set<Worker>()
  let idleTimer: NodeJS.Timeout | undefined
  const closing = new AbortController()

  const takeWorker = (): Worker | undefined => {
    const free = idle.pop()
    if (free || all.size >= most) return free
    const worker = new Worker(new URL('./effect-worker.ts', import.meta.url), {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    })
    worker.unref()
    all.add(worker)
    return worker
  }

  const endIdle = () => {
    for (const worker of idle.splice(0)) {
      all.delete(worker)
      void worker.terminate()
    }
  }

  const next = () => {
    clearTimeout(idleTimer)
    while (waiting.length > 0) {
      const task = waiting[0] as Task
      if (task.signal.aborted) {
        waiting.shift()
        continue
      }
      const worker = takeWorker()
      if (!worker) return
      waiting.shift()
      run(worker, task)
    }
    if (idle.length === all.size && !closing.signal.aborted) {
      idleTimer = setTimeout(endIdle, idleMs)
      idleTimer.unref()
    }
  }

  const run = (worker: Worker, task: Task) => {
    const finish = (isUsable: boolean, settle: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage)
      worker.off('error', onError)
      worker.off('exit', onExit)
      if (isUsable && !closing.signal.aborted) idle.push(worker)
      else {
        all.delete(worker)
        void worker.terminate()
      }
      settle()
      next()
    }
    const onMessage = (answer: BandAnswer) => finish(true, () => task.done(answer))
    const onError = (error: unknown) => finish(false, () => task.failed(error))
    const onExit = () => finish(false, () => task.failed(new Error('the worker of an effect ended')))
    const timer = setTimeout(() => onError(new Error('an effect took too long')), BAND_TIMEOUT_MS)
    timer.unref()
    worker.on('message', onMessage)
    worker.on('error', onError)
    worker.on('exit', onExit)
    const work = task.work()
    worker.postMessage(work, [work.data.buffer as ArrayBuffer])
  }

  /** Has every band made, and takes what came of each, in whatever order they come. */
  const makeBands = async (
    { width, height, data }: Raster,
    effectName: PixelEffectName,
    { intensity, signal, onProgress }: ApplyOptions,
    packing: BandWork['packing'],
    take: (answer: BandAnswer, band: Band) => void,
  ): Promise<void> => {
    signal.throwIfAborted()
    closing.signal.throwIfAborted()
    const kind = catalogue[effectName]
    const prepared = kind.prepare?.({ width, height, data }, intensity, unitOf(width, height))
    let doneRows = 0
    let begin = () => {}
    const rowBytes = width * 4
    /** Ends what is left of this effect, whatever came of it. */
    const over = new AbortController()
    const render = (band: Band, resolve: () => void, reject: (error: unknown) => void) =>
      waiting.push({
        signal: AbortSignal.any([signal, over.signal]),
        work: () => ({
          effectName,
          data: data.slice(band.readFrom * rowBytes, band.readUntil * rowBytes),
          width,
          fullHeight: height,
          band,
          intensity,
          prepared,
          packing,
        }),
        done: (answer) => {
          take(answer, band)
          doneRows += band.until - band.from
          onProgress?.(doneRows / height)
          if (doneRows === height) resolve()
          else begin()
        },
        failed: reject,
      })
    try {
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal })
        closing.signal.addEventListener('abort', () => reject(closing.signal.reason), {
          once: true,
          signal: over.signal,
        })
        const bands = bandsOf(kind, { width, height, intensity })
        // bands of a very large picture are made one after the other: each needs hundreds of megabytes
        const atOnce = width * height > LARGE_PIXELS ? 1 : bands.length
        begin = () => {
          const band = bands.shift()
          if (band) render(band, resolve, reject)
        }
        for (let n = 0; n < atOnce; n++) begin()
        next()
      })
    } finally {
      over.abort()
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
      clearTimeout(idleTimer)
      waiting.length = 0
      await Promise.all([...all].map((worker) => worker.terminate()))
      all.clear()
    },
  }
}
