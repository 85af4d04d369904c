const TELL_EVERY_MS = 500

/** Throttle of progress events. */
export function createReporter(reportNow: () => void) {
  let timer: NodeJS.Timeout | undefined
  let lastAt = 0
  const flush = () => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    lastAt = Date.now()
    reportNow()
  }
  return {
    report(): void {
      timer ??= setTimeout(flush, Math.max(0, lastAt + TELL_EVERY_MS - Date.now()))
    },
    /** Publishes pending progress. */
    end: flush,
  }
}
