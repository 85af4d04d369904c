import type { SystemPointJson } from '@mira/shared'
import { useFormat } from '../../../lib/format/format.ts'

/** Metrics sampled every five minutes, in display order. */
export const measures = [
  'requests',
  'request_errors',
  'memory_bytes',
  'cpu_share',
  'event_loop_delay_p99_ms',
  'database_bytes',
  'storage_bytes',
] as const satisfies readonly (keyof SystemPointJson)[]

export type Measure = (typeof measures)[number]

/** Writes a measured value with its unit. */
export function useMeasureText(): (measure: Measure, value: number) => string {
  const format = useFormat()
  return (measure, value) => {
    switch (measure) {
      case 'requests':
      case 'request_errors':
        return format.number(value)
      case 'cpu_share':
        return format.percent(value * 100)
      case 'event_loop_delay_p99_ms':
        return `${format.number(value, value < 10 ? 1 : 0)} ms`
      default:
        return format.bytes(value)
    }
  }
}
