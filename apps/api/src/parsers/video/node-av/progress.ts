const EMIT_EVERY_MS = 300

/** Tells progress, not more often than a person sees. */
export function paced(emit: (progress: number) => Promise<void>): (progress: number) => Promise<void> {
  let last = performance.now()
  return async (progress) => {
    if (performance.now() - last < EMIT_EVERY_MS) return
    last = performance.now()
    await emit(Math.min(1, Math.max(0, progress)))
  }
}
