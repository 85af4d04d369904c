import type { Database } from '../../db/client.ts'
import type { OriginalRow } from './tasks/memory-update.ts'
import type { RatedAnswer } from './tasks/model-finetuning.ts'

export type UpkeepStore = ReturnType<typeof createUpkeepStore>

const MARK_KEY = 'automation_verified_until'
/** One that has failed just now is not tried again at once, and one that always fails not for ever. */
const RETRY_AFTER = `interval '30 minutes'`
const MOST_ATTEMPTS = 12
/** What quotes a person's memory or tells what an agent found cannot be learnt without those. */
const isShared = `a.role = 'assistant' AND a.state = 'complete' AND a.rating = 'up' AND u.shares_answers AND u.is_active
  AND q.role = 'user' AND a.sources = '[]'::jsonb AND a.agent_calls = '[]'::jsonb
  AND NOT EXISTS (SELECT FROM chat_message_images i WHERE i.message_id = q.id)
  AND NOT EXISTS (SELECT FROM chat_message_media m WHERE m.message_id = q.id)`
const fromAnswers = `FROM chat_messages a JOIN chat_messages q ON q.id = a.parent_id
  JOIN chat_sessions s ON s.id = a.session_id JOIN users u ON u.id = s.user_id`

/** Reads and keeps what the tasks work on. */
export function createUpkeepStore({ pool, prisma }: Pick<Database, 'pool' | 'prisma'>) {
  return {
    /** Items with steps that failed and may be tried again; the longest ago first. */
    async failedSteps(limit: number): Promise<{ id: string; userId: string; steps: string[] }[]> {
      const { rows } = await pool.query<{ id: string; userId: string; steps: string[] }>(
        `SELECT i.id, i.user_id AS "userId", array_agg(s.name ORDER BY s.position) AS steps
         FROM media_steps s JOIN media_items i ON i.id = s.media_item_id
         WHERE s.status = 'failed' AND s.attempts < ${MOST_ATTEMPTS} AND i.processing_status NOT IN ('pending', 'processing')
           AND coalesce(s.finished_at, s.started_at, i.updated_at) < now() - ${RETRY_AFTER}
         GROUP BY i.id, i.user_id ORDER BY min(s.finished_at), i.id LIMIT $1`,
        [limit],
      )
      return rows
    },

    async countLooseFiles(): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT count(DISTINCT path)::int AS count FROM loose_files WHERE due_at <= now()',
      )
      return rows[0]?.count ?? 0
    },

    /** Removes rows about things that have gone; how many. */
    async removeOrphanRows(): Promise<number> {
      const { rowCount } = await pool.query(
        `DELETE FROM notifications n WHERE kind IN ('media_done', 'media_failed') AND subject_id IS NOT NULL
           AND created_at < now() - ${RETRY_AFTER} AND NOT EXISTS (SELECT FROM media_items i WHERE i.id = n.subject_id)`,
      )
      return rowCount ?? 0
    },

    async originals(afterId: string | null, limit: number): Promise<OriginalRow[]> {
      const { rows } = await pool.query<OriginalRow>(
        `SELECT id, path, sha256, size_bytes::float8 AS "sizeBytes" FROM media_items
         WHERE $1::uuid IS NULL OR id > $1::uuid ORDER BY id LIMIT $2`,
        [afterId, limit],
      )
      return rows
    },

    async readMark(): Promise<string | null> {
      const row = await prisma.setting.findUnique({ where: { key: MARK_KEY } })
      return typeof row?.value === 'string' && row.value !== '' ? row.value : null
    },

    async writeMark(id: string | null): Promise<void> {
      const value = id ?? ''
      await prisma.setting.upsert({ where: { key: MARK_KEY }, create: { key: MARK_KEY, value }, update: { value } })
    },

    async ratedAnswers(limit: number): Promise<RatedAnswer[]> {
      const { rows } = await pool.query<RatedAnswer>(
        `SELECT a.id, q.content AS question, a.content AS answer ${fromAnswers} WHERE ${isShared}
         ORDER BY a.created_at DESC, a.id DESC LIMIT $1`,
        [limit],
      )
      return rows
    },

    /** Those of these that are still there and still shared. */
    async ratedAnswersOf(ids: string[]): Promise<RatedAnswer[]> {
      const { rows } = await pool.query<RatedAnswer>(
        `SELECT a.id, q.content AS question, a.content AS answer ${fromAnswers}
         WHERE a.id = ANY($1::uuid[]) AND ${isShared} ORDER BY a.created_at DESC, a.id DESC`,
        [ids],
      )
      return rows
    },

    /** What people have tagged, as a text and one of its tags each; the newest first. */
    async taggedTexts(limit: number): Promise<{ text: string; tag: string }[]> {
      const { rows } = await pool.query<{ text: string; tag: string }>(
        `SELECT left(concat_ws(' ', original_filename, caption, left(extracted_text, 300), left(transcription, 300)), 600) AS text,
           lower(tag) AS tag
         FROM media_items, unnest(tags) AS tag ORDER BY created_at DESC, id, tag LIMIT $1`,
        [limit],
      )
      return rows
    },

    async currentTagClassifier(): Promise<{ version: number; model: unknown } | null> {
      const { rows } = await pool.query<{ version: number; model: unknown }>(
        `SELECT version, model FROM classifiers WHERE kind = 'tag' AND is_current`,
      )
      return rows[0] ?? null
    },

    /** Makes it the current one; the one before keeps its figures only. */
    async keepTagClassifier(
      row: { model: unknown; trainedOn: number; measuredOn: number; accuracy: number },
      previous: number | null,
    ): Promise<boolean> {
      const { rowCount } = await pool.query(
        `WITH retired AS (
           UPDATE classifiers SET is_current = false, model = '{}' WHERE kind = 'tag' AND is_current AND version = $1 - 1
           RETURNING version
         )
         INSERT INTO classifiers (id, kind, version, model, trained_on, measured_on, accuracy, is_current)
         SELECT gen_random_uuid(), 'tag', $1, $2::jsonb, $3, $4, $5, true
         WHERE $1 = 1 OR EXISTS (SELECT FROM retired) ON CONFLICT DO NOTHING`,
        [(previous ?? 0) + 1, JSON.stringify(row.model), row.trainedOn, row.measuredOn, row.accuracy],
      )
      return rowCount === 1
    },
  }
}
