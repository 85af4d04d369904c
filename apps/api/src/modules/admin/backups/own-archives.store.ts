import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import { DEFAULT_BACKUPS_KEPT } from '../../../platform/settings/default-settings.ts'
import { isUpdateArchive, storedPath } from './archive.ts'
import type { WrittenArchive } from './archive-writer.ts'
import { createStoredFilesStore } from './scrubbing.store.ts'

/** An archive in the folder. */
export interface ArchiveFile {
  fileName: string
  sizeBytes: number
  modifiedAt: Date
}

/** A full archive (database and files) that the instance made itself. Of other archives, Mira removes only those from before updates. */
export interface OwnArchive {
  fileName: string
  /** Number of stored files that are missing or damaged in the archive. */
  problems: number
  /** Paths of those files; null when they weren't recorded. */
  problemPaths: string[] | null
  /** True once a trial restore succeeded. */
  isTrialRestored: boolean
}

/** State of an archive that is missing from the folder, perhaps only while the folder's disk isn't mounted. */
export const ABSENT = 'absent'

/** Paths per query. */
const BATCH_PATHS = 1_000

/**
 * Paths of the stored files that are missing or damaged in an archive. Leaves out files that users deleted while the archive
 * was written; if the database can't tell which these are, all paths are returned.
 */
export async function problemsOf(
  pool: Pick<Database['pool'], 'query'>,
  { missing, damaged }: Pick<WrittenArchive, 'missing' | 'damaged'>,
): Promise<string[]> {
  const { unknownOf } = createStoredFilesStore(pool)
  const paths = [...missing, ...damaged].flatMap((name) => storedPath(name) ?? [])
  const unknown = new Set<string>()
  try {
    for (let start = 0; start < paths.length; start += BATCH_PATHS)
      for (const path of await unknownOf(paths.slice(start, start + BATCH_PATHS))) unknown.add(path)
  } catch {
    return paths
  }
  return paths.filter((path) => !unknown.has(path))
}

/** The instance's own full archives, including those missing from the folder. Earlier versions count attempts, but don't set `made_here`. */
export async function listOwnArchives(pool: Pick<Database['pool'], 'query'>): Promise<OwnArchive[]> {
  const { rows } = await pool.query<OwnArchive>(
    `SELECT file_name AS "fileName", problems, lacking AS "problemPaths", proven_at IS NOT NULL AS "isTrialRestored" FROM backups
     WHERE state IN ('completed', '${ABSENT}') AND reason <> 'update' AND (made_here OR attempts > 0)`,
  )
  return rows
}

/** Deletes the rows of removed archives. An archive that is later put back by hand counts as foreign, and is kept. */
export async function forgetArchives(pool: Pick<Database['pool'], 'query'>, fileNames: string[]): Promise<void> {
  await pool.query(sql`DELETE FROM backups WHERE file_name = ANY(${fileNames}) AND state IN ('completed', ${ABSENT})`)
}

/** Stores the time of the last backup. */
export async function recordBackup(pool: Pick<Database['pool'], 'query'>, time: Date): Promise<void> {
  await saveSetting(pool, 'last_backup_at', time.toISOString())
}

/**
 * Archives that count as the instance's own after a restore, because a restore doesn't include the list of backups: the newest
 * ones, as many as Mira keeps. Empty when nothing was restored, since unlisted archives were then put into the folder by hand.
 */
export async function listOwnAfterRestore(
  pool: Pick<Database['pool'], 'query'>,
  files: readonly ArchiveFile[],
): Promise<ArchiveFile[]> {
  const { rowCount } = await pool.query(
    sql`SELECT 1 FROM notifications WHERE kind = 'instance_restored' AND NOT EXISTS (SELECT FROM backups) LIMIT 1`,
  )
  if (rowCount === 0) return []
  return files
    .filter(({ fileName }) => !isUpdateArchive(fileName))
    .sort((one, other) => (one.fileName < other.fileName ? 1 : -1))
    .slice(0, await readKeptCount(pool))
}

/** Adds to the list an archive that wasn't made by the server process. Also works with a database of an earlier version. */
export async function addOwnArchive(
  pool: Pick<Database['pool'], 'query'>,
  {
    fileName,
    sizeBytes,
    problemPaths,
    madeAt,
  }: { fileName: string; sizeBytes: number; problemPaths: string[]; madeAt: Date },
): Promise<void> {
  const row: Record<string, unknown> = {
    ...{ id: newId(), file_name: fileName, state: 'completed', progress: 100, made_here: true, size_bytes: sizeBytes },
    ...{
      problems: problemPaths.length,
      lacking: JSON.parse(problemPathsJson(problemPaths) ?? 'null'),
      created_at: madeAt,
      finished_at: madeAt,
    },
  }
  const { rows } = await pool.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'public.backups'::regclass AND attnum > 0`,
  )
  const columns = rows.map(({ name }) => name).filter((name) => name in row)
  const changes = columns.filter((name) => name !== 'id').map((name) => `${name} = excluded.${name}`)
  const list = raw(columns.join(', '))
  await pool.query(
    sql`INSERT INTO backups (${list})
     SELECT ${list} FROM jsonb_populate_record(NULL::backups, ${JSON.stringify(row)}::jsonb)
     ON CONFLICT (file_name) DO UPDATE SET ${raw(changes.join(', '))}`,
  )
}

/** Maximum number of paths to store for an archive; more would take megabytes. */
const MAX_PROBLEM_PATHS = 10_000

/** Paths as a JSON array; null when there are too many to store. */
export const problemPathsJson = (problemPaths: string[]) =>
  problemPaths.length > MAX_PROBLEM_PATHS ? null : JSON.stringify(problemPaths)

/** Stores internal state in the table of settings. */
export async function saveSetting(pool: Pick<Database['pool'], 'query'>, key: string, value: string): Promise<void> {
  await pool.query(
    sql`INSERT INTO settings (key, value, updated_at) VALUES (${key}, to_jsonb(${value}::text), now())
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = now()`,
  )
}

/** Number of archives to keep: the administrators' setting or its default. */
export async function readKeptCount(pool: Pick<Database['pool'], 'query'>): Promise<number> {
  const { rows } = await pool.query<{ kept: string | null }>(
    `SELECT value ->> 'retention.backups_kept' AS kept FROM settings WHERE key = 'admin_settings'`,
  )
  return Number(rows[0]?.kept ?? DEFAULT_BACKUPS_KEPT)
}
