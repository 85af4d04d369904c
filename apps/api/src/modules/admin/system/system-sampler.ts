import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Log } from '../../../log.ts'
import type { SystemSampleRecord } from './system-samples.store.ts'

export interface SystemSamplerDeps {
  /** Names this process among others. */
  serverId: string
  add(sample: SystemSampleRecord): Promise<void>
  /** Calls since it was asked last. */
  takeCounts(): { requests: number; requestErrors: number }
  log: Log
}

/** Measures this process. */
export interface SystemSampler {
  /** Keeps a sample at each full five minutes from now on. */
  start(): void
  /** Keeps a sample of what was since the last one. */
  sample(at?: Date): Promise<void>
  /** Milliseconds that the event loop was late, since the last sample. */
  eventLoopDelayMs(): { mean: number; p99: number }
  /** Stops sampling; counts since the last sample are lost. */
  close(): void
}

/** Interval of samples. */
export const SAMPLE_SECONDS = 300
/** Resolution of the histogram. */
const RESOLUTION_MS = 20
const NANOSECONDS = 1_000_000

/** Makes what measures this process; its histogram costs next to nothing. */
export function createSystemSampler({ serverId, add, takeCounts, log }: SystemSamplerDeps): SystemSampler {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let cpu = process.cpuUsage()
  let since = performance.now()
  let timer: NodeJS.Timeout | undefined

  const sample = async (at = new Date()) => {
    const now = performance.now()
    const used = process.cpuUsage(cpu)
    const measured = {
      serverId,
      at,
      ...takeCounts(),
      memoryBytes: process.memoryUsage.rss(),
      cpuShare: (used.user + used.system) / 1000 / Math.max(1, now - since),
      eventLoopDelayP99Ms: delayMs(delays).p99,
    }
    cpu = process.cpuUsage()
    since = now
    delays.reset()
    await add(measured)
  }

  const wait = () => {
    const periodMs = SAMPLE_SECONDS * 1000
    timer = setTimeout(
      () => {
        wait()
        // a gap is shown as one
        sample().catch((error) => log.warn({ err: error }, 'what this server measured of itself could not be kept'))
      },
      periodMs - (Date.now() % periodMs),
    ).unref()
  }

  return {
    start: wait,
    sample,
    eventLoopDelayMs: () => delayMs(delays),
    close() {
      clearTimeout(timer)
      delays.disable()
    },
  }
}

/** The histogram measures how far apart its ticks are: what is beyond their distance is delay. */
function delayMs(delays: ReturnType<typeof monitorEventLoopDelay>): { mean: number; p99: number } {
  const beyond = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS) : 0
  return { mean: beyond(delays.mean), p99: beyond(delays.percentile(99)) }
}
