import type { WatchedFolder } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { raw, sql, sqlOf } from '../../../platform/database/sql.ts'
import { readSentence, type Sentence, writeSentence } from '../../../sentences.ts'

/** A folder to scan. */
export interface FolderToScan {
  id: string
  path: string
  userId: string
  /** The user keeps the location where pictures were taken. */
  keepsLocation: boolean
}

/** A file as of the last scan. */
export interface SeenFile {
  id: string
  relativePath: string
  sizeBytes: number
  modifiedMs: number
  sha256: string | null
  mediaItemId: string | null
  state: 'kept' | 'failed' | 'gone'
  /** Reason why it couldn't be copied; it stays while the file is gone. */
  problem: string | null
  /**
   * True when its content can't become an item. The file then has no hash and no item; after any other problem, they are
   * those of the previous version.
   */
  isRefused: boolean
  checkedAt: Date
}

export type WatchedFoldersStore = ReturnType<typeof createWatchedFoldersStore>

/** A claim that hasn't been renewed for this long belongs to a dead server. */
const CLAIM_MINUTES = 10

const folderColumns = `f.id, f.path, f.user_id, u.username, f.is_enabled AS enabled, f.scanned_at, f.seen, f.problem,
  coalesce(f.claimed_at > now() - interval '${CLAIM_MINUTES} minutes', false) AS scanning,
  (SELECT count(*)::int FROM watched_files w WHERE w.folder_id = f.id AND w.state = 'kept') AS kept,
  (SELECT count(*)::int FROM watched_files w WHERE w.folder_id = f.id AND w.state = 'failed') AS failed,
  (SELECT count(*)::int FROM watched_files w WHERE w.folder_id = f.id AND w.state = 'gone') AS gone`

/** SQL: marks a replaced version of a file as gone, and appends the time to its name. */
const setAsideSql = (id: string) => sql`
  UPDATE watched_files SET state = 'gone', gone_at = coalesce(gone_at, now()),
    relative_path = relative_path || ' (' || to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ')'
  WHERE id = ${id}`

/** Access to watched folders and their files. */
export function createWatchedFoldersStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const read = async (id: string | null): Promise<WatchedFolder[]> => {
    const { rows } = await pool.query<Omit<WatchedFolder, 'problem_told'>>(
      sql`SELECT ${raw(folderColumns)} FROM watched_folders f JOIN users u ON u.id = f.user_id
       WHERE ${id}::uuid IS NULL OR f.id = ${id}::uuid ORDER BY f.created_at, f.id`,
    )
    return rows.map((row) => {
      const problem = row.problem === null ? null : readSentence(row.problem)
      return { ...row, problem: problem?.text ?? null, ...(problem && { problem_told: problem.sentences }) }
    })
  }

  return {
    list: () => read(null),
    find: async (id: string): Promise<WatchedFolder | null> => (await read(id))[0] ?? null,

    hasUser: async (id: string): Promise<boolean> => (await prisma.user.count({ where: { id } })) > 0,
    isWatched: async (path: string, userId: string): Promise<boolean> =>
      (await prisma.watchedFolder.count({ where: { path, userId } })) > 0,

    async add(folder: { path: string; userId: string; isEnabled: boolean }): Promise<string> {
      const { id } = await prisma.watchedFolder.create({ data: folder, select: { id: true } })
      return id
    },

    /** False when it doesn't exist. */
    async setEnabled(id: string, isEnabled: boolean): Promise<boolean> {
      return (await prisma.watchedFolder.updateMany({ where: { id }, data: { isEnabled } })).count === 1
    },

    /** False when it didn't exist. */
    async remove(id: string): Promise<boolean> {
      return (await prisma.watchedFolder.deleteMany({ where: { id } })).count === 1
    },

    async enabled(): Promise<{ id: string; userId: string }[]> {
      return prisma.watchedFolder.findMany({ where: { isEnabled: true }, select: { id: true, userId: true } })
    },

    /** Claims a folder for a scan by this server; null when it's claimed or disabled, or its user is inactive. */
    async claim(id: string): Promise<FolderToScan | null> {
      const { rows } = await pool.query<FolderToScan>(
        sql`UPDATE watched_folders f SET claimed_at = now(), seen = 0 FROM users u
         WHERE f.id = ${id} AND f.is_enabled AND u.id = f.user_id AND u.is_active
           AND (claimed_at IS NULL OR claimed_at < now() - interval '${raw(CLAIM_MINUTES)} minutes')
         RETURNING f.id, f.path, f.user_id AS "userId", u.keeps_places AS "keepsLocation"`,
      )
      return rows[0] ?? null
    },

    /** Stores progress and renews the claim; false when the folder isn't to be scanned any more. */
    async progress(id: string, seenCount: number): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`UPDATE watched_folders f SET claimed_at = now(), seen = ${seenCount} FROM users u
         WHERE f.id = ${id} AND f.is_enabled AND u.id = f.user_id AND u.is_active`,
      )
      return rowCount === 1
    },

    /** Releases the claim of a folder. */
    async release(
      id: string,
      outcome: { seenCount: number; problem: Sentence | null; isWhole: boolean },
    ): Promise<void> {
      await pool.query(
        sql`UPDATE watched_folders SET claimed_at = NULL, seen = ${outcome.seenCount},
          problem = ${outcome.problem && writeSentence(outcome.problem)},
           scanned_at = CASE WHEN ${outcome.isWhole} THEN now() ELSE scanned_at END
         WHERE id = ${id}`,
      )
    },

    async files(folderId: string): Promise<Map<string, SeenFile>> {
      const { rows } = await pool.query<
        Omit<SeenFile, 'sizeBytes' | 'modifiedMs'> & { size: string; modified: string }
      >(
        sql`SELECT id, relative_path AS "relativePath", size_bytes AS size, modified_ms AS modified, sha256,
           media_item_id AS "mediaItemId", state, problem, is_refused AS "isRefused", checked_at AS "checkedAt"
         FROM watched_files WHERE folder_id = ${folderId}`,
      )
      return new Map(
        rows.map(({ size, modified, ...row }) => [
          row.relativePath,
          { ...row, sizeBytes: Number(size), modifiedMs: Number(modified) },
        ]),
      )
    },

    /**
     * Stores the outcome for a file.
     * @param replacedId the file's row until now, which keeps the previous version under another name.
     */
    async record(
      folderId: string,
      file: Pick<
        SeenFile,
        'relativePath' | 'sizeBytes' | 'modifiedMs' | 'sha256' | 'mediaItemId' | 'problem' | 'isRefused'
      >,
      replacedId: string | null,
    ): Promise<void> {
      const { relativePath, problem, ...values } = file
      const data = {
        ...values,
        problem,
        state: problem === null ? 'kept' : 'failed',
        goneAt: null,
        checkedAt: new Date(),
      }
      await prisma.$transaction(async (tx) => {
        if (replacedId !== null) await sqlOf(tx).query(setAsideSql(replacedId))
        await tx.watchedFile.upsert({
          where: { folderId_relativePath: { folderId, relativePath } },
          create: { folderId, relativePath, ...data },
          update: data,
        })
      })
    },

    /**
     * Renames a file, and its item if that still has the old name.
     * @param replacedId file that had the new name before.
     */
    async rename(
      id: string,
      to: Pick<SeenFile, 'relativePath' | 'sizeBytes' | 'modifiedMs'> & {
        userId: string
        oldName: string
        newName: string
      },
      replacedId: string | null,
    ): Promise<void> {
      await prisma.$transaction(async (tx) => {
        const client = sqlOf(tx)
        if (replacedId !== null) await client.query(setAsideSql(replacedId))
        await client.query(
          sql`WITH renamed AS (
             UPDATE watched_files SET relative_path = ${to.relativePath}, size_bytes = ${to.sizeBytes},
             modified_ms = ${to.modifiedMs}, state = 'kept', problem = NULL, is_refused = false, gone_at = NULL,
               checked_at = now()
             WHERE id = ${id} RETURNING media_item_id)
           UPDATE media_items m SET original_filename = ${to.newName}, updated_at = now() FROM renamed
           WHERE m.id = renamed.media_item_id AND m.user_id = ${to.userId} AND m.original_filename = ${to.oldName}`,
        )
      })
    },

    /** Marks missing files; their items stay. */
    async markGone(ids: string[]): Promise<void> {
      await pool.query(
        sql`UPDATE watched_files SET state = 'gone', gone_at = now() WHERE id = ANY(${ids}::uuid[]) AND state <> 'gone'`,
      )
    },

    /** Marks a missing file as present again, unchanged. */
    async markPresent(id: string): Promise<void> {
      await pool.query(
        sql`UPDATE watched_files SET state = CASE WHEN problem IS NULL THEN 'kept' ELSE 'failed' END, gone_at = NULL
         WHERE id = ${id}`,
      )
    },

    /** A folder's files, newest first. `afterId` is the last id of the previous page. */
    async listFiles(
      folderId: string,
      { limit, afterId, state }: { limit: number; afterId?: string; state: SeenFile['state'] | undefined },
    ) {
      return prisma.watchedFile.findMany({
        where: { folderId, ...(afterId ? { id: { lt: afterId } } : {}), ...(state ? { state } : {}) },
        orderBy: { id: 'desc' },
        take: limit,
      })
    },
  }
}
