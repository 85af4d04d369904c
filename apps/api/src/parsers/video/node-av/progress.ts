const EMIT_EVERY_MS = 300

/** Throttle of progress, as often as a user notices. */
export function paced(emit: (progress: number) => Promise<void>): (progress: number) => Promise<void> {
  let last = performance.now()
  return async (progress) => {
    if (performance.now() - last < EMIT_EVERY_MS) return
    last = performance.now()
    await emit(Math.min(1, Math.max(0, progress)))
  }
}
