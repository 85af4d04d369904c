// Templates of the tests' databases. Separate from the database engine, which takes half a second to load, for code that only copies one.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { MIGRATIONS_DIR } from '../src/platform/database/migrate.ts'

/** Folder of templates, shared between runs. */
export const CACHE_DIR: string = resolve(import.meta.dirname, '../../../node_modules/.cache/mira')

/** Hash of everything that templates depend on. */
export function templateHash(): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(MIGRATIONS_DIR, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(MIGRATIONS_DIR, name)
    if (statSync(file).isFile()) hash.update(name).update(readFileSync(file))
  }
  const require = createRequire(import.meta.url)
  for (const name of ['@electric-sql/pglite', 'pg-boss']) hash.update(readFileSync(packageFile(require.resolve(name))))
  const jobsDir = resolve(import.meta.dirname, '../src/platform/queue')
  for (const name of ['jobs.ts', 'queue.ts']) hash.update(readFileSync(join(jobsDir, name)))
  return hash.digest('hex').slice(0, 16)
}

/** Path of the package.json of a module's package, which has its version. */
function packageFile(module: string): string {
  let folder = dirname(module)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return join(folder, 'package.json')
}

/** Folder of the three templates below, which prepareTemplate creates. */
export const templates = (): string => join(CACHE_DIR, `databases-${templateHash()}`)
/** The dump that embedded databases of tests are loaded from. */
export const templateFile = (): string => join(templates(), 'dump.tar')
/** The folder that copyTemplateDatabase copies. */
export const templateFolder = (): string => join(templates(), 'folder')
/** A data folder with an embedded database that has no tables. */
export const emptyDatabaseFolder = (): string => join(templates(), 'blank')

/** Copies a migrated embedded database into a data folder, in a tenth of the time that loading a dump takes. */
export function copyTemplateDatabase(dataDir: string): void {
  cpSync(templateFolder(), dataDir, { recursive: true })
}
