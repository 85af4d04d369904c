import { defineConfig } from 'vitest/config'

/** Lets `vitest run <file>` work from here: the packages with their own configurations, and the repository's scripts. */
export default defineConfig({
  test: {
    projects: [
      'apps/api',
      'apps/cli',
      'apps/web',
      'packages/client',
      'packages/shared',
      { test: { name: 'scripts', include: ['scripts/**/*.test.mjs'], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
})
