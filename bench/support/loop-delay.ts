// Preloaded into the server that is measured (node --import): writes how long its event loop is held up into the file that
// LOOP_DELAY_FILE names; SIGUSR2 begins anew.
import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Milliseconds, over all since the last SIGUSR2. */
export interface LoopDelay {
  median: number
  p99: number
  most: number
}

const WRITE_EVERY_MS = 250
/** What is measured is how much later than this a timer comes. */
const RESOLUTION_MS = 10
const file = process.env.LOOP_DELAY_FILE

if (file !== undefined && isMainThread && process.argv[1]?.endsWith('server.ts')) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  process.on('SIGUSR2', () => histogram.reset())
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
  const write = () => {
    const [median, p99, most] = [histogram.percentile(50), histogram.percentile(99), histogram.max].map(late)
    writeFileSync(`${file}.new`, JSON.stringify({ median, p99, most }))
    renameSync(`${file}.new`, file)
  }
  setInterval(write, WRITE_EVERY_MS).unref()
}
