import type { APIError } from 'openai/core/error'
import { retryAfterMsOf } from '../../platform/lib/retry-after.ts'

/** Words of OpenAI, Groq, Google and others: "try again in 1m26.4s", "retry in 38.6s", "retry after 26 seconds". */
const waitWords = /(?:try again|retry) (?:in|after) ((?:\d{1,9}(?:\.\d{1,9})? ?(?:ms|h|m(?!illi)|s) ?)+)/i
const unitMs: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** Delay that a server requested, in milliseconds: in headers, in Google's error details, or in the message. */
export function readRetryAfter({ headers, error }: APIError): number | null {
  const waitMs = [
    Number(headers?.get('retry-after-ms') || Number.NaN),
    retryAfterMsOf(headers?.get('retry-after')) ?? Number.NaN,
    durationMs(retryDelayIn(error)),
    durationMs(waitWords.exec(messageIn(error))?.[1]),
  ].find((ms) => Number.isFinite(ms))
  return waitMs === undefined ? null : Math.max(0, Math.round(waitMs))
}

/** A duration such as `45.8s` or `1m26s`. */
function durationMs(text: string | undefined): number {
  const parts = [...(text ?? '').matchAll(/(\d{1,9}(?:\.\d{1,9})?) ?(ms|h|m|s)/g)]
  if (parts.length === 0) return Number.NaN
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (unitMs[unit ?? ''] ?? 0), 0)
}

/** `retryDelay` of a `google.rpc.RetryInfo`. */
function retryDelayIn(error: unknown): string | undefined {
  const { details } = (error ?? {}) as { details?: unknown }
  const delays = Array.isArray(details)
    ? details.map((detail) => (detail as { retryDelay?: unknown } | null)?.retryDelay)
    : []
  return delays.find((delay) => typeof delay === 'string')
}

function messageIn(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : ''
}
