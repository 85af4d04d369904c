import type { CreatePrompt, UpdatePrompt } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { raw, sql } from '../../../platform/database/sql.ts'

/** A saved prompt as a row. */
export interface PromptRow {
  id: string
  title: string
  command: string
  text: string
  createdAt: Date
  updatedAt: Date
}

export type PromptsStore = ReturnType<typeof createPromptsStore>

/** Error code of PostgreSQL for a duplicate value. */
const UNIQUE_VIOLATION = '23505'
const columns = `id, title, command, text, created_at AS "createdAt", updated_at AS "updatedAt"`

/** Saved prompts of users. */
export function createPromptsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** In the order of their commands, those after one. */
    async list(userId: string, after: string | null, limit: number): Promise<PromptRow[]> {
      const { rows } = await pool.query<PromptRow>(
        sql`SELECT ${raw(columns)} FROM prompts
         WHERE user_id = ${userId} AND (${after}::text IS NULL OR command COLLATE "C" > ${after}::text COLLATE "C")
         ORDER BY command COLLATE "C" LIMIT ${limit}`,
      )
      return rows
    },

    async count(userId: string): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        sql`SELECT count(*)::int AS count FROM prompts WHERE user_id = ${userId}`,
      )
      return rows[0]?.count ?? 0
    },

    /** Null when the user has one with this command. */
    async add(userId: string, { title, command, text }: CreatePrompt): Promise<PromptRow | null> {
      const { rows } = await pool.query<PromptRow>(
        sql`INSERT INTO prompts (id, user_id, title, command, text) VALUES (${newId()}, ${userId}, ${title}, ${command}, ${text})
         ON CONFLICT (user_id, command) DO NOTHING RETURNING ${raw(columns)}`,
      )
      return rows[0] ?? null
    },

    /** Undefined fields stay; null when the user has no such prompt, `taken` when another one has the command. */
    async change(
      userId: string,
      id: string,
      { title, command, text }: UpdatePrompt,
    ): Promise<PromptRow | 'taken' | null> {
      try {
        const { rows } = await pool.query<PromptRow>(
          sql`UPDATE prompts SET title = coalesce(${title ?? null}, title), command = coalesce(${command ?? null}, command),
            text = coalesce(${text ?? null}, text),
             updated_at = now()
           WHERE user_id = ${userId} AND id = ${id} RETURNING ${raw(columns)}`,
        )
        return rows[0] ?? null
      } catch (error) {
        if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return 'taken'
        throw error
      }
    },

    /** @returns false when it didn't exist. */
    async remove(userId: string, id: string): Promise<boolean> {
      const { rowCount } = await pool.query(sql`DELETE FROM prompts WHERE user_id = ${userId} AND id = ${id}`)
      return rowCount === 1
    },
  }
}
