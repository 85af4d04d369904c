import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogOf } from '../test/catalog.ts'
import { openTestDatabase } from '../test/database-template.ts'
import { openOldDatabase } from '../test/old-database.ts'
import { accents } from '../test/old-versions/accents.ts'
import { failures } from '../test/old-versions/failures.ts'
import { figures } from '../test/old-versions/figures.ts'
import { foreignMessages } from '../test/old-versions/foreign-messages.ts'
import { formerTexts } from '../test/old-versions/former-texts.ts'
import { importedTags } from '../test/old-versions/imported-tags.ts'
import { invitations } from '../test/old-versions/invitations.ts'
import { addOldUser } from '../test/old-versions/old-version.ts'
import { ownFacts } from '../test/old-versions/own-facts.ts'
import { checkpoints } from '../test/old-versions/turns.ts'
import { BASELINE, formerNames, isFormerText, readHistory } from './platform/database/history.ts'
import { chooseMigrations, MIGRATIONS_DIR, readMigrations } from './platform/database/migrate.ts'

/** In the order of their migrations. */
const versions = [checkpoints, figures, importedTags, ownFacts, foreignMessages, invitations, failures, accents]

let names: string[]
let history: string[]
/** Catalog of a new database. */
let newCatalog: string[]
/** Database that was upgraded through all versions, with rows of each. */
let database: Awaited<ReturnType<typeof openOldDatabase>>
const withoutRows = (catalog: string[]) => catalog.filter((line) => !line.startsWith('row of '))

beforeAll(async () => {
  names = (await readMigrations(MIGRATIONS_DIR)).map(({ name }) => name)
  history = names.filter((name) => name < BASELINE)
  const fresh = await openTestDatabase()
  newCatalog = await catalogOf(fresh.pool)
  await fresh.close()
  database = await openOldDatabase(versions[0]?.lastMigration ?? '')
  for (const { lastMigration, add } of versions) {
    await database.upgrade(lastMigration)
    await add(database)
  }
  await database.upgrade()
})
afterAll(() => database.close())

test('a database upgraded through all versions has the catalog of a new one', async () => {
  expect(withoutRows(await catalogOf(database.pool))).toEqual(withoutRows(newCatalog))
})

test.each(versions)('after an upgrade, $outcome', async ({ expectUpgraded }) => {
  await expectUpgraded(database)
})

test('a database with all earlier migrations is recorded as being at the baseline, and nothing else changes', async () => {
  const old = await openOldDatabase(history.at(-1) ?? '')
  try {
    const before = await catalogOf(old.pool)
    expect(await old.upgrade(BASELINE)).toEqual([BASELINE])
    expect(await catalogOf(old.pool)).toEqual(before)
    expect(await old.upgrade()).toEqual(names.filter((name) => name > BASELINE))
    expect(await catalogOf(old.pool)).toEqual(newCatalog)
    const { rows } = await old.pool.query<{ name: string }>('SELECT migration_name AS name FROM _prisma_migrations')
    expect(rows.map(({ name }) => name).sort()).toEqual(names)
    await expect(old.upgrade(history.at(-1))).rejects.toThrow(
      `newer version of Mira: this one doesn't know ${names.at(-1)}`,
    )
  } finally {
    await old.close()
  }
})

test('no earlier migration is missing or edited, since databases store their checksums', async () => {
  const hash = createHash('sha256')
  for (const { name, text } of (await readHistory()).migrations) hash.update(name + text)
  expect(hash.digest('hex')).toBe('d9360470797d26f390959799e1c215d0a5a9e28a28040f3a0f01fc144aa3c370')
})

test('a database whose migrations had other names or texts gets the catalog of a new one', async () => {
  const formerNameOf = new Map(Object.entries(formerNames).map(([before, now]) => [now, before]))
  const old = await openOldDatabase(history.at(-1) ?? '', ({ name, text }) => {
    const edits = formerTexts[name] ?? []
    const originalText = edits.reduce((edited, [now, before]) => edited.replace(now, before), text)
    const checksum = createHash('sha256').update(originalText).digest('hex')
    expect({ name, isFormer: isFormerText(checksum) }).toEqual({ name, isFormer: edits.length > 0 })
    return { name: formerNameOf.get(name) ?? name, text: originalText }
  })
  try {
    expect(await catalogOf(old.pool)).not.toEqual(newCatalog)
    await old.pool.query(
      `INSERT INTO hook_notices (user_id, event, data) VALUES ($1, 'media.failed', '{"error": "It can’t be read."}')`,
      [await addOldUser(old, 'anna')],
    )
    await old.upgrade()
    expect(withoutRows(await catalogOf(old.pool))).toEqual(withoutRows(newCatalog))
    const { rows } = await old.pool.query(`SELECT data -> 'error_told' -> 0 ->> 'code' AS code FROM hook_notices`)
    expect(rows).toEqual([{ code: 'from_before' }])
    expect(await old.upgrade()).toEqual([])
  } finally {
    await old.close()
  }
})

test('each database gets the migrations that it lacks: a new one the baseline, another the rest of the earlier ones', () => {
  const later = names.filter((name) => name > BASELINE)
  expect(chooseMigrations(names, [])).toEqual([BASELINE, ...later])
  for (const count of history.keys()) {
    if (count > 0) expect(chooseMigrations(names, history.slice(0, count))).toEqual(names)
    // A database that lacks a migration older than its newest.
    expect(chooseMigrations(names, history.toSpliced(count, 1))).toEqual(names)
  }
  expect(chooseMigrations(names, history)).toEqual(names)
  expect(chooseMigrations(names, [BASELINE])).toEqual([BASELINE, ...later])
  expect(chooseMigrations(names, names)).toEqual(names)
})

test('an archive gets the migrations that it was made with', () => {
  const part = history.slice(0, 20)
  expect(chooseMigrations(names, [], part)).toEqual(part)
  for (const complete of [history, [...history, BASELINE], [BASELINE]]) {
    expect(chooseMigrations(names, [], complete)).toEqual([BASELINE])
  }
})
