/** Delay in a `Retry-After` header, in milliseconds from now: seconds, or an HTTP date; null without a valid one. */
export function retryAfterMsOf(header: string | null | undefined): number | null {
  if (!header) return null
  const seconds = Number(header)
  const delayMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(delayMs) ? Math.max(0, delayMs) : null
}
