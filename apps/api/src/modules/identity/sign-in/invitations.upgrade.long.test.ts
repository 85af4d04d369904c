import { expect, test, vi } from 'vitest'
import { createOldDatabase } from '../../../../test/old-database.ts'
import { newId } from '../../../platform/database/new-id.ts'

/** The last migration before invitations were their makers'. */
const LAST_OF_BEFORE = '20261128043700_trash'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

test('an upgrade gives open invitations to their makers, and revokes those whose maker is not there', async () => {
  await using place = await createOldDatabase(LAST_OF_BEFORE)
  const old = await place.open()
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
  const database = await place.upgrade()
  const { rows: kept } = await database.pool.query(
    'SELECT email, user_id, revoked_at IS NOT NULL AS is_revoked FROM invitations ORDER BY email',
  )
  expect(kept).toEqual([
    { email: 'ben@example.org', user_id: userId, is_revoked: false },
    { email: 'cem@example.org', user_id: null, is_revoked: true },
    { email: 'dan@example.org', user_id: null, is_revoked: false },
  ])
  await database.close()
})
