import { UnavailableError } from '../../errors.ts'
import type { Database } from './client.ts'
import { prepared } from './prepared.ts'
import { join, raw, type SqlText, sql } from './sql.ts'

/** Time that a file may exist before a row names it; storing one in S3 takes less (remote-files.ts). */
const RESERVATION_MINUTES = 60
const PATHS_AT_ONCE = 500
/** After this many failures, it's assumed that the disk is unavailable, rather than single files. */
const MAX_FAILURES = 100
/** In whole milliseconds like `due_at`, so that a row due now doesn't appear to be half a millisecond in the future. */
const NOW = raw('now()::timestamptz(3)')

/** Tables whose column `path` names a stored file. A test fails for such a table that isn't listed. */
export const fileTables: readonly string[] = [
  'chat_message_images',
  'effect_images',
  'imports',
  'media_copies',
  'media_items',
  'media_parts',
]

/**
 * Files that may be unreferenced: those whose rows were deleted (recorded by triggers), and those being stored. Before
 * storing a file, reserve its path with `reserve`, so that neither a crash nor a refusal leaves it behind, and so that it
 * isn't deleted because an older row with the same path is removed at the same time.
 */
export type UnreferencedFiles = ReturnType<typeof createUnreferencedFiles>

/** Locks a path for storing, deleting or joining files, until the transaction ends. Returns text, as Prisma can't read void. */
export const lockPath = (path: string): SqlText =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended('loose file ' || ${path}::text, 0))::text AS locked`

/**
 * Query for the state of a path: the ids of its due rows of loose_files, the existence of a row of another table that names
 * the path, and the latest time of its rows that aren't due yet, until which it's reserved.
 */
const pathStateSql = (path: string) => sql`
  SELECT
    ARRAY(SELECT id FROM loose_files WHERE path = ${path} AND due_at <= ${NOW}) AS due_ids,
    ${join(
      fileTables.map((table) => sql`EXISTS (SELECT FROM ${raw(table)} WHERE path = ${path})`),
      ' OR ',
    )} AS is_named,
    (SELECT max(due_at) FROM loose_files WHERE path = ${path} AND due_at > ${NOW}) AS reserved_until`

/** Reserves paths, and deletes files that no row names. */
export function createUnreferencedFiles({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Reserves a path that a row will name soon. Call it before storing the file, and remove the reservation in the transaction
     * of that row.
     * @returns the id of the reservation, a row of loose_files.
     */
    async reserve(path: string): Promise<string> {
      const { rows } = await pool.query<{ id: string }>(
        prepared(sql`
          WITH locked AS MATERIALIZED (${lockPath(path)})
          INSERT INTO loose_files (path, due_at)
          SELECT ${path}::text, now() + interval '${raw(RESERVATION_MINUTES)} minutes' FROM locked RETURNING id`),
      )
      const [row] = rows
      if (row === undefined) throw new Error('the reservation of a file was not stored')
      return row.id
    },

    async hasDue(): Promise<boolean> {
      const { rowCount } = await pool.query(sql`SELECT FROM loose_files WHERE due_at <= ${NOW} LIMIT 1`)
      return rowCount === 1
    },

    /** Deletes every due file that no row names. @throws the first failure, after trying the others. */
    async deleteDue(deleteFile: (path: string) => Promise<void>, signal: AbortSignal): Promise<void> {
      const failures = new Map<string, unknown>()
      for (;;) {
        const { rows } = await pool.query<{ path: string }>(
          sql`SELECT DISTINCT path FROM loose_files WHERE due_at <= ${NOW} AND path <> ALL(${[...failures.keys()]}::text[])
            LIMIT ${raw(PATHS_AT_ONCE)}`,
        )
        const [first] = failures.values()
        if (rows.length === 0 && failures.size === 0) return
        if (rows.length === 0 || failures.size >= MAX_FAILURES) throw first
        for (const { path } of rows) {
          signal.throwIfAborted()
          await deleteUnlessNamed(path, (unnamed) =>
            deleteFile(unnamed).catch((error: unknown) => {
              failures.set(unnamed, error)
              throw error
            }),
          ).catch((error: unknown) => {
            // an error of the database, or an unavailable store, would fail for all files
            if (!failures.has(path) || error instanceof UnavailableError) throw error
          })
        }
      }
    },
  }

  async function deleteUnlessNamed(path: string, deleteFile: (path: string) => Promise<void>): Promise<void> {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(lockPath(path))
      const { rows } = await client.query<{ due_ids: string[]; is_named: boolean; reserved_until: Date | null }>(
        pathStateSql(path),
      )
      const { due_ids: dueIds = [], is_named: isNamed = true, reserved_until: reservedUntil = null } = rows[0] ?? {}
      if (!isNamed && reservedUntil !== null) {
        // postpone the check to the end of the reservation: its holder may rely on a row that is being deleted right now, and
        // remove only the reservation
        await client.query(sql`UPDATE loose_files SET due_at = ${reservedUntil} WHERE id = ANY(${dueIds}::uuid[])`)
      } else {
        // inside the transaction, so that an upload to the same path waits and stores the file again
        if (!isNamed) await deleteFile(path)
        await client.query(sql`DELETE FROM loose_files WHERE id = ANY(${dueIds}::uuid[])`)
      }
      await client.query('COMMIT')
      client.release()
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      client.release(error instanceof Error ? error : true)
      throw error
    }
  }
}
