import type pg from 'pg'
import type { Log } from '../../log.ts'
import type { LooseFiles } from '../database/loose-files.ts'
import { raw, sql } from '../database/sql.ts'
import type { JobHandlers } from './jobs.ts'

/** The file store as far as the handler needs it. */
interface FileRemover {
  /** Removes one file; one that is gone already is no error. */
  delete(path: string): Promise<void>
  /** Removes every file of an owner. */
  deleteAll(ownerId: string): Promise<void>
  /** Rejects when the store can't be reached. */
  check(): Promise<void>
}

/** Makes the handler of `delete-files`. */
export function createDeleteFiles(deps: {
  files: FileRemover
  looseFiles: Pick<LooseFiles, 'deleteDue'>
  /** Removes what of a user has arrived in part only. */
  removePartialsOf?(userId: string): Promise<void>
}): JobHandlers['delete-files'] {
  const { files, looseFiles } = deps
  return async (data, { signal }) => {
    if ('user_id' in data) {
      await deps.removePartialsOf?.(data.user_id)
      return files.deleteAll(data.user_id)
    }
    if ('loose' in data) {
      // Each is deleted inside a transaction, which must not wait for a store that is away.
      await files.check()
      return looseFiles.deleteDue(files.delete, signal)
    }
    for (const path of data.paths) {
      signal.throwIfAborted()
      await files.delete(path)
    }
  }
}

/** Retention in days; null keeps everything. */
interface RetentionDays {
  activity_days: number | null
  agent_run_days: number | null
  notification_days: number | null
  automation_run_days: number | null
  audit_days: number | null
  trash_days: number | null
}

/** Rows that have had their time, by the statement that removes them. */
const statements: Record<string, string> = {
  auth_sessions: 'DELETE FROM auth_sessions WHERE expires_at < now()',
  used_tickets: 'DELETE FROM used_tickets WHERE expires_at < now()',
  invitations: `DELETE FROM invitations WHERE coalesce(accepted_at, revoked_at, expires_at) < now() - interval '90 days'`,
  oauth_tokens: `DELETE FROM oauth_tokens WHERE expires_at < now()`,
  // A code that nobody came with, and what has no token left.
  oauth_grants: `DELETE FROM oauth_grants g WHERE code_expires_at < now() - interval '1 day'
    AND NOT EXISTS (SELECT FROM oauth_tokens t WHERE t.grant_id = g.id)`,
  // Programs remember what they are called here, and ask again after a while.
  oauth_clients: `DELETE FROM oauth_clients c WHERE NOT EXISTS (SELECT FROM oauth_grants g WHERE g.client_id = c.id)
    AND coalesce(agreed_at + interval '1 year', created_at + interval '1 day') < now()`,
  // A clock that was ahead would refuse sign-ins until then.
  login_failures: `DELETE FROM login_failures
    WHERE created_at NOT BETWEEN now() - interval '15 minutes' AND now() + interval '15 minutes'`,
  // Their events go with them.
  chat_answers: `DELETE FROM chat_answers WHERE finished_at < now() - interval '1 hour'`,
  // The log of what hooks were told; one that waits is younger.
  hook_deliveries: `DELETE FROM hook_deliveries WHERE created_at < now() - interval '30 days'`,
  // So old an answer helps nobody, even where the source is away.
  source_answers: `DELETE FROM source_answers WHERE fetched_at < now() - interval '14 days'`,
}

/** Rows with a retention set by the administrator, and their conditions besides age. */
const aged: Record<string, { setting: keyof RetentionDays; since?: string; condition?: string; atOnce?: number }> = {
  // only what analytics have added up (features/insights)
  activities: {
    setting: 'activity_days',
    condition: `created_at < coalesce((SELECT kept_from FROM activity_rollups), '-infinity')`,
  },
  agent_runs: { setting: 'agent_run_days' },
  notifications: { setting: 'notification_days' },
  // one that is reported repeatedly never ends
  reminders: { setting: 'notification_days', since: 'completed_at', condition: `state = 'completed'` },
  audit_entries: { setting: 'audit_days' },
  automation_runs: { setting: 'automation_run_days', condition: `status NOT IN ('pending', 'running')` },
  // much hangs on each
  media_items: { setting: 'trash_days', since: 'trashed_at', atOnce: 20 },
  chat_sessions: { setting: 'trash_days', since: 'trashed_at', atOnce: 20 },
}

/** One statement stays short: the embedded database does nothing else meanwhile. */
const MAX_ROWS_AT_ONCE = 2000

/**
 * Makes the handler of `clean-up`: removes ended sign-ins, sign-in failures, the event logs of finished answers, and what
 * is older than it is kept, or longer in the trash.
 */
export function createCleanUp(deps: {
  pool: Pick<pg.Pool, 'query'>
  retention(): RetentionDays
  log: Log
}): () => Promise<void> {
  const { pool, retention, log } = deps

  const removeAged = async (table: string, days: number): Promise<number> => {
    const { since = 'created_at', condition = 'true', atOnce = MAX_ROWS_AT_ONCE } = aged[table] ?? {}
    let removed = 0
    for (;;) {
      const { rowCount } = await pool.query(
        // without the locks it would delete what is restored from the trash right now
        sql`DELETE FROM ${raw(table)} WHERE id IN (
           SELECT id FROM ${raw(table)} WHERE ${raw(since)} < now() - make_interval(days => ${days}) AND ${raw(condition)}
           LIMIT ${raw(atOnce)} FOR UPDATE SKIP LOCKED)`,
      )
      removed += rowCount ?? 0
      if ((rowCount ?? 0) < atOnce) return removed
    }
  }

  return async () => {
    const removed: Record<string, number> = {}
    for (const [table, statement] of Object.entries(statements))
      removed[table] = (await pool.query(statement)).rowCount ?? 0
    const retentionDays = retention()
    for (const [table, { setting }] of Object.entries(aged)) {
      const days = retentionDays[setting]
      if (days !== null) removed[table] = await removeAged(table, days)
    }
    log.debug({ removed }, 'rows whose time was over were removed')
  }
}
