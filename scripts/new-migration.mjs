// `npm run migration:new <name>` writes prisma/migrations/<timestamp>_<name>/migration.sql from the difference
// between the migrations and schema.prisma. Add by hand what Prisma can't express, then commit both.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const name = (process.argv[2] ?? '').replace(/\W+/g, '_').toLowerCase()
if (!name) {
  console.error('Usage: npm run migration:new <name>')
  process.exit(2)
}

const root = fileURLToPath(new URL('..', import.meta.url))
const migrations = `${root}prisma/migrations`
mkdirSync(migrations, { recursive: true })

const diff = spawnSync(
  process.execPath,
  [
    `${root}scripts/prisma.mjs`,
    ...['migrate', 'diff', '--script'],
    ...['--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema.prisma'],
  ],
  { encoding: 'utf8' },
)
if (diff.status !== 0) {
  console.error(diff.stderr)
  process.exit(1)
}

// The CLI may print notes before the script, which always begins with a comment.
const sql = diff.stdout.slice(diff.stdout.indexOf('-- ')).trimEnd()
if (sql === '' || sql.startsWith('-- This is an empty migration')) {
  console.info('schema.prisma and the migrations agree: nothing to do.')
  process.exit(0)
}

const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
const folder = `${timestamp}_${name}`
mkdirSync(`${migrations}/${folder}`)
writeFileSync(`${migrations}/${folder}/migration.sql`, `${sql}\n`)
console.info(`prisma/migrations/${folder}/migration.sql: read it, complete it by hand, commit it.`)
