import { listAdminIds } from '../../../platform/database/admins.ts'
import type { Database } from '../../../platform/database/client.ts'
import { storedFilesSql } from '../../../platform/database/snapshot.ts'
import { raw, sql } from '../../../platform/database/sql.ts'

type StatementRunner = Pick<Database['pool'], 'query'>

export type FileProblem = 'damaged' | 'missing'

/** Progress of the pass over all stored files. */
export interface ScrubMark {
  /** ISO time at which the pass began. */
  startedAt: string
  /** Path of the last file checked; files are checked in order of their paths. */
  position: string
  fileCount: number
  isFinished: boolean
  /** ISO time of the last daily attempt to repair the damaged files. */
  retriedAt: string
  /** Number of stored files that no row refers to, counted at the end of a pass; undefined before the first. */
  unknownCount?: number
}

const MARK_KEY = 'file_scrubbing'
const MAX_LISTED = 100

/** Paths of stored files that rows refer to. */
export function createStoredFilesStore(pool: StatementRunner) {
  return {
    async countFiles(): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM (${await storedFilesSql(pool)}) referenced`,
      )
      return rows[0]?.count ?? 0
    },

    /** The next paths in order, after the given one. */
    async nextFiles(after: string, limit: number): Promise<string[]> {
      const { rows } = await pool.query<{ path: string }>(
        sql`SELECT path FROM (${raw(await storedFilesSql(pool))}) referenced
         WHERE path COLLATE "C" > ${after} ORDER BY path COLLATE "C" LIMIT ${limit}`,
      )
      return rows.map(({ path }) => path)
    },

    async isReferenced(path: string): Promise<boolean> {
      const files = raw(await storedFilesSql(pool))
      const { rowCount } = await pool.query(sql`SELECT FROM (${files}) referenced WHERE path = ${path} LIMIT 1`)
      return rowCount === 1
    },

    /** Paths that no row refers to. Files that are just being stored have a row in loose_files. */
    async unknownOf(paths: string[]): Promise<string[]> {
      const { rows } = await pool.query<{ path: string }>(
        sql`SELECT path FROM (${raw(await storedFilesSql(pool))}) referenced WHERE path = ANY(${paths}::text[])
         UNION SELECT path FROM loose_files WHERE path = ANY(${paths}::text[])`,
      )
      const known = new Set(rows.map(({ path }) => path))
      return paths.filter((path) => !known.has(path))
    },
  }
}

export type ScrubbingStore = ReturnType<typeof createScrubbingStore>

/** Rows about damaged files, and the progress of the checks. */
export function createScrubbingStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    async mark(): Promise<ScrubMark | null> {
      const row = await prisma.setting.findUnique({ where: { key: MARK_KEY } })
      return (row?.value ?? null) as ScrubMark | null
    },

    async saveMark(mark: ScrubMark): Promise<void> {
      const value = { ...mark }
      await prisma.setting.upsert({ where: { key: MARK_KEY }, create: { key: MARK_KEY, value }, update: { value } })
    },

    ...createStoredFilesStore(pool),

    /** Records a damaged or missing file. @returns true when the problem wasn't known yet. */
    async report(path: string, problem: FileProblem): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`INSERT INTO damaged_files (path, problem) VALUES (${path}, ${problem})
         ON CONFLICT (path) DO UPDATE SET problem = excluded.problem, found_at = now(), repaired_at = NULL,
           repaired_from = NULL WHERE damaged_files.repaired_at IS NOT NULL`,
      )
      return rowCount === 1
    },

    async saveRepair(path: string, from: string): Promise<void> {
      await pool.query(sql`UPDATE damaged_files SET repaired_at = now(), repaired_from = ${from} WHERE path = ${path}`)
    },

    /** Deletes the report of a file that is intact again or deleted. */
    async forget(path: string): Promise<void> {
      await pool.query(sql`DELETE FROM damaged_files WHERE path = ${path} AND repaired_at IS NULL`)
    },

    /** Paths of unrepaired files, oldest first. */
    async listDamaged(): Promise<string[]> {
      const { rows } = await pool.query<{ path: string }>(
        `SELECT path FROM damaged_files WHERE repaired_at IS NULL ORDER BY found_at LIMIT ${MAX_LISTED}`,
      )
      return rows.map(({ path }) => path)
    },

    async counts(): Promise<{ damaged: number; repaired: number }> {
      const { rows } = await pool.query<{ damaged: number; repaired: number }>(
        `SELECT count(*) FILTER (WHERE repaired_at IS NULL)::int AS damaged, count(repaired_at)::int AS repaired
         FROM damaged_files`,
      )
      return rows[0] ?? { damaged: 0, repaired: 0 }
    },

    listAdminIds: () => listAdminIds({ prisma }),
  }
}
