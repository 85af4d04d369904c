import type { Sentence, WatchedFolder } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'

/** A folder to scan. */
export interface FolderToScan {
  id: string
  path: string
  userId: string
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
  checkedAt: Date
}

export type WatchedFoldersStore = ReturnType<typeof createWatchedFoldersStore>

/** A claim without progress for this long belongs to a dead server. */
const CLAIM_MINUTES = 10

const folderColumns = `f.id, f.path, f.user_id, u.username, f.is_enabled AS enabled, f.scanned_at, f.seen, f.problem,
  coalesce(f.claimed_at > now() - interval '${CLAIM_MINUTES} minutes', false) AS scanning,
  (SELECT count(*)::int FROM watched_files w WHERE w.folder_id = f.id AND w.state = 'kept') AS kept,
  (SELECT count(*)::int FROM watched_files w WHERE w.folder_id = f.id AND w.state = 'failed') AS failed,
  (SELECT count(*)::int FROM watched_files w WHERE w.folder_id = f.id AND w.state = 'gone') AS gone`

/** Access to watched folders and their files. */
export function createWatchedFoldersStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const read = async (id: string | null): Promise<WatchedFolder[]> => {
    const { rows } = await pool.query<Omit<WatchedFolder, 'problem_told'>>(
      `SELECT ${folderColumns} FROM watched_folders f JOIN users u ON u.id = f.user_id
       WHERE $1::uuid IS NULL OR f.id = $1 ORDER BY f.created_at, f.id`,
      [id],
    )
    return rows.map((row) => {
      const problem = row.problem === null ? null : (JSON.parse(row.problem) as Sentence)
      return { ...row, problem: problem?.text ?? null, ...(problem && { problem_told: problem.told }) }
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

    /** Claims a folder for a scan by this server; null when it's claimed, disabled, or its user inactive. */
    async claim(id: string): Promise<FolderToScan | null> {
      const { rows } = await pool.query<FolderToScan>(
        `UPDATE watched_folders f SET claimed_at = now(), seen = 0 FROM users u
         WHERE f.id = $1 AND f.is_enabled AND u.id = f.user_id AND u.is_active
           AND (claimed_at IS NULL OR claimed_at < now() - interval '${CLAIM_MINUTES} minutes')
         RETURNING f.id, f.path, f.user_id AS "userId"`,
        [id],
      )
      return rows[0] ?? null
    },

    /** Stores progress and renews the claim. */
    async progress(id: string, seenCount: number): Promise<void> {
      await pool.query('UPDATE watched_folders SET claimed_at = now(), seen = $2 WHERE id = $1', [id, seenCount])
    },

    /** Releases the claim of a folder. */
    async release(
      id: string,
      outcome: { seenCount: number; problem: Sentence | null; isWhole: boolean },
    ): Promise<void> {
      await pool.query(
        `UPDATE watched_folders SET claimed_at = NULL, seen = $2, problem = $3,
           scanned_at = CASE WHEN $4 THEN now() ELSE scanned_at END
         WHERE id = $1`,
        [id, outcome.seenCount, outcome.problem && JSON.stringify(outcome.problem), outcome.isWhole],
      )
    },

    async files(folderId: string): Promise<Map<string, SeenFile>> {
      const { rows } = await pool.query<
        Omit<SeenFile, 'sizeBytes' | 'modifiedMs'> & { size: string; modified: string }
      >(
        `SELECT id, relative_path AS "relativePath", size_bytes AS size, modified_ms AS modified, sha256,
           media_item_id AS "mediaItemId", state, checked_at AS "checkedAt"
         FROM watched_files WHERE folder_id = $1`,
        [folderId],
      )
      return new Map(
        rows.map(({ size, modified, ...row }) => [
          row.relativePath,
          { ...row, sizeBytes: Number(size), modifiedMs: Number(modified) },
        ]),
      )
    },

    /** Stores the outcome for a file. */
    async note(
      folderId: string,
      file: Pick<SeenFile, 'relativePath' | 'sizeBytes' | 'modifiedMs' | 'sha256' | 'mediaItemId'> & {
        problem: string | null
      },
    ): Promise<void> {
      const { relativePath, problem, ...values } = file
      const data = {
        ...values,
        problem,
        state: problem === null ? 'kept' : 'failed',
        goneAt: null,
        checkedAt: new Date(),
      }
      await prisma.watchedFile.upsert({
        where: { folderId_relativePath: { folderId, relativePath } },
        create: { folderId, relativePath, ...data },
        update: data,
      })
    },

    /** Renames a file, and its item if that still has the old name. */
    async rename(
      id: string,
      to: Pick<SeenFile, 'relativePath' | 'sizeBytes' | 'modifiedMs'> & {
        userId: string
        oldName: string
        newName: string
      },
    ): Promise<void> {
      await pool.query(
        `WITH renamed AS (
           UPDATE watched_files SET relative_path = $2, size_bytes = $3, modified_ms = $4, state = 'kept', gone_at = NULL,
             checked_at = now()
           WHERE id = $1 RETURNING media_item_id)
         UPDATE media_items m SET original_filename = $7, updated_at = now() FROM renamed
         WHERE m.id = renamed.media_item_id AND m.user_id = $5 AND m.original_filename = $6`,
        [id, to.relativePath, to.sizeBytes, to.modifiedMs, to.userId, to.oldName, to.newName],
      )
    },

    /** Marks missing files; their items stay. */
    async markGone(ids: string[]): Promise<void> {
      await pool.query(
        `UPDATE watched_files SET state = 'gone', gone_at = now() WHERE id = ANY($1::uuid[]) AND state <> 'gone'`,
        [ids],
      )
    },

    /** Marks a missing file as present again, unchanged. */
    async markThere(id: string): Promise<void> {
      await pool.query(`UPDATE watched_files SET state = 'kept', gone_at = NULL WHERE id = $1`, [id])
    },

    /** Newest first; `afterId` is the last id of the previous page. */
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
