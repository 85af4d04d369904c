import {
  type CreatePrompt,
  createPromptSchema,
  MAX_PROMPTS,
  PROMPT_COMMAND_MAX_CHARACTERS,
  type Prompt,
  type PromptsResponse,
  type UpdatePrompt,
  variablesOf,
} from '@mira/shared'
import { z } from 'zod'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import { cutPage, type PageQuery, readCursor, writeCursor } from '../../../platform/lib/page.ts'
import { say } from '../../../sentences.ts'

interface PromptRow {
  id: string
  title: string
  command: string
  text: string
  createdAt: Date
  updatedAt: Date
}

/** Error code of PostgreSQL for a duplicate value. */
const UNIQUE_VIOLATION = '23505'
const columns = `id, title, command, text, created_at AS "createdAt", updated_at AS "updatedAt"`

/** Prompts by command. @param after last command of the previous page */
async function listPrompts(
  { pool }: Database,
  userId: string,
  after: string | null,
  limit: number,
): Promise<PromptRow[]> {
  const { rows } = await pool.query<PromptRow>(
    sql`SELECT ${raw(columns)} FROM prompts
         WHERE user_id = ${userId} AND (${after}::text IS NULL OR command COLLATE "C" > ${after}::text COLLATE "C")
         ORDER BY command COLLATE "C" LIMIT ${limit}`,
  )
  return rows
}

async function countPrompts({ pool }: Database, userId: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM prompts WHERE user_id = ${userId}`,
  )
  return rows[0]?.count ?? 0
}

async function hasPrompt({ pool }: Database, userId: string, command: string): Promise<boolean> {
  const { rowCount } = await pool.query(sql`SELECT FROM prompts WHERE user_id = ${userId} AND command = ${command}`)
  return rowCount === 1
}

/** @returns null when the user has a prompt with this command */
async function insertPrompt(
  { pool }: Database,
  userId: string,
  { title, command, text }: CreatePrompt,
): Promise<PromptRow | null> {
  const { rows } = await pool.query<PromptRow>(
    sql`INSERT INTO prompts (id, user_id, title, command, text) VALUES (${newId()}, ${userId}, ${title}, ${command}, ${text})
         ON CONFLICT (user_id, command) DO NOTHING RETURNING ${raw(columns)}`,
  )
  return rows[0] ?? null
}

/** Changes the defined fields. @returns null when the user has no such prompt, `taken` when another one has the command */
async function updatePrompt(
  { pool }: Database,
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
}

/** @returns false when the user has no such prompt */
async function deletePrompt({ pool }: Database, userId: string, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(sql`DELETE FROM prompts WHERE user_id = ${userId} AND id = ${id}`)
  return rowCount === 1
}

export type PromptsService = ReturnType<typeof createPromptsService>

/** Last command of a page. */
const positionSchema = z.string().max(PROMPT_COMMAND_MAX_CHARACTERS)

const notFound = () => new NotFoundError('This prompt no longer exists.')
const commandTaken = (command: string) =>
  new ConflictError(`You already have a prompt with the command /${command}. Choose another one.`, {
    code: 'prompt_command_taken',
    errors: [{ path: 'command', message: 'is taken' }],
  })

/** Saved prompts of users. */
export function createPromptsService(database: Database) {
  return {
    async list(userId: string, { limit, cursor }: PageQuery): Promise<PromptsResponse> {
      const after = cursor === undefined ? null : readCursor(cursor, positionSchema)
      const rows = await listPrompts(database, userId, after, limit + 1)
      const { items, nextCursor } = cutPage(rows, limit, ({ command }) => writeCursor(command))
      return { prompts: items.map(present), next_cursor: nextCursor }
    },

    /** @throws ConflictError when the command is taken, or there are too many */
    async add(userId: string, prompt: CreatePrompt): Promise<Prompt> {
      if ((await countPrompts(database, userId)) >= MAX_PROMPTS) {
        throw new ConflictError(`You can save at most ${MAX_PROMPTS} prompts. Delete some first.`, {
          code: 'too_many_prompts',
        })
      }
      const row = await insertPrompt(database, userId, prompt)
      if (row === null) throw commandTaken(prompt.command)
      return present(row)
    },

    /**
     * Imports a prompt from an export, unless one with its command already exists.
     * @returns its command; null when it's invalid @throws ConflictError when there are too many
     */
    async importOne(userId: string, { title, command, text }: Record<string, unknown>): Promise<string | null> {
      const parsed = createPromptSchema.safeParse({ title, command, text })
      if (!parsed.success) return null
      if (await hasPrompt(database, userId, parsed.data.command)) return parsed.data.command
      const max = MAX_PROMPTS
      if ((await countPrompts(database, userId)) >= max) throw new ConflictError(say('import_too_many', { max }))
      await insertPrompt(database, userId, parsed.data)
      return parsed.data.command
    },

    /** @throws NotFoundError, ConflictError when the command is taken */
    async update(userId: string, id: string, changes: UpdatePrompt): Promise<Prompt> {
      const row = await updatePrompt(database, userId, id, changes)
      if (row === 'taken') throw commandTaken(changes.command ?? '')
      if (row === null) throw notFound()
      return present(row)
    },

    /** @throws NotFoundError */
    async remove(userId: string, id: string): Promise<void> {
      if (!(await deletePrompt(database, userId, id))) throw notFound()
    },
  }
}

function present({ id, title, command, text, createdAt, updatedAt }: PromptRow): Prompt {
  return { id, title, command, text, variables: variablesOf(text), created_at: createdAt, updated_at: updatedAt }
}
