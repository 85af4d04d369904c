import type { AdministerPersona, CreatePersona, Persona } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { insertItemsOf, removeItemsOf } from '../../../platform/database/own-items.ts'
import { inTransaction, sql } from '../../../platform/database/sql.ts'
import { createOwnedQueries, type NamePosition, pageByName } from '../projects-and-personas.ts'

export type PersonasStore = ReturnType<typeof createPersonasStore>

/** Columns of a persona `p` for a user; only its owner sees its items. */
const columns = (
  userId: string,
) => sql`p.id, p.name, p.description, p.instructions, p.model, p.tools, p.starters, p.picture,
  p.shared_at IS NOT NULL AS shared, p.user_id = ${userId} AS own,
  p.limited AND p.user_id = ${userId} AS limited, p.created_at, p.updated_at,
  coalesce((
    SELECT jsonb_agg(jsonb_build_object('media_id', i.id, 'title', i.original_filename, 'media_type', i.media_type)
      ORDER BY k.position)
    FROM persona_items k JOIN media_items i ON i.id = k.media_item_id WHERE k.persona_id = p.id AND i.user_id = ${userId}
  ), '[]') AS items`
/** Condition that a persona `p` is the user's own or shared. */
const isVisible = (userId: string) => sql`(p.user_id = ${userId} OR (p.shared_at IS NOT NULL
  AND EXISTS (SELECT FROM users u WHERE u.id = p.user_id AND u.trashed_at IS NULL)))`

export function createPersonasStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Null when the user may not see it. */
    async find(userId: string, id: string): Promise<Persona | null> {
      const { rows } = await pool.query<Persona>(
        sql`SELECT ${columns(userId)} FROM personas p WHERE ${isVisible(userId)} AND p.id = ${id}`,
      )
      return rows[0] ?? null
    },

    /** A page of the user's own and shared personas, by name. */
    async list(userId: string, after: NamePosition | null, limit: number): Promise<Persona[]> {
      const { rows } = await pool.query<Persona>(
        sql`SELECT ${columns(userId)} FROM personas p WHERE ${isVisible(userId)} ${pageByName(after, limit)}`,
      )
      return rows
    },

    ...createOwnedQueries({ pool }, 'personas'),

    /** @returns the new persona's id */
    async add(userId: string, persona: CreatePersona, id: string = newId()): Promise<string> {
      const { name, description = '', instructions = '', model = null, tools = null, media_ids = [] } = persona
      const { starters = [], picture = null } = persona
      const limited = media_ids.length > 0 || persona.limited === true
      await inTransaction(pool, async (tx) => {
        await tx.query(sql`
          INSERT INTO personas (id, user_id, name, description, instructions, model, tools, starters, picture, limited)
          VALUES (${id}, ${userId}, ${name}, ${description}, ${instructions}, ${model},
            ${tools === null ? null : JSON.stringify(tools)}::jsonb, ${starters}, ${picture}, ${limited})`)
        if (media_ids.length > 0) await tx.query(insertItemsOf('persona', id, userId, media_ids))
      })
      return id
    },

    /** Changes the defined fields; items must be the user's. */
    change: (userId: string, id: string, changes: AdministerPersona): Promise<void> =>
      inTransaction(pool, async (tx) => {
        const { name, description, instructions, model, tools, starters, picture, shared, limited, media_ids } = changes
        await tx.query(sql`
          UPDATE personas SET name = coalesce(${name}, name), description = coalesce(${description}, description),
            instructions = coalesce(${instructions}, instructions),
            model = CASE WHEN ${model !== undefined} THEN ${model} ELSE model END,
            tools = CASE WHEN ${tools !== undefined} THEN ${tools ? JSON.stringify(tools) : null}::jsonb ELSE tools END,
            starters = coalesce(${starters}::text[], starters),
            picture = CASE WHEN ${picture !== undefined} THEN ${picture} ELSE picture END,
            shared_at = CASE ${shared}::boolean
              WHEN true THEN coalesce(shared_at, now()) WHEN false THEN NULL ELSE shared_at END,
            updated_at = now()
          WHERE id = ${id}`)
        if (media_ids !== undefined) {
          await tx.query(removeItemsOf('persona', id))
          await tx.query(insertItemsOf('persona', id, userId, media_ids))
        }
        await tx.query(sql`UPDATE personas SET limited = coalesce(${limited ?? null}, limited)
             OR EXISTS (SELECT FROM persona_items k WHERE k.persona_id = personas.id) WHERE id = ${id}`)
      }),

    /** Deletes a persona but not its conversations. */
    async remove(id: string): Promise<void> {
      await pool.query(sql`DELETE FROM personas WHERE id = ${id}`)
    },
  }
}
