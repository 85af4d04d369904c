import { defineConfig } from 'vitest/config'

/** Tests of the repository's own scripts; each package has a configuration of its own. */
export default defineConfig({
  test: { include: ['scripts/**/*.test.mjs'], testTimeout: 60_000 },
})
