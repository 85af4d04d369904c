import { expect } from 'vitest'
import { newId } from '../../src/platform/database/new-id.ts'
import { addOldUser, type OldVersion } from './old-version.ts'

let userId: string

/** Last version that stored an invitation's sender by name. */
export const invitations: OldVersion = {
  lastMigration: '20261128043700_trash',
  outcome: 'open invitations belong to their senders, and those without an existing sender are revoked',
  async add({ pool }) {
    userId = await addOldUser({ pool }, 'Eva', 'admin')
    // The name of the sender is matched regardless of case.
    const rows = [
      ['ben@example.org', 'eva', null],
      ['cem@example.org', 'gone', null],
      ['dan@example.org', 'gone', new Date()],
    ]
    for (const [email, invitedBy, acceptedAt] of rows) {
      await pool.query(
        `INSERT INTO invitations (id, secret_hash, email, role, invited_by, expires_at, accepted_at)
       VALUES ($1::uuid, $1::text, $2, 'admin', $3, now() + interval '1 day', $4)`,
        [newId(), email, invitedBy, acceptedAt],
      )
    }
  },
  async expectUpgraded({ pool }) {
    const { rows: kept } = await pool.query(
      'SELECT email, user_id, revoked_at IS NOT NULL AS is_revoked FROM invitations ORDER BY email',
    )
    expect(kept).toEqual([
      { email: 'ben@example.org', user_id: userId, is_revoked: false },
      { email: 'cem@example.org', user_id: null, is_revoked: true },
      { email: 'dan@example.org', user_id: null, is_revoked: false },
    ])
  },
}
