// `npm test`: builds, checks and runs every test once, continues after failures, and ends with a list of failed tests and
// `N passed, N failed`.
// `npm test -- api e2e` runs only the named parts; with --long (`npm run test:long`) tests that repeat something do so more
// often, and at the end a hundred users use one server for ten minutes.
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, readFile, statfs } from 'node:fs/promises'
import { freemem, getPriority, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from './check.mjs'
import { run, step, stopOnSignals } from './steps.mjs'
import { countPlaywright, countVitest } from './test-reports.mjs'

const root = join(import.meta.dirname, '..')
// Parsers run at a lower priority than requests. On a machine busy with tests they would hardly make progress, while tests
// wait for them; so the tests run at the same low priority.
if (getPriority() < 10) setPriority(10)
// A server is set to return free memory early, to share the machine; the tests keep it, since they reuse it at once.
Object.assign(process.env, {
  MALLOC_MMAP_THRESHOLD_: String(32 * 2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(256 * 2 ** 20),
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  // without these caches, each of a hundred processes would compile the same code in each run
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/mira-tests-compiled'),
  PLAYWRIGHT_TRANSFORM_CACHE_DIR: join(root, 'node_modules/.cache/mira-tests-browser'),
})
const isLong = process.argv.includes('--long')
const long = isLong ? { TEST_LONG: '1' } : {}
// the same machine can be three times slower on another day; only failing tests take this long
const LONG_TIMEOUTS = ['--testTimeout=60000', '--hookTimeout=60000']
// databases, files and reports of the tests; in memory where possible, since a shared disk makes tests wait
const temporary = await mkdtemp(join((await hasMemoryFileSystem()) ? '/dev/shm' : tmpdir(), 'mira-tests-'))
process.env.TMPDIR = temporary
process.once('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }))

/** True when there is an in-memory file system that allows executables, with space for all files of the tests. */
async function hasMemoryFileSystem() {
  const neededBytes = 6 * 2 ** 30
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '')
  const options = /^\S+ \/dev\/shm \S+ (\S+)/m.exec(mounts)?.[1]?.split(',') ?? ['noexec']
  const freeBytes = await statfs('/dev/shm').then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return !process.env.TMPDIR && !options.includes('noexec') && freeBytes > neededBytes && freemem() > neededBytes
}

/** Runs a step that counts as one failed test when it fails, and as `passed` passed tests when it succeeds. */
async function runAsTest(name, passed, work) {
  const isOk = await step(name, work)
  return { passed: isOk ? passed : 0, failed: isOk ? 0 : 1, skipped: 0, failures: isOk ? [] : [name] }
}

/** Builds the database client, the server and the web app for the tests. */
const build = () => runAsTest('build', 0, () => run(['turbo', 'run', 'build', '--output-logs=errors-only']))

/** Runs the load test of `--long`: a hundred users use one server at once. */
const longRun = () =>
  runAsTest('a long run', 1, () => run(['node', 'bench/long-run.bench.ts', '--no-write'], { isShown: true }))

async function vitest(name, folder, options = []) {
  const report = join(temporary, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const command = ['vitest', 'run', ...options, ...reporters]
  const { code, output } = await run(command, { folder, isShown: true, environment: { CI: '1', ...long } })
  return countVitest(await readReport(report), code, { output, root })
}

async function playwright() {
  const report = join(temporary, 'e2e.json')
  const command = ['playwright', 'test', '--reporter=list,json']
  const environment = { CI: '1', ...long, PLAYWRIGHT_JSON_OUTPUT_FILE: report, FORCE_COLOR: '0' }
  const { code, output } = await run(command, { isShown: true, environment })
  return countPlaywright(await readReport(report), code, { output })
}

async function readReport(file) {
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : null
}

const parts = {
  build,
  check: async () => ({ ...(await check()), skipped: 0 }),
  shared: () => vitest('shared', 'packages/shared', LONG_TIMEOUTS),
  client: () => vitest('client', 'packages/client', LONG_TIMEOUTS),
  api: () => vitest('api', 'apps/api'),
  cli: () => vitest('cli', 'apps/cli', LONG_TIMEOUTS),
  web: () => vitest('web', 'apps/web', LONG_TIMEOUTS),
  scripts: () => vitest('scripts', '.', ['--project', 'scripts']),
  e2e: playwright,
  ...(isLong ? { people: longRun } : {}),
}

const namedParts = process.argv.slice(2).filter((argument) => argument !== '--long')
const unknown = namedParts.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.error(`Unknown part ${unknown.join(', ')}: choose from ${Object.keys(parts).join(', ')}.`)
  process.exit(2)
}

stopOnSignals()
process.chdir(root)
if (namedParts.length === 0) process.env.TEST_BUILT_SERVER = '1'
const counts = {}
for (const name of namedParts.length > 0 ? namedParts : Object.keys(parts)) {
  const startedAt = performance.now()
  counts[name] = { ...(await parts[name]()), seconds: (performance.now() - startedAt) / 1000 }
}

console.info()
for (const [name, { failures }] of Object.entries(counts))
  for (const failure of failures) console.info(`failed in ${name}: ${failure}`)
for (const [name, { passed, failed, skipped, seconds }] of Object.entries(counts)) {
  const note = skipped > 0 ? `, ${skipped} skipped` : ''
  console.info(`${name.padEnd(8)} ${passed} passed, ${failed} failed${note} (${seconds.toFixed(1)} s)`)
}
const sum = (word) => Object.values(counts).reduce((total, count) => total + count[word], 0)
console.info(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') === 0 ? 0 : 1)
