import type { CreateProject, KnownItem, UpdateProject } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { ownItems, removeItemsOf, requireOwnItems } from '../../../platform/database/own-items.ts'
import { inTransaction } from '../../../platform/database/sql.ts'

/** A project as a row, with its items and the number of its conversations. */
export interface ProjectRow {
  id: string
  name: string
  instructions: string
  model: string | null
  search: string | null
  limited: boolean
  items: KnownItem[]
  conversation_count: number
  created_at: Date
  updated_at: Date
}

/** The project that a page ends with. */
export interface ProjectPosition {
  name: string
  id: string
}

export type ProjectsStore = ReturnType<typeof createProjectsStore>

const COLUMNS = `p.id, p.name, p.instructions, p.model, p.search, p.limited, p.created_at, p.updated_at,
  (SELECT count(*)::int FROM chat_sessions s WHERE s.project_id = p.id AND s.user_id = p.user_id) AS conversation_count,
  coalesce((
    SELECT jsonb_agg(jsonb_build_object('media_id', i.id, 'title', i.original_filename, 'media_type', i.media_type)
      ORDER BY k.position)
    FROM project_items k JOIN media_items i ON i.id = k.media_item_id AND i.user_id = p.user_id
    WHERE k.project_id = p.id
  ), '[]') AS items`
/** Puts items of a user into a project `$1`, in their order. */
const INSERT_ITEMS = `
  INSERT INTO project_items (project_id, media_item_id, position)
  SELECT $1, i.id, given.position FROM unnest($3::uuid[]) WITH ORDINALITY AS given (id, position)
    JOIN media_items i ON i.id = given.id AND i.user_id = $2`

/** The projects of people, as rows of one user each. */
export function createProjectsStore({ pool }: Pick<Database, 'pool'>) {
  const find = async (userId: string, id: string): Promise<ProjectRow | null> => {
    const { rows } = await pool.query<ProjectRow>(
      `SELECT ${COLUMNS} FROM projects p WHERE p.user_id = $1 AND p.id = $2`,
      [userId, id],
    )
    return rows[0] ?? null
  }

  return {
    find,

    /** In the order of their names, those after one. */
    async list(userId: string, after: ProjectPosition | null, limit: number): Promise<ProjectRow[]> {
      const { rows } = await pool.query<ProjectRow>(
        `SELECT ${COLUMNS} FROM projects p
         WHERE p.user_id = $1 AND ($2::text IS NULL OR (lower(p.name) COLLATE "C", p.id) > (lower($2) COLLATE "C", $3::uuid))
         ORDER BY lower(p.name) COLLATE "C", p.id LIMIT $4`,
        [userId, after?.name ?? null, after?.id ?? null, limit],
      )
      return rows
    },

    async count(userId: string): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM projects WHERE user_id = $1',
        [userId],
      )
      return rows[0]?.count ?? 0
    },

    /** @throws NotFoundError unless all items are the user's. */
    requireItems: (userId: string, mediaIds?: string[]) => requireOwnItems({ pool }, userId, mediaIds),

    /** Subset of the items that the user owns, in the same order. */
    ownOf: (userId: string, mediaIds: string[]): Promise<string[]> => ownItems({ pool }, userId, mediaIds),

    /** The new one's id. */
    async add(userId: string, project: CreateProject, id: string = newId()): Promise<string> {
      const { name, instructions = '', model = null, search = null, media_ids = [] } = project
      const limited = media_ids.length > 0 || search !== null || project.limited === true
      await inTransaction(pool, async (sql) => {
        await sql.query({
          text: 'INSERT INTO projects (id, user_id, name, instructions, model, search, limited) VALUES ($1, $2, $3, $4, $5, $6, $7)',
          values: [id, userId, name, instructions, model, search, limited],
        })
        if (media_ids.length > 0) await sql.query({ text: INSERT_ITEMS, values: [id, userId, media_ids] })
      })
      return id
    },

    /** Undefined fields stay; false when the user has no such project. */
    async change(userId: string, id: string, changes: UpdateProject): Promise<boolean> {
      const { name, instructions, model, search, limited, media_ids } = changes
      return inTransaction(pool, async (sql) => {
        const { rows } = await sql.query({
          text: `UPDATE projects SET name = coalesce($3, name), instructions = coalesce($4, instructions),
             model = CASE WHEN $5 THEN $6 ELSE model END, search = CASE WHEN $7 THEN $8 ELSE search END, updated_at = now()
           WHERE user_id = $1 AND id = $2 RETURNING id`,
          values: [
            ...[userId, id, name ?? null, instructions ?? null],
            ...[model !== undefined, model ?? null, search !== undefined, search ?? null],
          ],
        })
        if (rows.length === 0) return false
        if (media_ids !== undefined) {
          await sql.query({ text: removeItemsOf('project'), values: [id] })
          await sql.query({ text: INSERT_ITEMS, values: [id, userId, media_ids] })
        }
        await sql.query({
          text: `UPDATE projects SET limited = search IS NOT NULL OR coalesce($2, limited)
             OR EXISTS (SELECT FROM project_items k WHERE k.project_id = projects.id) WHERE id = $1`,
          values: [id, limited ?? null],
        })
        return true
      })
    },

    /** Removes a project but not its conversations. @returns false when it didn't exist. */
    async remove(userId: string, id: string): Promise<boolean> {
      const { rowCount } = await pool.query('DELETE FROM projects WHERE user_id = $1 AND id = $2', [userId, id])
      return rowCount === 1
    },
  }
}
