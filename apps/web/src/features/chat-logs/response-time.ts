import type { Format } from '../../lib/format.ts'

/** How long an answer took; those without a language model take milliseconds, of which "0.0 s" would say nothing. */
export function responseTimeText(seconds: number, format: Format): string {
  return seconds < 0.1 ? `${format.number(seconds * 1000)} ms` : format.duration(seconds)
}
