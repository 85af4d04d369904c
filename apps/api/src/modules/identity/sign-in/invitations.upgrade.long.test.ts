import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { createServerDatabase, silentLog } from '../../../../test/database-template.ts'
import { openDatabase } from '../../../platform/database/client.ts'
import { listMigrations, MIGRATIONS_DIR } from '../../../platform/database/migrate.ts'
import { newId } from '../../../platform/database/new-id.ts'

/** The last migration before invitations were their makers'. */
const LAST_OF_BEFORE = '20261128043700_trash'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const serverUrl = process.env.TEST_DATABASE_URL
const work = mkdtempSync(join(tmpdir(), 'mira-invitations-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

test('an upgrade gives open invitations to their makers, and revokes those whose maker is not there', async () => {
  const migrationsDir = join(work, 'migrations')
  for (const name of await listMigrations(MIGRATIONS_DIR)) {
    if (name <= LAST_OF_BEFORE) cpSync(join(MIGRATIONS_DIR, name), join(migrationsDir, name), { recursive: true })
  }
  const dataDir = join(work, 'data')
  mkdirSync(dataDir)
  const server = serverUrl ? await createServerDatabase(serverUrl) : null
  const where = { dataDir, log: silentLog, ...(server ? { databaseUrl: server.databaseUrl } : {}) }
  const old = await openDatabase({ ...where, migrationsDir })
  const userId = newId()
  await old.pool.query(
    `INSERT INTO users (id, username, email, role, updated_at) VALUES ($1, 'Eva', 'eva@example.org', 'admin', now())`,
    [userId],
  )
  const rows = [
    ['ben@example.org', 'eva', null],
    ['cem@example.org', 'gone', null],
    ['dan@example.org', 'gone', new Date()],
  ]
  for (const [email, invitedBy, acceptedAt] of rows) {
    await old.pool.query(
      `INSERT INTO invitations (id, secret_hash, email, role, invited_by, expires_at, accepted_at)
       VALUES ($1::uuid, $1::text, $2, 'admin', $3, now() + interval '1 day', $4)`,
      [newId(), email, invitedBy, acceptedAt],
    )
  }
  await old.close()
  const database = await openDatabase(where)
  const { rows: kept } = await database.pool.query(
    'SELECT email, user_id, revoked_at IS NOT NULL AS is_revoked FROM invitations ORDER BY email',
  )
  expect(kept).toEqual([
    { email: 'ben@example.org', user_id: userId, is_revoked: false },
    { email: 'cem@example.org', user_id: null, is_revoked: true },
    { email: 'dan@example.org', user_id: null, is_revoked: false },
  ])
  await database.close()
  await server?.drop()
})
