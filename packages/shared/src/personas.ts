import { z } from 'zod'
import { agentNames, answerToolNames } from './constants/agents.ts'
import {
  MODEL_NAME_MAX_CHARACTERS,
  PERSONA_DESCRIPTION_MAX_CHARACTERS,
  PERSONA_INSTRUCTIONS_MAX_CHARACTERS,
  PERSONA_MAX_STARTERS,
  PERSONA_MAX_TOOLS,
  PERSONA_NAME_MAX_CHARACTERS,
  PERSONA_PICTURE_MAX_CHARACTERS,
  PERSONA_STARTER_MAX_CHARACTERS,
  PERSONA_TOOL_NAME_MAX_CHARACTERS,
  PROJECT_MAX_ITEMS,
} from './constants/limits.ts'
import { idSchema } from './ids-and-pages.ts'
import { knownItemSchema, limitedSchema } from './projects.ts'
import { timestampSchema } from './timestamp.ts'

/** A persona of the assistant: its instructions, knowledge and tools. */
export const personaSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Purpose in one line. */
  description: z.string(),
  instructions: z.string(),
  /** Model of its new conversations; null for the user's default. */
  model: z.string().nullable(),
  /**
   * Allowed tools: agents, search_memory, remember, search_web, read_page, make_picture and tools of connected
   * servers, by the names of GET /personas/tools; null for all tools that the user may use. Without search_memory, only items
   * attached to the persona, its projects and messages are used.
   */
  tools: z.array(z.string()).nullable(),
  /** Items used for answers to the persona's owner; never shown to others or used for their answers. */
  items: z.array(knownItemSchema),
  /** Answer the persona's owner only from its items, even if none are left. */
  limited: z.boolean(),
  /** Suggested first questions. */
  starters: z.array(z.string()),
  /** A small picture as a data URL; null for none. */
  picture: z.string().nullable(),
  /** Available to every user. */
  shared: z.boolean(),
  /** True for the caller's own persona. */
  own: z.boolean(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
})
export type Persona = z.output<typeof personaSchema>
export type PersonaJson = z.input<typeof personaSchema>

const nameSchema = z
  .string()
  .trim()
  .min(1, { error: 'Give it a name.' })
  .max(PERSONA_NAME_MAX_CHARACTERS, { error: `Use at most ${PERSONA_NAME_MAX_CHARACTERS} characters.` })
/** A tool of a connected server: the server's name, a colon and the tool's name. */
const connectedToolSchema = z
  .string()
  .max(PERSONA_TOOL_NAME_MAX_CHARACTERS)
  .regex(/^.+: .+$/)
const starterSchema = z.string().trim().min(1).max(PERSONA_STARTER_MAX_CHARACTERS)

/** PATCH /personas/{id}: omitted fields stay; lists replace earlier ones. */
export const updatePersonaSchema = z.strictObject({
  name: nameSchema.optional(),
  description: z.string().trim().max(PERSONA_DESCRIPTION_MAX_CHARACTERS).optional(),
  instructions: z.string().trim().max(PERSONA_INSTRUCTIONS_MAX_CHARACTERS).optional(),
  model: z.string().min(1).max(MODEL_NAME_MAX_CHARACTERS).nullable().optional(),
  tools: z
    .array(z.union([z.enum([...agentNames, ...answerToolNames]), connectedToolSchema]))
    .max(PERSONA_MAX_TOOLS)
    .transform((names) => [...new Set(names)])
    .nullable()
    .optional(),
  media_ids: z
    .array(idSchema)
    .max(PROJECT_MAX_ITEMS)
    .transform((ids) => [...new Set(ids)])
    .optional(),
  limited: limitedSchema.optional(),
  starters: z.array(starterSchema).max(PERSONA_MAX_STARTERS).optional(),
  /** A JPEG, PNG or WebP picture in base64. */
  picture: z
    .string()
    .max(PERSONA_PICTURE_MAX_CHARACTERS, { error: 'The picture is too large: make it smaller first.' })
    .regex(/^data:image\/(jpeg;base64,\/9j\/|png;base64,iVBORw0KGgo|webp;base64,UklGR)[A-Za-z0-9+/]*={0,2}$/, {
      error: 'must be a JPEG, PNG or WebP picture as a data URL',
    })
    .nullable()
    .optional(),
})
export type UpdatePersona = z.output<typeof updatePersonaSchema>

/** POST /personas. */
export const createPersonaSchema = updatePersonaSchema.extend({ name: nameSchema })
export type CreatePersona = z.output<typeof createPersonaSchema>

/** PATCH /admin/personas/{id}: one of the administrator's own, or a shared one. */
export const administerPersonaSchema = updatePersonaSchema.extend({ shared: z.boolean().optional() })
export type AdministerPersona = z.output<typeof administerPersonaSchema>

/** GET /personas/tools: names of the tools that the caller may use. */
export const personaToolsSchema = z.object({ tools: z.array(z.string()) })
export type PersonaTools = z.output<typeof personaToolsSchema>

/** GET /personas: the caller's own and shared personas, sorted by name. */
export const personasResponseSchema = z.object({ personas: z.array(personaSchema), next_cursor: z.string().nullable() })
export type PersonasResponse = z.output<typeof personasResponseSchema>
export type PersonasResponseJson = z.input<typeof personasResponseSchema>
