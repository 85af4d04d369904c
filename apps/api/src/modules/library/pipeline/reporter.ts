const REPORT_INTERVAL_MS = 500

/** Throttle of progress events. */
export function createReporter(reportNow: () => void) {
  let timer: NodeJS.Timeout | undefined
  let lastAt = Number.NEGATIVE_INFINITY
  const flush = () => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    lastAt = performance.now()
    reportNow()
  }
  return {
    report(): void {
      timer ??= setTimeout(flush, Math.max(0, lastAt + REPORT_INTERVAL_MS - performance.now()))
    },
    /** Publishes pending progress. */
    end: flush,
  }
}
