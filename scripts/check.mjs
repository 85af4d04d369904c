// `npm run check`: everything that can be said about the sources without running them.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pageProblem } from '../bench/results-page.mjs'
import { checkImports, MIN_MODULES } from './import-rules.mjs'
import { run, step, stopOnSignals } from './steps.mjs'
import { checkStyle } from './style.mjs'

const root = join(import.meta.dirname, '..')
// the compiler in Go checks in a fraction of the time; the one in JavaScript is there for those who read programs by it
const compiler = join(root, 'node_modules/typescript-native/bin/tsc')

/** Types of one configuration; what was found is kept, so that the next time costs less. */
const types = (folder) => {
  const memory = join(
    root,
    'node_modules/.cache/mira',
    `types-${folder === '.' ? 'root' : folder.replaceAll('/', '-')}.json`,
  )
  // several checkers find out much of the same; steps beside each other use the processors better
  return run([compiler, '-p', folder, '--singleThreaded', '--incremental', '--tsBuildInfoFile', memory])
}

/** The steps by name, what takes longest first; each resolves to the exit code and what there is to say. */
export const checks = {
  'format and lint': () => run(['biome', 'ci', '--error-on-warnings', '--colors=off', '.']),
  'import rules': async () => {
    const { modules, violations } = await checkImports(root)
    const lines = violations.map(({ rule, from, to }) => `${rule}: ${from} → ${to}`)
    if (modules < MIN_MODULES) lines.push(`only ${modules} modules were seen: the sources could not be read`)
    return { code: lines.length === 0 ? 0 : 1, output: lines.join('\n') }
  },
  'types of the API': () => types('apps/api'),
  'types of tests and benches': () => types('.'),
  'unused code': () => run(['knip', '--no-progress']),
  'types of the web app': () => types('apps/web'),
  'types of the command line': () => types('apps/cli'),
  'types of the contract': () => types('packages/shared'),
  'types of the client': () => types('packages/client'),
  'docstrings and commit subjects': async () => {
    const lines = checkStyle(root)
    return { code: lines.length === 0 ? 0 : 1, output: lines.join('\n') }
  },
  'page of measurements': async () => {
    const problem = pageProblem()
    return { code: problem === null ? 0 : 1, output: problem ?? '' }
  },
}

/** A step may take a gigabyte. */
const MAX_CONCURRENT = 4

/** Does every step, also after one that failed; how many went well and how many did not, and which. */
export async function check() {
  const failures = []
  const waiting = Object.entries(checks)
  const doThoseThatWait = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, work] = next
      if (!(await step(name, work))) failures.push(name)
    }
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), MAX_CONCURRENT) }, doThoseThatWait))
  return { passed: Object.keys(checks).length - failures.length, failed: failures.length, failures }
}

if (process.argv[1] === import.meta.filename) {
  stopOnSignals()
  const { failed } = await check()
  process.exit(failed === 0 ? 0 : 1)
}
