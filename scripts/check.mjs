// `npm run check`: all static checks of the sources.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pageProblem } from '../bench/results-page.mjs'
import { checkImports, MIN_MODULES } from './import-rules.mjs'
import { run, step, stopOnSignals } from './steps.mjs'
import { checkStyle } from './style.mjs'

const root = join(import.meta.dirname, '..')
// The native compiler takes a fraction of the time. The compiler in JavaScript is only used for its API.
const compiler = join(root, 'node_modules/typescript-native/bin/tsc')

/** Checks the types of one tsconfig, incrementally. */
const checkTypes = (folder) => {
  const buildInfoFile = join(
    root,
    'node_modules/.cache/mira',
    `types-${folder === '.' ? 'root' : folder.replaceAll('/', '-')}.json`,
  )
  // several checker threads repeat work; running several steps at once makes better use of the processors
  return run([compiler, '-p', folder, '--singleThreaded', '--incremental', '--tsBuildInfoFile', buildInfoFile])
}

/** Steps by name, the longest first; each resolves to an exit code and output. */
export const checks = {
  'format and lint': () => run(['biome', 'ci', '--error-on-warnings', '--colors=off', '.']),
  'import rules': async () => {
    const { modules, violations } = await checkImports(root)
    const lines = violations.map(({ rule, from, to }) => `${rule}: ${from} → ${to}`)
    if (modules < MIN_MODULES) lines.push(`only ${modules} modules were found: the sources couldn’t be read`)
    return { code: lines.length === 0 ? 0 : 1, output: lines.join('\n') }
  },
  'types of the API': () => checkTypes('apps/api'),
  'types of tests and benches': () => checkTypes('.'),
  'unused code': () => run(['knip', '--no-progress']),
  'types of the web app': () => checkTypes('apps/web'),
  'types of the command line': () => checkTypes('apps/cli'),
  'types of the contract': () => checkTypes('packages/shared'),
  'types of the client': () => checkTypes('packages/client'),
  'docstrings and commit subjects': async () => {
    const lines = checkStyle(root)
    return { code: lines.length === 0 ? 0 : 1, output: lines.join('\n') }
  },
  'page of measurements': async () => {
    const problem = pageProblem()
    return { code: problem === null ? 0 : 1, output: problem ?? '' }
  },
}

/** Maximum number of steps at a time: a step may take a gigabyte of memory. */
const MAX_CONCURRENT = 4

/** Runs every step, even after a failure. @returns the numbers of passed and failed steps, and the names of the failed ones. */
export async function check() {
  const failures = []
  const queue = Object.entries(checks)
  const runQueue = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, run] = next
      if (!(await step(name, run))) failures.push(name)
    }
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), MAX_CONCURRENT) }, runQueue))
  return { passed: Object.keys(checks).length - failures.length, failed: failures.length, failures }
}

if (process.argv[1] === import.meta.filename) {
  stopOnSignals()
  const { failed } = await check()
  process.exit(failed === 0 ? 0 : 1)
}
