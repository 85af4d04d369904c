import type pg from 'pg'
import type { Log } from '../../log.ts'
import { raw, sql } from '../database/sql.ts'
import { tryEach } from '../database/try-each.ts'
import type { UnreferencedFiles } from '../database/unreferenced-files.ts'
import type { JobHandlers } from './jobs.ts'

interface FileRemover {
  /** Removes a file; does nothing when it doesn't exist. */
  delete(path: string): Promise<void>
  /** Removes every file of an owner. */
  deleteAll(ownerId: string): Promise<void>
  /** Rejects when the store can't be reached. */
  check(): Promise<void>
}

/** Creates the handler of `delete-files`. */
export function createDeleteFiles(deps: {
  files: FileRemover
  unreferencedFiles: Pick<UnreferencedFiles, 'deleteDue'>
  /** Removes a user's partial uploads. */
  removePartialsOf?(userId: string): Promise<void>
}): JobHandlers['delete-files'] {
  const { files, unreferencedFiles } = deps
  return async (data, { signal }) => {
    if ('user_id' in data) {
      await deps.removePartialsOf?.(data.user_id)
      return files.deleteAll(data.user_id)
    }
    await files.check()
    if ('loose' in data) {
      // each is deleted inside a transaction, which must not wait for an unavailable store
      return unreferencedFiles.deleteDue(files.delete, signal)
    }
    const remove = async (path: string) => {
      signal.throwIfAborted()
      await files.delete(path)
    }
    await tryEach(data.paths, remove, signal)
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

/** Statements that remove expired rows, by table. */
const statements: Record<string, string> = {
  auth_sessions: 'DELETE FROM auth_sessions WHERE expires_at < now()',
  used_tickets: 'DELETE FROM used_tickets WHERE expires_at < now()',
  invitations: `DELETE FROM invitations WHERE coalesce(accepted_at, revoked_at, expires_at) < now() - interval '90 days'`,
  oauth_tokens: `DELETE FROM oauth_tokens WHERE expires_at < now()`,
  // grants whose code was never used, or whose tokens have all been removed
  oauth_grants: `DELETE FROM oauth_grants g WHERE code_expires_at < now() - interval '1 day'
    AND NOT EXISTS (SELECT FROM oauth_tokens t WHERE t.grant_id = g.id)`,
  // OAuth clients remember their client id, and may return after a while
  oauth_clients: `DELETE FROM oauth_clients c WHERE NOT EXISTS (SELECT FROM oauth_grants g WHERE g.client_id = c.id)
    AND coalesce(agreed_at + interval '1 year', created_at + interval '1 day') < now()`,
  // failures in the future, too: after a clock was ahead, they would block sign-ins until that time
  login_failures: `DELETE FROM login_failures
    WHERE created_at NOT BETWEEN now() - interval '15 minutes' AND now() + interval '15 minutes'`,
  // deletes their events, too (cascade)
  chat_answers: `DELETE FROM chat_answers WHERE finished_at < now() - interval '1 hour'`,
  // the log of deliveries; pending ones are younger
  hook_deliveries: `DELETE FROM hook_deliveries WHERE created_at < now() - interval '30 days'`,
  // useless at this age, even if the source is unavailable
  source_answers: `DELETE FROM source_answers WHERE fetched_at < now() - interval '14 days'`,
}

/** Tables whose rows are removed after a time that the administrator sets, and conditions besides age. */
const retentionRules: Record<
  string,
  { setting: keyof RetentionDays; since?: string; condition?: string; atOnce?: number }
> = {
  // only activities that analytics have aggregated
  activities: {
    setting: 'activity_days',
    condition: `created_at < coalesce((SELECT kept_from FROM activity_rollups), '-infinity')`,
  },
  agent_runs: { setting: 'agent_run_days' },
  notifications: { setting: 'notification_days' },
  // an active recurring reminder has a `completed_at`, too
  reminders: { setting: 'notification_days', since: 'completed_at', condition: `state = 'completed'` },
  audit_entries: { setting: 'audit_days' },
  automation_runs: { setting: 'automation_run_days', condition: `status NOT IN ('pending', 'running')` },
  // only a few at a time, because deleting one also deletes many rows of other tables
  media_items: { setting: 'trash_days', since: 'trashed_at', atOnce: 20 },
  chat_sessions: { setting: 'trash_days', since: 'trashed_at', atOnce: 20 },
}

/** Keeps each statement short, because the embedded database does nothing else meanwhile. */
const MAX_ROWS_AT_ONCE = 2000

/**
 * Creates the handler of `clean-up`: removes expired sign-ins, sign-in failures, event logs of finished answers, and rows
 * beyond their retention or time in the trash.
 */
export function createCleanUp(deps: {
  pool: Pick<pg.Pool, 'query'>
  retention(): RetentionDays
  log: Log
}): () => Promise<void> {
  const { pool, retention, log } = deps

  const removeAged = async (table: string, days: number): Promise<number> => {
    const { since = 'created_at', condition = 'true', atOnce = MAX_ROWS_AT_ONCE } = retentionRules[table] ?? {}
    let removed = 0
    for (;;) {
      const { rowCount } = await pool.query(
        // the locks protect rows that are being restored from the trash
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
    const retentionDays = retention()
    const removals = [
      ...Object.entries(statements).map(([table, statement]) => async () => {
        removed[table] = (await pool.query(statement)).rowCount ?? 0
      }),
      ...Object.entries(retentionRules).map(([table, { setting }]) => async () => {
        const days = retentionDays[setting]
        if (days !== null) removed[table] = await removeAged(table, days)
      }),
    ]
    await tryEach(removals, (remove) => remove()).finally(() => log.debug({ removed }, 'expired rows were removed'))
  }
}
