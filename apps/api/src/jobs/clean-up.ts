import type pg from 'pg'
import type { Log } from '../log.ts'

/** Rows that have had their time, by the statement that removes them. */
const statements: Record<string, string> = {
  auth_sessions: 'DELETE FROM auth_sessions WHERE expires_at < now()',
  login_failures: `DELETE FROM login_failures WHERE created_at < now() - interval '15 minutes'`,
  // Their events go with them.
  chat_answers: `DELETE FROM chat_answers WHERE finished_at < now() - interval '1 hour'`,
}

/** Makes the handler of `clean-up`: removes ended sign-ins, sign-in failures and the event logs of finished answers. */
export function createCleanUp({ pool, log }: { pool: Pick<pg.Pool, 'query'>; log: Log }): () => Promise<void> {
  return async () => {
    const removed: Record<string, number> = {}
    for (const [table, sql] of Object.entries(statements)) removed[table] = (await pool.query(sql)).rowCount ?? 0
    log.debug({ removed }, 'rows whose time was over were removed')
  }
}
