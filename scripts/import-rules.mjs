import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cruise } from 'dependency-cruiser'

/** Minimum number of modules that must be found: a checker that can't read the sources finds no violations. */
export const MIN_MODULES = 20

const SOURCES = ['apps', 'packages', 'e2e', 'bench', 'scripts', 'playwright.config.ts', 'prisma.config.ts']

/**
 * Checks the imports of a repository against .dependency-cruiser.cjs.
 * @param {string} root the repository's folder
 * @returns {Promise<{ modules: number, violations: { rule: string, from: string, to: string }[] }>}
 */
export async function checkImports(root) {
  const config = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs'))
  const sources = SOURCES.filter((path) => existsSync(join(root, path)))
  const { output } = await cruise(sources, {
    ...config.options,
    baseDir: root,
    ruleSet: { forbidden: config.forbidden },
    validate: true,
  })
  return {
    modules: output.summary.totalCruised,
    violations: output.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  }
}
