import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Log } from '../../../log.ts'
import type { RequestCounter } from '../../../platform/http/request-counts.ts'
import type { SystemSamplesStore } from './system-samples.store.ts'

export type SystemSampler = ReturnType<typeof createSystemSampler>

/** Interval of samples. */
export const SAMPLE_SECONDS = 300
/** Interval of measuring the event loop's delay. */
const RESOLUTION_MS = 20
const NANOSECONDS_PER_MS = 1_000_000

/** Samples of this process's load, stored at each full five minutes. */
export function createSystemSampler({
  serverId,
  store,
  requestCounter,
  log,
}: {
  /** Id of this server process. */
  serverId: string
  store: SystemSamplesStore
  requestCounter: RequestCounter
  log: Log
}) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let cpu = process.cpuUsage()
  let since = performance.now()
  let timer: NodeJS.Timeout | undefined

  const sample = async (time = new Date()) => {
    const now = performance.now()
    const used = process.cpuUsage(cpu)
    const record = {
      serverId,
      at: time,
      ...requestCounter.take(),
      memoryBytes: process.memoryUsage.rss(),
      cpuShare: (used.user + used.system) / 1000 / Math.max(1, now - since),
      eventLoopDelayP99Ms: delayMs(delays).p99,
    }
    cpu = process.cpuUsage()
    since = now
    delays.reset()
    await store.add(record)
  }

  const scheduleNext = () => {
    const periodMs = SAMPLE_SECONDS * 1000
    timer = setTimeout(
      () => {
        scheduleNext()
        // A missing sample is only a gap in the chart.
        sample().catch((error) => log.warn({ err: error }, 'a sample of the load could not be stored'))
      },
      periodMs - (Date.now() % periodMs),
    ).unref()
  }

  return {
    start: scheduleNext,
    sample,
    /** Delay of the event loop since the last sample. */
    eventLoopDelayMs: () => delayMs(delays),
    /** Stops sampling. The counts since the last sample are lost. */
    close(): void {
      clearTimeout(timer)
      delays.disable()
    },
  }
}

/** Mean and p99 delay of the event loop. The histogram contains the times between ticks; whatever exceeds the resolution is delay. */
function delayMs(delays: ReturnType<typeof monitorEventLoopDelay>): { mean: number; p99: number } {
  const excessMs = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS_PER_MS - RESOLUTION_MS) : 0
  return { mean: excessMs(delays.mean), p99: excessMs(delays.percentile(99)) }
}
