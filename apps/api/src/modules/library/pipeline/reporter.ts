const REPORT_INTERVAL_MS = 500

/** Throttles progress events. */
export function createReporter(reportNow: () => void) {
  let timer: NodeJS.Timeout | undefined
  let lastReportAt = Number.NEGATIVE_INFINITY
  const flush = () => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    lastReportAt = performance.now()
    reportNow()
  }
  return {
    report(): void {
      timer ??= setTimeout(flush, Math.max(0, lastReportAt + REPORT_INTERVAL_MS - performance.now()))
    },
    /** Publishes pending progress. */
    end: flush,
  }
}
