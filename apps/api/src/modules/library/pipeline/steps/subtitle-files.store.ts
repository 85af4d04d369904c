import type { Database } from '../../../../platform/database/client.ts'

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
        `SELECT original_filename AS "originalFilename", path FROM media_items
         WHERE user_id = $1 AND media_type = 'document' AND lower(original_filename) ~ '\\.(srt|vtt|ass|ssa)$'
           AND left(lower(original_filename), $3) = $2 || '.' ORDER BY created_at DESC, id LIMIT ${MAX}`,
        [userId, start, start.length + 1],
      )
      return rows
    },

    /** A user's films and recordings with one of these names, without the extension. */
    async filmsCalled(userId: string, names: string[]): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT id FROM media_items WHERE user_id = $1 AND media_type IN ('video', 'audio')
           AND ${NAME} = ANY ($2::text[]) ORDER BY created_at DESC, id LIMIT ${MAX}`,
        [userId, names.map((name) => name.toLowerCase())],
      )
      return rows.map(({ id }) => id)
    },
  }
}
