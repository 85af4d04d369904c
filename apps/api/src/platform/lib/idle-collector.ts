import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const CHECK_INTERVAL_MS = 5_000
/** Maximum busy share of an idle process. */
const IDLE_SHARE = 0.05
/** Memory growth that justifies a collection. */
const MIN_GROWTH_BYTES = 16 * 1024 * 1024
/**
 * Heap growth before a full collection. By default V8 allows about 13 MB at low allocation rates, and counts socket buffers:
 * one collection per four uploaded photos took nearly half of the server's CPU time.
 */
const GROWING_PERCENT = 40

/** Measurements of a heap. */
interface Heap {
  /** Memory allocated from the system; V8 keeps pages that it has emptied itself, until an explicit collection. */
  allocatedBytes(): number
  /** Busy share of the time since the previous call, 0 to 1. */
  busyShare(): number
  /** Takes some 100 ms. */
  collect(): void
}

/**
 * Releases memory once the process is idle. V8 only does so while it's busy: the garbage of the start (some 200 MB), or of a
 * thousand uploads, would stay as long as nothing happens.
 * @returns a function to call at intervals.
 */
export function createIdleCollector(heap: Heap): () => void {
  /** Minimum since the last collection, which returns memory to the system with some delay. */
  let minBytes = 0
  let wasIdle = false
  return () => {
    const allocatedBytes = heap.allocatedBytes()
    minBytes = Math.min(minBytes, allocatedBytes)
    const isIdle = heap.busyShare() < IDLE_SHARE
    const isDue = isIdle && wasIdle && allocatedBytes - minBytes >= MIN_GROWTH_BYTES
    wasIdle = isIdle
    if (!isDue) return
    heap.collect()
    minBytes = Number.POSITIVE_INFINITY
  }
}

/** From now on, collects this thread's garbage when it's idle, and less often while it's busy. */
export function collectWhenIdle(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`)
  // set here, because --expose-gc would have to be passed at the start of the process
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let before = performance.eventLoopUtilization()
  const check = createIdleCollector({
    allocatedBytes: () => process.memoryUsage.rss(),
    busyShare: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return utilization
    },
    collect,
  })
  setInterval(check, CHECK_INTERVAL_MS).unref()
}
