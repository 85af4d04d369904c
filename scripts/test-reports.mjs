import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const MAX_REASON_CHARACTERS = 500

/**
 * Results of one part of the tests.
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} failures one line for each failed test: its file, its name and its error without the stack
 */

/**
 * Counts the results of vitest's JSON reporter. A file that can't be loaded counts as one failure, and so does a failed
 * run in which every test passed (an error outside of the tests).
 * @param {object | null} report
 * @param {number} exitCode
 * @param {{ output?: string, root?: string }} [run] the runner's output, and the folder that file names are relative to
 * @returns {Counts}
 */
export function countVitest(report, exitCode, { output = '', root = '/' } = {}) {
  if (report === null) return failedRunner(output)
  const failures = []
  let failed = report.numFailedTests
  for (const { name, status, message, assertionResults } of report.testResults) {
    const file = relative(root, name)
    const failedTests = assertionResults.filter((test) => test.status === 'failed')
    for (const { ancestorTitles, title, failureMessages } of failedTests)
      failures.push(lineAbout([file, ...ancestorTitles, title], failureMessages?.at(-1)))
    if (status === 'failed' && failedTests.length === 0) {
      failed += 1
      failures.push(lineAbout([file], message))
    }
  }
  const skipped = report.numPendingTests + (report.numTodoTests ?? 0)
  return withExitCode({ passed: report.numPassedTests, failed, skipped, failures }, exitCode, output)
}

/**
 * Counts the results of Playwright's JSON reporter.
 * @param {object | null} report
 * @param {number} exitCode
 * @param {{ output?: string }} [run] the runner's output
 * @returns {Counts}
 */
export function countPlaywright(report, exitCode, { output = '' } = {}) {
  if (report === null) return failedRunner(output)
  const { expected, unexpected, skipped } = report.stats
  const tests = (report.suites ?? []).flatMap((suite) => testsOf(suite, []))
  const failures = tests
    .filter(({ status }) => status === 'unexpected')
    .map(({ names, error }) => lineAbout(names, error))
  const counts = { passed: expected, failed: unexpected, skipped, failures }
  return withExitCode(counts, exitCode, report.errors?.[0]?.message ?? output)
}

function testsOf({ title, file, specs = [], suites = [] }, parents) {
  const names = parents.length === 0 ? [`e2e/${file}`] : [...parents, title]
  const own = specs.flatMap((spec) =>
    spec.tests.map(({ status, results }) => {
      const error = results.findLast((result) => result.error)?.error.message
      return { status, names: [...names, spec.title], error }
    }),
  )
  return [...own, ...suites.flatMap((suite) => testsOf(suite, names))]
}

function lineAbout(names, message) {
  const [error] = stripVTControlCharacters(message ?? '').split(/\n\s+at /)
  const reason = error.replace(/\s+/g, ' ').trim()
  return `${names.join(' › ')}${reason ? `: ${reason.slice(0, MAX_REASON_CHARACTERS)}` : ''}`
}

/** Counts for a runner that failed without a report. */
function failedRunner(output) {
  return { passed: 0, failed: 1, skipped: 0, failures: [lineAbout(['the runner'], errorIn(output))] }
}

function withExitCode(counts, exitCode, output) {
  if (exitCode === 0 || counts.failed > 0) return counts
  return { ...counts, failed: 1, failures: [lineAbout(['outside of the tests'], errorIn(output))] }
}

/** First line with an error's name, as printed for errors outside of tests. */
function errorIn(output) {
  return /^\W*\w*(?:Error|Exception)\b.*$/m.exec(stripVTControlCharacters(output))?.[0]
}
