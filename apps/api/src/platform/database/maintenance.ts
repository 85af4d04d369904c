import type pg from 'pg'
import type { Log } from '../../log.ts'
import { isDatabaseUnavailable } from './availability.ts'

export interface MaintenanceDeps {
  pool: Pick<pg.Pool, 'query'>
  /** Runs statements that may take minutes, while everyone else waits. */
  withoutTimeLimit<T>(work: (query: (text: string) => Promise<unknown>) => Promise<T>): Promise<T>
  /** Database's busy share of the time since the previous call, 0 to 1. */
  busyShare(): number
  /** Larger tables are vacuumed while the database is idle, or partially after a long wait. */
  smallBytes?: number
  now?: () => number
  log: Log
}

const VACUUM_EVERY_MS = 60_000
const CHECKPOINT_EVERY_MS = 10_000
/** Maximum busy share of an idle database. */
const IDLE_SHARE = 0.05
/** Waits after which a large table is partially vacuumed at moderate load, then at any load. */
const MODERATE_LOAD_AFTER_MS = 10 * 60_000
const ANY_LOAD_AFTER_MS = 30 * 60_000
const MODERATE_SHARE = 0.5
/** Vacuuming a table of up to this size takes a few tenths of a second, which is acceptable at any time. */
const SMALL_BYTES = 64 * 1024 * 1024

/**
 * Tables of which a fifth is dead or new, as autovacuum would find them. Dead rows are only counted since the start; a table
 * that has grown by a fifth since its last vacuum is also found after a start.
 */
const DUE = `
  SELECT format('%I.%I', s.schemaname, s.relname) AS name, s.n_dead_tup::int AS dead_rows,
    pg_total_relation_size(c.oid)::float8 AS bytes
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
  WHERE n_dead_tup > 50 + greatest(c.reltuples, 0) * 0.2
    OR n_ins_since_vacuum > 1000 + greatest(c.reltuples, 0) * 0.2
    OR pg_relation_size(c.oid) > c.relpages * 8192.0 * 1.2 + 512 * 1024
  ORDER BY n_dead_tup DESC`

/** PostgreSQL's default of 100 samples three times as many rows, and takes memory that is never released. */
const STATISTICS_TARGET = 30

/** Maximum size of the log between checkpoints. Replaying this much of it after a crash takes a second. */
const MAX_LOG_BYTES = 64 * 1024 * 1024

const LOG_SINCE_CHECKPOINT = `
  SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 AS bytes FROM pg_control_checkpoint()`

/**
 * Maintenance of the embedded database, which has no autovacuum or checkpointer: without it the space of deleted rows would
 * never be reused, queries would be planned as if all tables were empty, and its log would grow until the next start.
 */
export function createMaintenance(deps: MaintenanceDeps) {
  const { pool, withoutTimeLimit, busyShare, smallBytes = SMALL_BYTES, now = () => performance.now(), log } = deps
  /** Time (ms) since which each large table has been due, or of its last partial vacuum, by name. */
  const waitingSince = new Map<string, number>()

  const vacuum = skipWhileRunning(async () => {
    const load = busyShare()
    const { rows } = await pool.query<{ name: string; dead_rows: number; bytes: number }>(DUE)
    const isLarge = ({ bytes }: { bytes: number }) => bytes > smallBytes
    const large = rows.filter(isLarge)
    for (const name of waitingSince.keys()) if (!large.some((row) => row.name === name)) waitingSince.delete(name)
    for (const { name } of large) if (!waitingSince.has(name)) waitingSince.set(name, now())
    // under load, one large table at a time limits the pause
    const overdue = large.find(({ name }) => load < allowedShare(now() - (waitingSince.get(name) ?? now())))
    const isIdle = load < IDLE_SHARE
    const due = isIdle ? rows : rows.filter((row) => !isLarge(row) || row === overdue)
    for (const row of due) {
      const { name, dead_rows, bytes } = row
      const isPartial = isLarge(row) && !isIdle
      const startedAt = performance.now()
      await withoutTimeLimit(async (query) => {
        await query(`SET default_statistics_target = ${STATISTICS_TARGET}`)
        await query(`VACUUM (ANALYZE${isPartial ? ', INDEX_CLEANUP OFF, TRUNCATE OFF' : ''}) ${name}`)
        await query('RESET default_statistics_target')
      })
      if (isPartial) waitingSince.set(name, now())
      const took_ms = performance.now() - startedAt
      log.debug({ table: name, dead_rows, bytes, is_partial: isPartial, took_ms }, 'a table was vacuumed')
    }
    return due.map(({ name }) => name)
  })

  const checkpoint = skipWhileRunning(async () => {
    const { rows } = await pool.query<{ bytes: number }>(LOG_SINCE_CHECKPOINT)
    const isDue = (rows[0]?.bytes ?? 0) > MAX_LOG_BYTES
    if (isDue) await withoutTimeLimit((query) => query('CHECKPOINT'))
    return isDue
  })

  /** Wraps work so that it's skipped while its previous run is under way. Failures are logged unless the database is unavailable. */
  function skipWhileRunning<T>(work: () => Promise<T>): () => Promise<T | undefined> {
    let isRunning = false
    return async () => {
      if (isRunning) return undefined
      isRunning = true
      try {
        return await work()
      } catch (error) {
        if (!isDatabaseUnavailable(error)) log.error({ err: error }, 'the database could not be maintained')
        return undefined
      } finally {
        isRunning = false
      }
    }
  }

  return {
    /**
     * Vacuums the tables that need it: small ones now, large ones when the database was idle since the previous call. On a
     * server that is never idle, a large table is partially vacuumed after 10 to 30 minutes: that frees its rows' space and
     * updates its statistics, reading only changed pages, and leaves the indexes, which take longest, to an idle time.
     * @returns the names of the vacuumed tables; undefined while another run is under way, or after a failure.
     */
    vacuum,
    /**
     * Checkpoints when the log is large, so that its files can be reused.
     * @returns true when it did; undefined while another run is under way, or after a failure.
     */
    checkpoint,
  }
}

/** Load (0 to 1) below which a large table that has waited this long is vacuumed. */
function allowedShare(waitedMs: number): number {
  if (waitedMs >= ANY_LOAD_AFTER_MS) return Number.POSITIVE_INFINITY
  return waitedMs >= MODERATE_LOAD_AFTER_MS ? MODERATE_SHARE : IDLE_SHARE
}

/**
 * Starts regular maintenance.
 * @returns a function that stops it.
 */
export function maintainRegularly(deps: MaintenanceDeps): () => void {
  const { vacuum, checkpoint } = createMaintenance(deps)
  const timers = [setInterval(vacuum, VACUUM_EVERY_MS), setInterval(checkpoint, CHECKPOINT_EVERY_MS)]
  for (const timer of timers) timer.unref()
  return () => timers.forEach(clearInterval)
}
