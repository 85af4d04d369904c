import type { Database } from '../../../platform/database/client.ts'
import { raw, sql } from '../../../platform/database/sql.ts'

/** A user's original file. */
interface OriginalRow {
  id: string
  path: string
  sha256: string
  sizeBytes: number
}

/** An answer that its user rated up and agreed to share, with its question. */
export interface RatedAnswer {
  id: string
  question: string
  answer: string
}

export type UpkeepStore = ReturnType<typeof createUpkeepStore>

const MARK_KEY = 'automation_verified_until'
/** Pause before a failed step is retried. */
const RETRY_AFTER = `interval '30 minutes'`
const MAX_ATTEMPTS = 12
/** An inspection that failed with fewer attempts isn't retried: it gave up because the file is unreadable. */
const MIN_INSPECTIONS = 4
/** Condition of answers suitable for training: shared, and independent of the user's memory, attachments and agents' results. */
const isShared = `a.role = 'assistant' AND a.state = 'complete' AND a.rating = 'up' AND u.shares_answers AND u.is_active
  AND q.role = 'user' AND a.sources = '[]'::jsonb AND a.agent_calls = '[]'::jsonb
  AND NOT EXISTS (SELECT FROM chat_message_images i WHERE i.message_id = q.id)
  AND NOT EXISTS (SELECT FROM chat_message_media m WHERE m.message_id = q.id)`
const fromAnswers = `FROM chat_messages a JOIN chat_messages q ON q.id = a.parent_id
  JOIN chat_sessions s ON s.id = a.session_id JOIN users u ON u.id = s.user_id`

/** Reads and stores the data of the scheduled tasks. */
export function createUpkeepStore({ pool, prisma }: Pick<Database, 'pool' | 'prisma'>) {
  return {
    /** Items with failed steps to retry, fewest attempts first, then oldest failure. */
    async failedSteps(limit: number): Promise<{ id: string; userId: string; steps: string[] }[]> {
      const { rows } = await pool.query<{ id: string; userId: string; steps: string[] }>(
        sql`SELECT i.id, i.user_id AS "userId", array_agg(s.name ORDER BY s.position) AS steps
         FROM media_steps s JOIN media_items i ON i.id = s.media_item_id
         WHERE i.user_id IS NOT NULL AND s.status = 'failed' AND s.attempts < ${raw(MAX_ATTEMPTS)}
           AND (s.name <> 'inspect' OR s.attempts >= ${raw(MIN_INSPECTIONS)})
           AND i.processing_status NOT IN ('pending', 'processing')
           AND coalesce(s.finished_at, s.started_at, i.updated_at) < now() - ${raw(RETRY_AFTER)}
         GROUP BY i.id, i.user_id ORDER BY min(s.attempts), min(s.finished_at), i.id LIMIT ${limit}`,
      )
      return rows
    },

    async countUnreferencedFiles(): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT count(DISTINCT path)::int AS count FROM loose_files WHERE due_at <= now()',
      )
      return rows[0]?.count ?? 0
    },

    /** Removes notifications about deleted items. @returns their number. */
    async removeOrphanRows(): Promise<number> {
      const { rowCount } = await pool.query(
        `DELETE FROM notifications n WHERE kind IN ('media_done', 'media_failed') AND subject_id IS NOT NULL
           AND created_at < now() - ${RETRY_AFTER} AND NOT EXISTS (SELECT FROM media_items i WHERE i.id = n.subject_id)`,
      )
      return rowCount ?? 0
    },

    /** Original files of all users, by id. */
    async originals(afterId: string | null, limit: number): Promise<OriginalRow[]> {
      const { rows } = await pool.query<OriginalRow>(
        sql`SELECT id, path, sha256, size_bytes::float8 AS "sizeBytes" FROM media_items
         WHERE ${afterId}::uuid IS NULL OR id > ${afterId}::uuid ORDER BY id LIMIT ${limit}`,
      )
      return rows
    },

    /** Id of the last verified original; null when verification starts over. */
    async readLastVerifiedId(): Promise<string | null> {
      const row = await prisma.setting.findUnique({ where: { key: MARK_KEY } })
      return typeof row?.value === 'string' && row.value !== '' ? row.value : null
    },

    async storeLastVerifiedId(id: string | null): Promise<void> {
      const value = id ?? ''
      await prisma.setting.upsert({ where: { key: MARK_KEY }, create: { key: MARK_KEY, value }, update: { value } })
    },

    async ratedAnswers(limit: number): Promise<RatedAnswer[]> {
      const { rows } = await pool.query<RatedAnswer>(
        sql`SELECT a.id, q.content AS question, a.content AS answer ${raw(fromAnswers)} WHERE ${raw(isShared)}
         ORDER BY a.created_at DESC, a.id DESC LIMIT ${limit}`,
      )
      return rows
    },

    /** Rated answers that still exist and are still shared. */
    async ratedAnswersOf(ids: string[]): Promise<RatedAnswer[]> {
      const { rows } = await pool.query<RatedAnswer>(
        sql`SELECT a.id, q.content AS question, a.content AS answer ${raw(fromAnswers)}
         WHERE a.id = ANY(${ids}::uuid[]) AND ${raw(isShared)} ORDER BY a.created_at DESC, a.id DESC`,
      )
      return rows
    },

    /** Users with at least this many tagged items, in pages by id. */
    async usersWithTags(
      minItems: number,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<string[]> {
      const { rows } = await pool.query<{ user_id: string }>(
        sql`SELECT user_id FROM media_items WHERE tags <> '{}' AND user_id IS NOT NULL
          AND (${after}::uuid IS NULL OR user_id > ${after}::uuid)
         GROUP BY user_id HAVING count(*) >= ${minItems} ORDER BY user_id LIMIT ${limit}`,
      )
      return rows.map(({ user_id }) => user_id)
    },

    /** A user's tagged items as pairs of text and one tag, the newest first. */
    async taggedTexts(userId: string, limit: number): Promise<{ text: string; tag: string }[]> {
      const { rows } = await pool.query<{ text: string; tag: string }>(
        sql`SELECT left(concat_ws(' ', original_filename, caption, left(extracted_text, 300), left(transcription, 300)),
          600) AS text,
           lower(tag) AS tag
         FROM media_items, unnest(tags) AS tag WHERE user_id = ${userId} ORDER BY created_at DESC, id, tag LIMIT ${limit}`,
      )
      return rows
    },

    async tagModelOf(userId: string): Promise<{ version: number; model: unknown } | null> {
      const { rows } = await pool.query<{ version: number; model: unknown }>(
        sql`SELECT version, model FROM tag_models WHERE user_id = ${userId}`,
      )
      return rows[0] ?? null
    },

    /** Stores a tag model as the version after `previous`. @returns false when another server was first. */
    async storeTagModel(
      userId: string,
      row: { model: unknown; trainedOn: number; measuredOn: number; accuracy: number },
      previous: number | null,
    ): Promise<boolean> {
      const version = (previous ?? 0) + 1
      const { rowCount } = await pool.query(
        sql`INSERT INTO tag_models AS kept (user_id, version, model, trained_on, measured_on, accuracy)
         SELECT id, ${version}::int, ${JSON.stringify(row.model)}::jsonb, ${row.trainedOn}, ${row.measuredOn}, ${row.accuracy}
         FROM users WHERE id = ${userId}
         ON CONFLICT (user_id) DO UPDATE SET version = EXCLUDED.version, model = EXCLUDED.model,
           trained_on = EXCLUDED.trained_on, measured_on = EXCLUDED.measured_on, accuracy = EXCLUDED.accuracy,
           created_at = now()
         WHERE kept.version = ${version}::int - 1`,
      )
      return rowCount === 1
    },

    /** Removes models of users who have too few tagged items now. */
    async removeTagModelsBelow(minItems: number): Promise<void> {
      await pool.query(
        sql`DELETE FROM tag_models m WHERE (
           SELECT count(*) FROM media_items i WHERE i.user_id = m.user_id AND i.tags <> '{}') < ${minItems}`,
      )
    },
  }
}
