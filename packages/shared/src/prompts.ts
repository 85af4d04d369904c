import { z } from 'zod'
import {
  PROMPT_COMMAND_MAX_CHARACTERS,
  PROMPT_TEXT_MAX_CHARACTERS,
  PROMPT_TITLE_MAX_CHARACTERS,
} from './constants/limits.ts'
import { COMMAND_PATTERN } from './constants/prompts.ts'
import { timestampSchema } from './timestamp.ts'

/** A saved text to start messages with. */
export const promptSchema = z.object({
  id: z.uuid(),
  title: z.string(),
  /** Command after the slash, unique per user, in lower case. */
  command: z.string(),
  /** Text of the prompt. Names in double braces, such as {{city}}, are variables to fill in. */
  text: z.string(),
  /** Unique variable names in order of appearance. */
  variables: z.array(z.string()),
  created_at: timestampSchema,
  updated_at: timestampSchema,
})
export type Prompt = z.output<typeof promptSchema>
export type PromptJson = z.input<typeof promptSchema>

const titleSchema = z
  .string()
  .trim()
  .min(1, { error: 'Give it a title.' })
  .max(PROMPT_TITLE_MAX_CHARACTERS, { error: `Use at most ${PROMPT_TITLE_MAX_CHARACTERS} characters.` })
const commandSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(PROMPT_COMMAND_MAX_CHARACTERS, { error: `Use at most ${PROMPT_COMMAND_MAX_CHARACTERS} characters.` })
  .regex(COMMAND_PATTERN, { error: 'Use letters, digits and hyphens, without the slash.' })
const textSchema = z
  .string()
  .trim()
  .min(1, { error: 'Write the text of the prompt.' })
  .max(PROMPT_TEXT_MAX_CHARACTERS, { error: `Write at most ${PROMPT_TEXT_MAX_CHARACTERS} characters.` })

/** POST /prompts. */
export const createPromptSchema = z.strictObject({ title: titleSchema, command: commandSchema, text: textSchema })
export type CreatePrompt = z.output<typeof createPromptSchema>

/** PATCH /prompts/{id}: omitted fields stay. */
export const updatePromptSchema = createPromptSchema.partial()
export type UpdatePrompt = z.output<typeof updatePromptSchema>

/** GET /prompts: sorted by command. */
export const promptsResponseSchema = z.object({ prompts: z.array(promptSchema), next_cursor: z.string().nullable() })
export type PromptsResponse = z.output<typeof promptsResponseSchema>
export type PromptsResponseJson = z.input<typeof promptsResponseSchema>
