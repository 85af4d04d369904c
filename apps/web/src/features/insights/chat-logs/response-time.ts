import type { Format } from '../../../lib/format/format.ts'

/** Response time in words; in ms below 0.1 s, as answers without a language model would show "0.0 s". */
export function responseTimeText(seconds: number, format: Format): string {
  return seconds < 0.1 ? `${format.number(seconds * 1000)} ms` : format.duration(seconds)
}
