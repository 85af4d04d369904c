import { describe, expect, test } from 'vitest'
import { BASELINE } from './history.ts'
import { MIGRATIONS_DIR, readMigrations } from './migrate.ts'

/** Comment directly above a statement with the reason why servers of the previous version tolerate it. */
const EXEMPTION = /^-- old servers: \S.*$/

/** Changes that break servers of the previous version. */
const breaking: readonly [what: string, pattern: RegExp][] = [
  ['drops something in use', /\bDROP\s+(TABLE|COLUMN|VIEW|TYPE|FUNCTION|TRIGGER|DEFAULT)\b/i],
  ['renames something in use', /\bRENAME\b/i],
  ['changes the type of a column', /\bALTER\s+(COLUMN\s+)?\S+\s+(SET\s+DATA\s+)?TYPE\b/i],
  ['makes a nullable column required', /\bSET\s+NOT\s+NULL\b/i],
  [
    'adds a required column without a default',
    /\bADD\s+(COLUMN\s+)?(?!CONSTRAINT\b)[^,;]*\bNOT\s+NULL\b(?![^,;]*\bDEFAULT\b)/i,
  ],
]

/** Breaking statements of a migration without an exemption. */
function breakingStatements(text: string): string[] {
  return text.split(/;\s*$/m).flatMap((part) => {
    const lines = part.trim().split('\n')
    if (lines.some((line) => EXEMPTION.test(line.trim()))) return []
    const statement = lines.filter((line) => !line.trim().startsWith('--')).join(' ')
    // DEFAULT may come before NOT NULL.
    const normalized = statement.replace(/\bDEFAULT\s+(\S+)\s+NOT\s+NULL\b/gi, 'NOT NULL DEFAULT $1')
    return breaking.filter(([, pattern]) => pattern.test(normalized)).map(([what]) => `${what}: ${statement.trim()}`)
  })
}

test('servers of the previous version keep working with the tables of a newer one', async () => {
  const migrations = (await readMigrations(MIGRATIONS_DIR)).filter(({ name }) => name > BASELINE)
  const problems = migrations.flatMap(({ name, text }) => breakingStatements(text).map((one) => `${name} ${one}`))
  expect(problems).toEqual([])
})

describe('a migration', () => {
  test.each([
    'ALTER TABLE "users" DROP COLUMN "name";',
    'DROP TABLE notes;',
    'ALTER TABLE users\n  RENAME COLUMN name TO full_name;',
    'ALTER TABLE users ALTER COLUMN age TYPE bigint;',
    'ALTER TABLE users ALTER COLUMN age SET DATA TYPE bigint;',
    'ALTER TABLE users ALTER COLUMN age SET NOT NULL;',
    'ALTER TABLE users ADD COLUMN age integer NOT NULL;',
    'ALTER TABLE users ADD COLUMN age integer NOT NULL, ADD COLUMN size integer NOT NULL DEFAULT 1;',
    '-- it is not used\nALTER TABLE users DROP COLUMN age;',
  ])('breaks older servers: %s', (text) => {
    expect(breakingStatements(`CREATE TABLE other (id uuid NOT NULL);\n${text}\n`)).toHaveLength(1)
  })

  test.each([
    'CREATE TABLE notes (id uuid NOT NULL, PRIMARY KEY (id));',
    'ALTER TABLE users ADD COLUMN age integer;',
    'ALTER TABLE users ADD COLUMN age integer NOT NULL DEFAULT 1;',
    'ALTER TABLE users ADD COLUMN age integer DEFAULT 1 NOT NULL;',
    'ALTER TABLE notes ADD CONSTRAINT c FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;',
    'CREATE INDEX users_age ON users (age);\nDROP INDEX users_size;',
    '-- old servers: none has read it since 1.4\nALTER TABLE users DROP COLUMN age;',
  ])('is additive: %s', (text) => {
    expect(breakingStatements(text)).toEqual([])
  })
})
