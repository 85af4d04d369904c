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
import { cutPage, type PageQuery, readCursor, writeCursor } from '../../../platform/lib/page.ts'
import type { PromptRow, PromptsStore } from './prompts.store.ts'

export type PromptsService = ReturnType<typeof createPromptsService>

/** The command that a page ends with. */
const positionSchema = z.string().max(PROMPT_COMMAND_MAX_CHARACTERS)

const notFound = () => new NotFoundError('This prompt is not there any more.')
const commandTaken = (command: string) =>
  new ConflictError(`You have a prompt /${command} already. Choose another command.`, {
    code: 'prompt_command_taken',
    errors: [{ path: 'command', message: 'is taken' }],
  })

/** Saved prompts of users. */
export function createPromptsService({ store }: { store: PromptsStore }) {
  return {
    async list(userId: string, { limit, cursor }: PageQuery): Promise<PromptsResponse> {
      const after = cursor === undefined ? null : readCursor(cursor, positionSchema)
      const rows = await store.list(userId, after, limit + 1)
      const { items, nextCursor } = cutPage(rows, limit, ({ command }) => writeCursor(command))
      return { prompts: items.map(present), next_cursor: nextCursor }
    },

    /** @throws ConflictError when the command is taken, or there are too many. */
    async add(userId: string, prompt: CreatePrompt): Promise<Prompt> {
      if ((await store.count(userId)) >= MAX_PROMPTS) {
        throw new ConflictError(`At most ${MAX_PROMPTS} prompts are saved. Delete some first.`, {
          code: 'too_many_prompts',
        })
      }
      const row = await store.add(userId, prompt)
      if (row === null) throw commandTaken(prompt.command)
      return present(row)
    },

    /** Imports a prompt from an export, unless its command exists; its command, or null when it's invalid or there are too many. */
    async bring(userId: string, { title, command, text }: Record<string, unknown>): Promise<string | null> {
      const read = createPromptSchema.safeParse({ title, command, text })
      if (!read.success || (await store.count(userId)) >= MAX_PROMPTS) return null
      await store.add(userId, read.data)
      return read.data.command
    },

    /** @throws NotFoundError, ConflictError when the command is taken. */
    async update(userId: string, id: string, changes: UpdatePrompt): Promise<Prompt> {
      const row = await store.change(userId, id, changes)
      if (row === 'taken') throw commandTaken(changes.command ?? '')
      if (row === null) throw notFound()
      return present(row)
    },

    /** @throws NotFoundError */
    async remove(userId: string, id: string): Promise<void> {
      if (!(await store.remove(userId, id))) throw notFound()
    },
  }
}

function present({ id, title, command, text, createdAt, updatedAt }: PromptRow): Prompt {
  return { id, title, command, text, variables: variablesOf(text), created_at: createdAt, updated_at: updatedAt }
}
