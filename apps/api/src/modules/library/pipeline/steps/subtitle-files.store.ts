import type { Database } from '../../../../platform/database/client.ts'
import { raw, sql } from '../../../../platform/database/sql.ts'

export type SubtitleFilesStore = ReturnType<typeof createSubtitleFilesStore>

/** Bound on films or files of the same name: a user may have a hundred called "video". */
const MAX = 8

const NAME = `lower(regexp_replace(original_filename, '\\.[^.]*$', ''))`

/** Access to films and their subtitle files, which have the same name. */
export function createSubtitleFilesStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** A user's documents that may be subtitles of a film, by its name without the extension. */
    async documentsBeside(userId: string, name: string): Promise<{ originalFilename: string; path: string }[]> {
      const start = name.toLowerCase()
      const { rows } = await pool.query<{ originalFilename: string; path: string }>(
        sql`SELECT original_filename AS "originalFilename", path FROM media_items
         WHERE user_id = ${userId} AND media_type = 'document' AND lower(original_filename) ~ '\\.(srt|vtt|ass|ssa)$'
           AND left(lower(original_filename), ${start.length + 1}) = ${start} || '.' ORDER BY created_at DESC, id
             LIMIT ${raw(MAX)}`,
      )
      return rows
    },

    /** A user's films and recordings with one of these names, without the extension. */
    async filmsCalled(userId: string, names: string[]): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT id FROM media_items WHERE user_id = ${userId} AND media_type IN ('video', 'audio')
           AND ${raw(NAME)} = ANY (${names.map((name) => name.toLowerCase())}::text[]) ORDER BY created_at DESC, id
             LIMIT ${raw(MAX)}`,
      )
      return rows.map(({ id }) => id)
    },
  }
}
