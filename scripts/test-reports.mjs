/** What a runner that broke before it could report counts as. */
const broken = { passed: 0, failed: 1, skipped: 0 }

/**
 * Counts a report of vitest's json reporter. A file that cannot be loaded has no tests to fail: it counts as one.
 * A runner that says it failed although every test passed (an error outside of the tests) counts as one failure, too.
 */
export function countVitest(report, exitCode) {
  if (report === null) return broken
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length
  return withExitCode(
    {
      passed: report.numPassedTests,
      failed: report.numFailedTests + brokenFiles,
      skipped: report.numPendingTests + (report.numTodoTests ?? 0),
    },
    exitCode,
  )
}

/** Counts a report of Playwright's json reporter: a test that passed on its second try passed, and its log says so. */
export function countPlaywright(report, exitCode) {
  if (report === null) return broken
  const { expected, unexpected, flaky, skipped } = report.stats
  return withExitCode({ passed: expected + flaky, failed: unexpected, skipped }, exitCode)
}

function withExitCode(counts, exitCode) {
  const isSilentFailure = exitCode !== 0 && counts.failed === 0
  return isSilentFailure ? { ...counts, failed: 1 } : counts
}
