import type { AdministerPersona, CreatePersona, Persona } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { ownItems, removeItemsOf, requireOwnItems } from '../../../platform/database/own-items.ts'
import { inTransaction } from '../../../platform/database/sql.ts'

/** The persona that a page ends with. */
export interface PersonaPosition {
  name: string
  id: string
}

export type PersonasStore = ReturnType<typeof createPersonasStore>

/** Columns of a persona `p` for user `$1`: attachments are visible to its owner only. */
const COLUMNS = `p.id, p.name, p.description, p.instructions, p.model, p.tools, p.starters, p.picture,
  p.shared_at IS NOT NULL AS shared, p.user_id = $1 AS own,
  p.limited AND p.user_id = $1 AS limited, p.created_at, p.updated_at,
  coalesce((
    SELECT jsonb_agg(jsonb_build_object('media_id', i.id, 'title', i.original_filename, 'media_type', i.media_type)
      ORDER BY k.position)
    FROM persona_items k JOIN media_items i ON i.id = k.media_item_id WHERE k.persona_id = p.id AND i.user_id = $1
  ), '[]') AS items`
const IS_SEEN = `(p.user_id = $1 OR (p.shared_at IS NOT NULL
  AND EXISTS (SELECT FROM users u WHERE u.id = p.user_id AND u.trashed_at IS NULL)))`
/** Puts items of a user into a persona `$1`, in their order. */
const INSERT_ITEMS = `
  INSERT INTO persona_items (persona_id, media_item_id, position)
  SELECT $1, i.id, given.position FROM unnest($3::uuid[]) WITH ORDINALITY AS given (id, position)
    JOIN media_items i ON i.id = given.id AND i.user_id = $2`

/** Personas as rows of one user each, some of them seen by everybody. */
export function createPersonasStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Null when the user may not see it. */
    async find(userId: string, id: string): Promise<Persona | null> {
      const { rows } = await pool.query<Persona>(`SELECT ${COLUMNS} FROM personas p WHERE ${IS_SEEN} AND p.id = $2`, [
        userId,
        id,
      ])
      return rows[0] ?? null
    },

    /** A page of the user's own and shared personas, by name. */
    async list(userId: string, after: PersonaPosition | null, limit: number): Promise<Persona[]> {
      const { rows } = await pool.query<Persona>(
        `SELECT ${COLUMNS} FROM personas p
         WHERE ${IS_SEEN} AND ($2::text IS NULL OR (lower(p.name) COLLATE "C", p.id) > (lower($2) COLLATE "C", $3::uuid))
         ORDER BY lower(p.name) COLLATE "C", p.id LIMIT $4`,
        [userId, after?.name ?? null, after?.id ?? null, limit],
      )
      return rows
    },

    /** Number of the user's own personas. */
    async count(userId: string): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM personas WHERE user_id = $1',
        [userId],
      )
      return rows[0]?.count ?? 0
    },

    /** @throws NotFoundError unless all items are the user's. */
    requireItems: (userId: string, mediaIds?: string[]) => requireOwnItems({ pool }, userId, mediaIds),

    /** Subset of the items that the user owns, in the same order. */
    ownOf: (userId: string, mediaIds: string[]): Promise<string[]> => ownItems({ pool }, userId, mediaIds),

    /** The new one's id. */
    async add(userId: string, persona: CreatePersona, id: string = newId()): Promise<string> {
      const { name, description = '', instructions = '', model = null, tools = null, media_ids = [] } = persona
      const { starters = [], picture = null } = persona
      const limited = media_ids.length > 0 || persona.limited === true
      await inTransaction(pool, async (sql) => {
        await sql.query({
          text: `INSERT INTO personas (id, user_id, name, description, instructions, model, tools, starters, picture, limited)
             VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10)`,
          values: [
            ...[id, userId, name, description, instructions, model],
            ...[tools === null ? null : JSON.stringify(tools), starters, picture, limited],
          ],
        })
        if (media_ids.length > 0) await sql.query({ text: INSERT_ITEMS, values: [id, userId, media_ids] })
      })
      return id
    },

    /** Changes a persona: undefined fields stay; items must be the user's. */
    change: (userId: string, id: string, changes: AdministerPersona): Promise<void> =>
      inTransaction(pool, async (sql) => {
        const { name, description, instructions, model, tools, starters, picture, shared, limited, media_ids } = changes
        await sql.query({
          text: `UPDATE personas SET name = coalesce($2, name), description = coalesce($3, description),
             instructions = coalesce($4, instructions), model = CASE WHEN $5 THEN $6 ELSE model END,
             tools = CASE WHEN $7 THEN $8::jsonb ELSE tools END, starters = coalesce($9::text[], starters),
             picture = CASE WHEN $10 THEN $11 ELSE picture END,
             shared_at = CASE $12::boolean WHEN true THEN coalesce(shared_at, now()) WHEN false THEN NULL ELSE shared_at END,
             updated_at = now()
           WHERE id = $1`,
          values: [
            ...[id, name ?? null, description ?? null, instructions ?? null, model !== undefined, model ?? null],
            ...[tools !== undefined, tools ? JSON.stringify(tools) : null, starters ?? null],
            ...[picture !== undefined, picture ?? null, shared ?? null],
          ],
        })
        if (media_ids !== undefined) {
          await sql.query({ text: removeItemsOf('persona'), values: [id] })
          await sql.query({ text: INSERT_ITEMS, values: [id, userId, media_ids] })
        }
        await sql.query({
          text: `UPDATE personas SET limited = coalesce($2, limited)
             OR EXISTS (SELECT FROM persona_items k WHERE k.persona_id = personas.id) WHERE id = $1`,
          values: [id, limited ?? null],
        })
      }),

    /** Its conversations stay. */
    async remove(id: string): Promise<void> {
      await pool.query('DELETE FROM personas WHERE id = $1', [id])
    },
  }
}
