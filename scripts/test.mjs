// `npm test`: builds, checks and runs every test, goes on after what fails, and ends with `N passed, N failed`.
// `npm test -- api e2e` runs only the parts that are named.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from './check.mjs'
import { run, step, stopOnSignals } from './steps.mjs'
import { countPlaywright, countVitest } from './test-reports.mjs'

const root = join(import.meta.dirname, '..')
const reports = await mkdtemp(join(tmpdir(), 'mira-tests-'))

/** Builds what tests need: the database client and the web app. Counts only when it fails. */
async function build() {
  const isBuilt = await step('build', () => run(['turbo', 'run', 'build', '--output-logs=errors-only']))
  return { passed: 0, failed: isBuilt ? 0 : 1, skipped: 0 }
}

async function vitest(name, folder, options = []) {
  const report = join(reports, `${name}.json`)
  const command = ['vitest', 'run', ...options, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await run(command, { folder, isShown: true, environment: { CI: '1' } })
  return countVitest(await readReport(report), code)
}

async function playwright() {
  const report = join(reports, 'e2e.json')
  const environment = { CI: '1', PLAYWRIGHT_JSON_OUTPUT_FILE: report, FORCE_COLOR: '0' }
  const { code } = await run(['playwright', 'test', '--reporter=list,json'], { isShown: true, environment })
  return countPlaywright(await readReport(report), code)
}

async function readReport(file) {
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : null
}

const parts = {
  build,
  check: async () => ({ ...(await check()), skipped: 0 }),
  shared: () => vitest('shared', 'packages/shared'),
  api: () => vitest('api', 'apps/api'),
  web: () => vitest('web', 'apps/web'),
  scripts: () => vitest('scripts', '.', ['--project', 'scripts']),
  e2e: playwright,
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}: choose from ${Object.keys(parts).join(', ')}.`)
  process.exit(2)
}

stopOnSignals()
process.chdir(root)
const counts = {}
for (const name of named.length > 0 ? named : Object.keys(parts)) {
  const startedAt = performance.now()
  counts[name] = { ...(await parts[name]()), seconds: (performance.now() - startedAt) / 1000 }
}
await rm(reports, { recursive: true, force: true })

console.info()
for (const [name, { passed, failed, skipped, seconds }] of Object.entries(counts)) {
  const note = skipped > 0 ? `, ${skipped} skipped` : ''
  console.info(`${name.padEnd(8)} ${passed} passed, ${failed} failed${note} (${seconds.toFixed(1)} s)`)
}
const sum = (word) => Object.values(counts).reduce((total, count) => total + count[word], 0)
console.info(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') === 0 ? 0 : 1)
