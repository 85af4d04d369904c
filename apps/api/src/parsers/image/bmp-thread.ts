import { Worker } from 'node:worker_threads'
import { type BitmapPixels, BmpError, BmpTooLargeError } from './bmp.ts'

/** Input of the thread. */
export interface BmpTask {
  /** Bytes, or the path of a file. */
  source: Uint8Array | string
  maxPixels: number
}

export type BmpResult =
  | { kind: 'pixels'; pixels: BitmapPixels }
  | { kind: 'refused'; reason: string; isTooLarge: boolean }

const MEMORY_LIMIT_MB = 64

/**
 * Decodes a BMP file in a separate thread.
 * @throws BmpError when it is damaged, larger than `maxPixels`, or takes too long.
 */
export function decodeBmpInThread(task: BmpTask, timeoutMs: number): Promise<BitmapPixels> {
  const worker = new Worker(new URL('./bmp-worker.ts', import.meta.url), {
    execArgv: [],
    workerData: task,
    // limits the JavaScript heap; maxPixels limits the pixels
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  return new Promise<BitmapPixels>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new BmpError('takes too long to read'))
      void worker.terminate()
    }, timeoutMs)
    worker.on('message', (result: BmpResult) => {
      if (result.kind === 'pixels') resolve(result.pixels)
      else reject(new (result.isTooLarge ? BmpTooLargeError : BmpError)(result.reason))
    })
    worker.on('error', reject)
    worker.on('exit', () => {
      clearTimeout(timer)
      reject(new BmpError('cannot be read'))
    })
  })
}
