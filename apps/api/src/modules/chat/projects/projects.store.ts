import type { CreateProject, KnownItem, UpdateProject } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { insertItemsOf, removeItemsOf } from '../../../platform/database/own-items.ts'
import { inTransaction, raw, sql } from '../../../platform/database/sql.ts'
import { createOwnedQueries, type NamePosition, pageByName } from '../projects-and-personas.ts'

/** A project with its items and the number of its conversations. */
interface ProjectRow {
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

export type ProjectsStore = ReturnType<typeof createProjectsStore>

const COLUMNS = `p.id, p.name, p.instructions, p.model, p.search, p.limited, p.created_at, p.updated_at,
  (SELECT count(*)::int FROM chat_sessions s WHERE s.project_id = p.id AND s.user_id = p.user_id) AS conversation_count,
  coalesce((
    SELECT jsonb_agg(jsonb_build_object('media_id', i.id, 'title', i.original_filename, 'media_type', i.media_type)
      ORDER BY k.position)
    FROM project_items k JOIN media_items i ON i.id = k.media_item_id AND i.user_id = p.user_id
    WHERE k.project_id = p.id
  ), '[]') AS items`

export function createProjectsStore({ pool }: Pick<Database, 'pool'>) {
  const find = async (userId: string, id: string): Promise<ProjectRow | null> => {
    const { rows } = await pool.query<ProjectRow>(
      sql`SELECT ${raw(COLUMNS)} FROM projects p WHERE p.user_id = ${userId} AND p.id = ${id}`,
    )
    return rows[0] ?? null
  }

  return {
    find,

    /** Projects by name. @param after last project of the previous page */
    async list(userId: string, after: NamePosition | null, limit: number): Promise<ProjectRow[]> {
      const { rows } = await pool.query<ProjectRow>(
        sql`SELECT ${raw(COLUMNS)} FROM projects p WHERE p.user_id = ${userId} ${pageByName(after, limit)}`,
      )
      return rows
    },

    ...createOwnedQueries({ pool }, 'projects'),

    /** @returns the new project's id */
    async add(userId: string, project: CreateProject, id: string = newId()): Promise<string> {
      const { name, instructions = '', model = null, search = null, media_ids = [] } = project
      const limited = media_ids.length > 0 || search !== null || project.limited === true
      await inTransaction(pool, async (tx) => {
        await tx.query(
          sql`INSERT INTO projects (id, user_id, name, instructions, model, search, limited)
            VALUES (${id}, ${userId}, ${name}, ${instructions}, ${model}, ${search}, ${limited})`,
        )
        if (media_ids.length > 0) await tx.query(insertItemsOf('project', id, userId, media_ids))
      })
      return id
    },

    /** Changes the defined fields. @returns false when the user has no such project */
    async change(userId: string, id: string, changes: UpdateProject): Promise<boolean> {
      const { name, instructions, model, search, limited, media_ids } = changes
      return inTransaction(pool, async (tx) => {
        const { rows } = await tx.query(sql`
          UPDATE projects SET name = coalesce(${name}, name), instructions = coalesce(${instructions}, instructions),
            model = CASE WHEN ${model !== undefined} THEN ${model} ELSE model END,
            search = CASE WHEN ${search !== undefined} THEN ${search} ELSE search END, updated_at = now()
          WHERE user_id = ${userId} AND id = ${id} RETURNING id`)
        if (rows.length === 0) return false
        if (media_ids !== undefined) {
          await tx.query(removeItemsOf('project', id))
          await tx.query(insertItemsOf('project', id, userId, media_ids))
        }
        await tx.query(sql`UPDATE projects SET limited = search IS NOT NULL OR coalesce(${limited ?? null}, limited)
             OR EXISTS (SELECT FROM project_items k WHERE k.project_id = projects.id) WHERE id = ${id}`)
        return true
      })
    },

    /** Deletes a project but not its conversations. @returns false when the user has no such project */
    async remove(userId: string, id: string): Promise<boolean> {
      const { rowCount } = await pool.query(sql`DELETE FROM projects WHERE user_id = ${userId} AND id = ${id}`)
      return rowCount === 1
    },
  }
}
