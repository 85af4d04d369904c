// Selects the tests of a run. Long tests (`*.long.test.ts`, `*.long.spec.ts`) run with TEST_LONG=1 or, a share of them, with
// TEST_LONG_SHARE=2/4. TEST_DATABASE_SHARE=2/3 selects a share of the API's tests on another database.

type Environment = Record<string, string | undefined>

/** True for the name of a file with long tests. */
const isLong = (file: string) => /\.long\.(test|spec)\.[mt]sx?$/.test(file)

/** True for the name of a test file about statements or tables, which another database may treat differently. */
const isAboutDatabase = (file: string) =>
  /\.(test|spec)\.ts$/.test(file) &&
  /\.(store|upgrade)\.|(^|\/)platform\/(database|queue|events)\/|two-servers|(^|\/)roles\./.test(file)

/** Long tests to exclude, for `exclude` of vitest and `testIgnore` of Playwright. */
export function excludedLongTests(files: readonly string[], environment: Environment = process.env): string[] {
  const long = files.filter(isLong)
  if (environment.TEST_LONG) return []
  return environment.TEST_LONG_SHARE ? outsideShare(long, 'TEST_LONG_SHARE', environment.TEST_LONG_SHARE) : long
}

/** Tests to exclude on a database other than the embedded one; tests about statements and tables always run. */
export function excludedDatabaseTests(files: readonly string[], environment: Environment = process.env): string[] {
  const others = files.filter((file) => file.endsWith('.test.ts') && !isLong(file) && !isAboutDatabase(file))
  const share = environment.TEST_DATABASE_SHARE
  return share ? outsideShare(others, 'TEST_DATABASE_SHARE', share) : []
}

/** Files outside a share of the files. @throws Error when the share isn't `n/m` with n from 1 to m. */
function outsideShare(files: readonly string[], name: string, share: string): string[] {
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(share) ?? []
  if (part === undefined || Number(part) < 1 || Number(part) > Number(parts)) {
    throw new Error(`${name} is a share such as 2/4.`)
  }
  return files.toSorted().filter((_, index) => index % Number(parts) !== Number(part) - 1)
}
