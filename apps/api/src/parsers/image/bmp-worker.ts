// Decodes one BMP file in a thread: a large one would block the event loop for half a second.
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { BmpError, BmpTooLargeError, decodeBmp } from './bmp.ts'
import type { BmpResult, BmpTask } from './bmp-thread.ts'

const { source, maxPixels } = workerData as BmpTask

function decode(): BmpResult {
  try {
    return { kind: 'pixels', pixels: decodeBmp(typeof source === 'string' ? readFileSync(source) : source, maxPixels) }
  } catch (error) {
    if (!(error instanceof BmpError)) throw error
    return { kind: 'refused', reason: error.message, isTooLarge: error instanceof BmpTooLargeError }
  }
}

const result = decode()
parentPort?.postMessage(result, result.kind === 'pixels' ? [result.pixels.data.buffer as ArrayBuffer] : [])
