import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Interval of checks for garbage. */
const LOOK_EVERY_MS = 5_000
/** Maximum busy share of an idle process. */
const REST_SHARE = 0.05
/** So much garbage is worth a pause. */
const WORTH_BYTES = 16 * 1024 * 1024
/**
 * Heap growth before a full collection. V8 allows about 13 MB at low allocation rates, and counts socket buffers: one
 * collection per four uploaded photos took nearly half of the server's processor time.
 */
const GROWING_PERCENT = 40

/** Measurements of a heap. */
interface Heap {
  /** Held of the system: V8 keeps what it has emptied by itself, until it is told to collect. */
  heldBytes(): number
  /** Share of the time since it was last asked in which something was done, from 0 to 1. */
  busyShare(): number
  /** Takes some 100 ms. */
  collect(): void
}

/**
 * Gives memory back once the process is at rest. V8 does so only while it works: what starting left (some 200 MB), or a
 * thousand uploads, would stay for as long as nothing happens.
 * @returns what is to be called at intervals.
 */
export function createCollecting(heap: Heap): () => void {
  /** The least since the last collection: what it frees goes back to the system some time after it. */
  let minBytes = 0
  let hasRested = false
  return () => {
    const heldBytes = heap.heldBytes()
    minBytes = Math.min(minBytes, heldBytes)
    const rests = heap.busyShare() < REST_SHARE
    const isDue = rests && hasRested && heldBytes - minBytes >= WORTH_BYTES
    hasRested = rests
    if (!isDue) return
    heap.collect()
    minBytes = Number.POSITIVE_INFINITY
  }
}

/** Collects this thread's garbage whenever it is at rest, from now on, and less often while it works. */
export function collectAtRest(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`)
  // --expose-gc would have to be passed when the process starts
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let before = performance.eventLoopUtilization()
  const look = createCollecting({
    heldBytes: () => process.memoryUsage.rss(),
    busyShare: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return utilization
    },
    collect,
  })
  setInterval(look, LOOK_EVERY_MS).unref()
}
