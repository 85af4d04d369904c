import { PERSONA_NAME_MAX_CHARACTERS, PROJECT_MAX_ITEMS, PROJECT_NAME_MAX_CHARACTERS } from '@mira/shared'
import { z } from 'zod'
import { ConflictError } from '../../errors.ts'
import type { Database } from '../../platform/database/client.ts'
import { deterministicId } from '../../platform/database/new-id.ts'
import { ownItems, requireOwnItems } from '../../platform/database/own-items.ts'
import { nothing, raw, type SqlText, sql } from '../../platform/database/sql.ts'
import { cutPage, type PageQuery, readCursor, writeCursor } from '../../platform/lib/page.ts'
import { say } from '../../sentences.ts'

/** Settings of an answer that come from the conversation's project and persona. */
export interface AnswerContext {
  /** Addition to the system prompt; may be empty. */
  instructions: string
  /** Initial model unless the user picks one. */
  model: string | null
  /** Ids of the items that the answer is limited to; undefined for the entire memory. */
  knowledge: string[] | undefined
  /** Names of the only tools that may be used; undefined for all. */
  allowedTools: string[] | undefined
  /** Model-facing names of the tools that the message requests; undefined for none. */
  requestedTools?: string[] | undefined
}

export const EMPTY_CONTEXT: AnswerContext = {
  instructions: '',
  model: null,
  knowledge: undefined,
  allowedTools: undefined,
}

/** Last project or persona of a page. */
export interface NamePosition {
  name: string
  id: string
}

const positionSchema = z.object({
  name: z.string().max(Math.max(PROJECT_NAME_MAX_CHARACTERS, PERSONA_NAME_MAX_CHARACTERS)),
  id: z.uuid(),
})

/** Condition and order of a page by name, to append to a statement that ends with `WHERE …` on a table `p`. */
export const pageByName = (after: NamePosition | null, limit: number): SqlText => sql`
  ${after ? sql`AND (lower(p.name) COLLATE "C", p.id) > (lower(${after.name}) COLLATE "C", ${after.id}::uuid)` : nothing}
  ORDER BY lower(p.name) COLLATE "C", p.id LIMIT ${limit}`

/** A page of projects or personas, by name. */
export async function listByName<Row extends NamePosition>(
  list: (after: NamePosition | null, limit: number) => Promise<Row[]>,
  { limit, cursor }: PageQuery,
) {
  const after = cursor === undefined ? null : readCursor(cursor, positionSchema)
  return cutPage(await list(after, limit + 1), limit, ({ name, id }) => writeCursor({ name, id }))
}

/** Queries that projects and personas share. */
export const createOwnedQueries = ({ pool }: Pick<Database, 'pool'>, table: 'projects' | 'personas') => ({
  /** Number of the user's own projects or personas. */
  async count(userId: string): Promise<number> {
    const { rows } = await pool.query<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM ${raw(table)} WHERE user_id = ${userId}`,
    )
    return rows[0]?.count ?? 0
  },

  /** @throws NotFoundError unless all items are the user's. */
  requireItems: (userId: string, mediaIds?: string[]) => requireOwnItems({ pool }, userId, mediaIds),

  /** Subset of the items that the user owns, in the same order. */
  ownOf: (userId: string, mediaIds: string[]) => ownItems({ pool }, userId, mediaIds),
})

/** Fields of an exported project or persona, in addition to the writable ones. */
const exportedSchema = z.object({ id: z.uuid(), items: z.array(z.uuid()).max(PROJECT_MAX_ITEMS).default([]) })

interface ImportOptions<Shape extends z.ZodRawShape> {
  kind: 'project' | 'persona'
  schema: z.ZodObject<Shape>
  max: number
  isOwn(id: string): Promise<boolean>
  store: Pick<ReturnType<typeof createOwnedQueries>, 'count' | 'ownOf'> & {
    add(userId: string, fields: z.output<z.ZodObject<Shape>>, id: string): Promise<string>
  }
}

/**
 * Imports a project or persona from an export, with those of its items that exist here; leaves an existing one unchanged.
 * @returns its id; null when it's invalid @throws ConflictError when there are too many
 */
export async function importExported<Shape extends z.ZodRawShape>(
  userId: string,
  fields: Record<string, unknown>,
  { kind, schema, max, isOwn, store }: ImportOptions<Shape>,
): Promise<string | null> {
  const exported = exportedSchema.safeParse(fields)
  if (!exported.success) return null
  const { id, items } = exported.data
  const newId = deterministicId(kind, userId, id)
  for (const existingId of [id, newId]) if (await isOwn(existingId)) return existingId
  const parsed = schema.safeParse({
    ...Object.fromEntries(Object.keys(schema.shape).map((name) => [name, fields[name]])),
    media_ids: await store.ownOf(userId, items),
    limited: fields.limited === true,
  })
  if (!parsed.success) return null
  if ((await store.count(userId)) >= max) throw new ConflictError(say('import_too_many', { max }))
  return store.add(userId, parsed.data, newId)
}
