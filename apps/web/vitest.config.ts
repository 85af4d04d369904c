import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, mergeConfig } from 'vitest/config'
import viteConfig from './vite.config.ts'

const isTest = (file: string) => /^(src|build|test)\/.*\.test\.tsx?$/.test(file)
/** True for a file that draws parts of the app, or replaces modules: what those leave behind would reach the next file. */
const needsOwnProcess = (file: string) =>
  /@vitest-environment|\bvi\.(do)?[mM]ock\(/.test(readFileSync(join(import.meta.dirname, file), 'utf8'))

// Each of these files has a process of its own, which takes half a second of a processor to start. All others share one.
const own = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) => isTest(file) && needsOwnProcess(file),
)

export default mergeConfig(viteConfig, {
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          exclude: [...configDefaults.exclude, ...own],
          isolate: false,
          setupFiles: ['test/shared-setup.ts'],
        },
      },
      { extends: true, test: { name: 'own', include: own } },
    ],
    // by itself Vitest leaves one processor free, which on a machine of two is half of them
    maxWorkers: '100%',
  },
})
