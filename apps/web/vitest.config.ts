import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, mergeConfig } from 'vitest/config'
import viteConfig from './vite.config.ts'

const isTest = (file: string) => /^(src|build|test)\/.*\.test\.tsx?$/.test(file)
/** True for a file that renders components or mocks modules, after which the module cache is reset. */
const needsFreshModules = (file: string) =>
  /@vitest-environment|\bvi\.(do)?[mM]ock\(/.test(readFileSync(join(import.meta.dirname, file), 'utf8'))

const freshFiles = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) => isTest(file) && needsFreshModules(file),
)

export default mergeConfig(viteConfig, {
  test: {
    // Files share a process, since starting one takes a second of CPU time.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          exclude: [...configDefaults.exclude, ...freshFiles],
          isolate: false,
          setupFiles: ['test/shared-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'fresh',
          include: freshFiles,
          isolate: false,
          // Without this, files of both projects alternate, and each change restarts the process.
          sequence: { groupOrder: 1 },
          setupFiles: ['test/shared-setup.ts', 'test/fresh-setup.ts'],
        },
      },
    ],
    // By default Vitest leaves one CPU idle, half of a machine with two.
    maxWorkers: '100%',
  },
})
