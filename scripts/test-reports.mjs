import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const LONGEST_REASON = 500

/**
 * Results of one part of the tests.
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} failures one line for each test that failed: its file, its name and its error without the stack
 * @property {string[]} flaky the same for each test that passed only when it was tried again
 */

/**
 * Counts a report of vitest's json reporter. A file that cannot be loaded has no tests to fail: it counts as one.
 * A runner that says it failed although every test passed (an error outside of the tests) counts as one failure, too.
 * @param {object | null} report
 * @param {number} exitCode
 * @param {{ output?: string, root?: string }} [run] what the runner printed, and what files are named from
 * @returns {Counts}
 */
export function countVitest(report, exitCode, { output = '', root = '/' } = {}) {
  if (report === null) return brokenRunner(output)
  const failures = []
  const flaky = []
  let failed = report.numFailedTests
  for (const { name, status, message, assertionResults } of report.testResults) {
    const file = relative(root, name)
    const withMessages = assertionResults.filter(({ failureMessages }) => failureMessages?.length > 0)
    for (const test of withMessages) {
      const names = [file, ...test.ancestorTitles, test.title]
      const list = test.status === 'failed' ? failures : flaky
      list.push(lineAbout(names, test.failureMessages.at(-1)))
    }
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) {
      failed += 1
      failures.push(lineAbout([file], message))
    }
  }
  const skipped = report.numPendingTests + (report.numTodoTests ?? 0)
  return withExitCode({ passed: report.numPassedTests, failed, skipped, failures, flaky }, exitCode, output)
}

/**
 * Counts a report of Playwright's json reporter: a test that passed when it was tried again passed, and is listed.
 * @param {object | null} report
 * @param {number} exitCode
 * @param {{ output?: string }} [run] what the runner printed
 * @returns {Counts}
 */
export function countPlaywright(report, exitCode, { output = '' } = {}) {
  if (report === null) return brokenRunner(output)
  const { expected, unexpected, flaky, skipped } = report.stats
  const tests = (report.suites ?? []).flatMap((suite) => testsOf(suite, []))
  const linesOf = (status) =>
    tests.filter((test) => test.status === status).map(({ names, error }) => lineAbout(names, error))
  const counts = { passed: expected + flaky, failed: unexpected, skipped }
  return withExitCode(
    { ...counts, failures: linesOf('unexpected'), flaky: linesOf('flaky') },
    exitCode,
    report.errors?.[0]?.message ?? output,
  )
}

function testsOf({ title, file, specs = [], suites = [] }, above) {
  const names = above.length === 0 ? [`e2e/${file}`] : [...above, title]
  const own = specs.flatMap((spec) =>
    spec.tests.map(({ status, results }) => {
      const error = results.findLast((result) => result.error)?.error.message
      return { status, names: [...names, spec.title], error }
    }),
  )
  return [...own, ...suites.flatMap((suite) => testsOf(suite, names))]
}

function lineAbout(names, message) {
  const [said] = stripVTControlCharacters(message ?? '').split(/\n\s+at /)
  const reason = said.replace(/\s+/g, ' ').trim()
  return `${names.join(' › ')}${reason ? `: ${reason.slice(0, LONGEST_REASON)}` : ''}`
}

/** Counts for a runner that broke before it could report. */
function brokenRunner(output) {
  return { passed: 0, failed: 1, skipped: 0, failures: [lineAbout(['the runner'], errorIn(output))], flaky: [] }
}

function withExitCode(counts, exitCode, output) {
  if (exitCode === 0 || counts.failed > 0) return counts
  return { ...counts, failed: 1, failures: [lineAbout(['outside of the tests'], errorIn(output))] }
}

/** The first line that names an error, as runners print what belongs to no test. */
function errorIn(output) {
  return /^\W*\w*(?:Error|Exception)\b.*$/m.exec(stripVTControlCharacters(output))?.[0]
}
