import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { createServerDatabase, silentLog } from '../../../../test/database-template.ts'
import { openDatabase } from '../../../platform/database/client.ts'
import { listMigrations, MIGRATIONS_DIR } from '../../../platform/database/migrate.ts'
import { newId } from '../../../platform/database/new-id.ts'

/** The last migration before messages from elsewhere were marked. */
const LAST_BEFORE = '20261128043700_trash'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const work = mkdtempSync(join(tmpdir(), 'mira-foreign-'))
const serverUrl = process.env.TEST_DATABASE_URL
const server = serverUrl ? await createServerDatabase(serverUrl) : null
afterAll(async () => {
  await server?.drop()
  rmSync(work, { recursive: true, force: true })
})

test('messages that were taken over before an update count as text of others after it, the user’s own do not', async () => {
  const [migrationsDir, dataDir] = [join(work, 'migrations'), join(work, 'data')]
  for (const folder of [migrationsDir, dataDir]) mkdirSync(folder)
  for (const name of await listMigrations(MIGRATIONS_DIR)) {
    if (name <= LAST_BEFORE) cpSync(join(MIGRATIONS_DIR, name), join(migrationsDir, name), { recursive: true })
  }
  const options = { dataDir, log: silentLog, ...(server ? { databaseUrl: server.databaseUrl } : {}) }
  const before = await openDatabase({ ...options, migrationsDir })
  const [userId, sessionId] = [newId(), newId()]
  const ids = { foreignQuestion: newId(), foreignAnswer: newId(), question: newId(), answer: newId(), last: newId() }
  await before.pool.query(
    "INSERT INTO users (id, username, email, password_hash) VALUES ($1, 'anna', 'anna@example.org', '')",
    [userId],
  )
  await before.pool.query(
    "INSERT INTO chat_sessions (id, user_id, session_name, updated_at) VALUES ($1, $2, 'Letters', now())",
    [sessionId, userId],
  )
  const add = (id: string, parentId: string | null, role: string, engine: string | null) =>
    before.pool.query(
      `INSERT INTO chat_messages (id, session_id, parent_id, role, content, engine) VALUES ($1, $2, $3, $4, 'text', $5)`,
      [id, sessionId, parentId, role, engine],
    )
  await add(ids.foreignQuestion, null, 'user', null)
  await add(ids.foreignAnswer, ids.foreignQuestion, 'assistant', null)
  await add(ids.question, ids.foreignAnswer, 'user', null)
  await add(ids.answer, ids.question, 'assistant', 'remote')
  await add(ids.last, ids.answer, 'user', null)
  await before.close()

  const after = await openDatabase(options)
  const { rows } = await after.pool.query<{ id: string }>('SELECT id FROM chat_messages WHERE read_outside')
  // a question without an answer can only have come from elsewhere
  const expected = [ids.foreignQuestion, ids.foreignAnswer, ids.last]
  expect(rows.map(({ id }) => id).sort()).toEqual(expected.sort())
  await after.close()
})
