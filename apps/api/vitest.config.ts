import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    // Each worker holds a database of its own: more of them than cores only wait for each other.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // a shared machine can stop for longer than any timeout; a test that fails twice has failed
    retry: process.env.CI === undefined ? 0 : 1,
  },
})
