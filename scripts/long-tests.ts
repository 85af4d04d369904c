// Which tests that take long are part of a run: `*.long.test.ts` and `*.long.spec.ts`.
// TEST_LONG=1 runs all of them, TEST_LONG_SHARE=2/4 the second quarter; otherwise none runs.

/** True for the name of a file with tests that take long. */
const isLong = (file: string) => /\.long\.(test|spec)\.[mt]sx?$/.test(file)

/**
 * Patterns of long tests that don't run, for `exclude` of vitest and `testIgnore` of Playwright.
 * @throws Error when TEST_LONG_SHARE isn't `n/m` with n from 1 to m.
 */
export function leftOutLongTests(
  files: readonly string[],
  environment: Record<string, string | undefined> = process.env,
): string[] {
  const long = files.filter(isLong)
  if (environment.TEST_LONG) return []
  const share = environment.TEST_LONG_SHARE
  if (!share) return long
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(share) ?? []
  if (part === undefined || Number(part) < 1 || Number(part) > Number(parts)) {
    throw new Error('TEST_LONG_SHARE is a share such as 2/4.')
  }
  return long.toSorted().filter((_, index) => index % Number(parts) !== Number(part) - 1)
}
