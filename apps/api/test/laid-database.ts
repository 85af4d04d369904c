// Where the databases of tests come from. Whatever only copies one is spared the database itself, which takes half a second to load.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { MIGRATIONS_DIR } from '../src/platform/database/migrate.ts'

/** Folder of templates, shared between runs. */
export const CACHE_DIR: string = resolve(import.meta.dirname, '../../../node_modules/.cache/mira')

/** Changes with everything that a template is made of. */
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

/** The package.json, which holds the version, of the package that a module belongs to. */
function packageFile(module: string): string {
  let folder = dirname(module)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return join(folder, 'package.json')
}

/** Folder of the following three, which prepareTemplate makes. */
export const templates = (): string => join(CACHE_DIR, `databases-${templateHash()}`)
/** The dump that embedded databases of tests begin with. */
export const templateFile = (): string => join(templates(), 'dump.tar')
/** The folder that layDatabase copies. */
export const templateFolder = (): string => join(templates(), 'folder')
/** A data folder with an embedded database that has no tables. */
export const blankFolder = (): string => join(templates(), 'blank')

/** Puts a migrated embedded database into a data folder: in a tenth of the time in which one is unpacked. */
export function layDatabase(dataDir: string): void {
  cpSync(templateFolder(), dataDir, { recursive: true })
}
