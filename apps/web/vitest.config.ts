import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, mergeConfig } from 'vitest/config'
import viteConfig from './vite.config.ts'

const isTest = (file: string) => /^(src|build|test)\/.*\.test\.tsx?$/.test(file)
/** True for a file that draws parts of the app, or replaces modules: the next file begins with modules that nobody has used. */
const needsFreshModules = (file: string) =>
  /@vitest-environment|\bvi\.(do)?[mM]ock\(/.test(readFileSync(join(import.meta.dirname, file), 'utf8'))

const fresh = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) => isTest(file) && needsFreshModules(file),
)

export default mergeConfig(viteConfig, {
  test: {
    // files share a process, which takes a second of a processor to start
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          exclude: [...configDefaults.exclude, ...fresh],
          isolate: false,
          setupFiles: ['test/shared-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'fresh',
          include: fresh,
          isolate: false,
          // a process that has another project's files between its own is started again
          sequence: { groupOrder: 1 },
          setupFiles: ['test/shared-setup.ts', 'test/fresh-setup.ts'],
        },
      },
    ],
    // by default Vitest leaves one processor free, which is half of a machine with two
    maxWorkers: '100%',
  },
})
