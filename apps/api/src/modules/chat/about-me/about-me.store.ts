import type { Instructions, UpdateFact, UpdateInstructions } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { nothing, raw, sql } from '../../../platform/database/sql.ts'
import type { TimePosition } from '../../../platform/lib/page.ts'

/** A remembered fact, with its conversation if that still exists. */
export interface FactRow {
  id: string
  text: string
  source: string
  sessionId: string | null
  sessionName: string | null
  createdAt: Date
  updatedAt: Date
}

interface NewFact {
  text: string
  source: string
  /** Conversation of the same user in which the fact was remembered; null when it was remembered elsewhere. */
  sessionId: string | null
}

/** Personal context of an answer. */
export interface KnownAboutUser {
  instructions: Instructions
  /** Newest first; empty when the user turned them off. */
  facts: { text: string; createdAt: Date }[]
}

export type AboutMeStore = ReturnType<typeof createAboutMeStore>

const factColumns = `f.id, f.text, f.source, s.id AS "sessionId", s.session_name AS "sessionName",
  f.created_at AS "createdAt", f.updated_at AS "updatedAt"`
const instructionColumns = 'about_me, how_to_answer, uses_facts'

/** Stores users' instructions and remembered facts. */
export function createAboutMeStore({ pool }: Pick<Database, 'pool'>) {
  const findFact = async (userId: string, id: string): Promise<FactRow | null> => {
    const { rows } = await pool.query<FactRow>(
      sql`SELECT ${raw(factColumns)} FROM facts f LEFT JOIN chat_sessions s ON s.id = f.session_id
       WHERE f.user_id = ${userId} AND f.id = ${id}`,
    )
    return rows[0] ?? null
  }

  return {
    /** Null when the user has none. */
    async findInstructions(userId: string): Promise<Instructions | null> {
      const { rows } = await pool.query<Instructions>(
        sql`SELECT ${raw(instructionColumns)} FROM instructions WHERE user_id = ${userId}`,
      )
      return rows[0] ?? null
    },

    /** Undefined fields stay unchanged. */
    async updateInstructions(userId: string, changes: UpdateInstructions): Promise<Instructions> {
      const { rows } = await pool.query<Instructions>(
        sql`INSERT INTO instructions (id, user_id, about_me, how_to_answer, uses_facts)
         VALUES (${newId()}, ${userId}, coalesce(${changes.about_me ?? null}, ''), coalesce(${changes.how_to_answer ?? null}, ''),
           coalesce(${changes.uses_facts ?? null}, true))
         ON CONFLICT (user_id) DO UPDATE SET
           about_me = coalesce(${changes.about_me ?? null}, instructions.about_me),
           how_to_answer = coalesce(${changes.how_to_answer ?? null}, instructions.how_to_answer),
           uses_facts = coalesce(${changes.uses_facts ?? null}, instructions.uses_facts),
           updated_at = now()
         RETURNING ${raw(instructionColumns)}`,
      )
      return rows[0] as Instructions
    },

    /** Instructions and newest facts in one statement, since each answer waits for it. Null when there are none. */
    async readContext(userId: string, maxFacts: number): Promise<KnownAboutUser | null> {
      const { rows } = await pool.query<Instructions & { text: string | null; created_at: Date | null }>(
        prepared(sql`
  SELECT coalesce(i.about_me, '') AS about_me, coalesce(i.how_to_answer, '') AS how_to_answer,
    coalesce(i.uses_facts, true) AS uses_facts, f.text, f.created_at
  FROM (SELECT ${userId}::uuid AS user_id) person
  LEFT JOIN instructions i ON i.user_id = person.user_id
  LEFT JOIN facts f ON f.user_id = person.user_id AND coalesce(i.uses_facts, true)
  WHERE i.id IS NOT NULL OR f.id IS NOT NULL
  ORDER BY f.created_at DESC, f.id DESC LIMIT ${maxFacts}`),
      )
      const [first] = rows
      if (first === undefined) return null
      const { about_me, how_to_answer, uses_facts } = first
      return {
        instructions: { about_me, how_to_answer, uses_facts },
        facts: rows.flatMap(({ text, created_at }) =>
          text === null || created_at === null ? [] : [{ text, createdAt: created_at }],
        ),
      }
    },

    findFact,

    /** A fact with the same text, ignoring case; null when there is none. */
    async findSame(userId: string, text: string): Promise<FactRow | null> {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT id FROM facts WHERE user_id = ${userId} AND lower(text) = lower(${text}) LIMIT 1`,
      )
      return rows[0] === undefined ? null : findFact(userId, rows[0].id)
    },

    /** @returns null when the user already has `max` facts */
    async add(userId: string, { text, source, sessionId }: NewFact, max: number): Promise<FactRow | null> {
      const { rows } = await pool.query<{ id: string }>(
        sql`INSERT INTO facts (id, user_id, text, source, session_id)
         SELECT ${newId()}, ${userId}, ${text}, ${source},
           (SELECT id FROM chat_sessions WHERE id = ${sessionId} AND user_id = ${userId})
         WHERE (SELECT count(*) FROM facts WHERE user_id = ${userId}) < ${max}
         RETURNING id`,
      )
      return rows[0] === undefined ? null : findFact(userId, rows[0].id)
    },

    /** Changes the defined fields. @returns null when the user has no such fact */
    async change(userId: string, id: string, { text, source }: UpdateFact): Promise<FactRow | null> {
      const { rowCount } = await pool.query(
        sql`UPDATE facts SET text = coalesce(${text ?? null}, text), source = coalesce(${source ?? null}, source),
          updated_at = now()
         WHERE user_id = ${userId} AND id = ${id}`,
      )
      return rowCount === 0 ? null : findFact(userId, id)
    },

    /** @returns false when the user has no such fact */
    async remove(userId: string, id: string): Promise<boolean> {
      const { rowCount } = await pool.query(sql`DELETE FROM facts WHERE user_id = ${userId} AND id = ${id}`)
      return rowCount === 1
    },

    /** Facts that contain the query, newest first, and their total number. */
    async list(
      userId: string,
      { limit, after, query }: { limit: number; after: TimePosition | null; query: string | undefined },
    ): Promise<{ rows: FactRow[]; total: number }> {
      const condition = sql`f.user_id = ${userId} ${query ? sql`AND strpos(lower(f.text), lower(${query})) > 0` : nothing}`
      const isAfter = after
        ? sql`AND (f.created_at, f.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
        : nothing
      const { rows } = await pool.query<FactRow>(
        sql`SELECT ${raw(factColumns)} FROM facts f LEFT JOIN chat_sessions s ON s.id = f.session_id
         WHERE ${condition} ${isAfter} ORDER BY f.created_at DESC, f.id DESC LIMIT ${limit}`,
      )
      const count = await pool.query<{ total: number }>(
        sql`SELECT count(*)::int AS total FROM facts f WHERE ${condition}`,
      )
      return { rows, total: count.rows[0]?.total ?? 0 }
    },
  }
}
