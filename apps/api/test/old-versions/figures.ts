import { expect } from 'vitest'
import { createSessionsStore } from '../../src/modules/chat/conversations/sessions.store.ts'
import { expectMatchingStatistics, insertSessionMessages, insertSessions } from '../session-figures.ts'
import { addOldUser, type OldVersion } from './old-version.ts'

let owner: string
let sessions: string[]

/** Last version without stored figures of conversations. */
export const figures: OldVersion = {
  lastMigration: '20261124201500_step_places',
  outcome: 'conversations have correct figures, which stay up to date',
  async add(database) {
    owner = await addOldUser(database, 'figures')
    sessions = await insertSessions(database, owner, 40)
    await insertSessionMessages(
      database,
      sessions.slice(1).flatMap((session, index) => [
        { session, tokens: index },
        { session, tokens: 3, durationMs: index * 10, calls: index % 3 === 0 ? ['NewsAgent', 'read_page'] : [] },
        { session, durationMs: 40, state: 'failed' },
      ]),
    )
    await expect(database.pool.query('SELECT FROM chat_session_figures')).rejects.toThrow(/chat_session_figures/)
  },
  async expectUpgraded(database) {
    const kept = await expectMatchingStatistics(database)
    expect(kept.sessions.filter((row) => row.user_id === owner)).toHaveLength(40)
    await insertSessionMessages(database, [{ session: sessions[0] ?? '', durationMs: 1000, calls: ['FileAgent'] }])
    await database.pool.query('DELETE FROM chat_sessions WHERE id = $1', [sessions[1]])
    await expectMatchingStatistics(database)
    const { total, agentCalls } = await createSessionsStore(database).stats(owner)
    expect({ total, agentCalls }).toEqual({ total: 39, agentCalls: 13 })
  },
}
