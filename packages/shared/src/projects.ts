import { z } from 'zod'
import {
  MODEL_NAME_MAX_CHARACTERS,
  PROJECT_INSTRUCTIONS_MAX_CHARACTERS,
  PROJECT_MAX_ITEMS,
  PROJECT_NAME_MAX_CHARACTERS,
  PROJECT_SEARCH_MAX_CHARACTERS,
} from './constants/limits.ts'
import { idSchema } from './ids-and-pages.ts'
import { timestampSchema } from './timestamp.ts'

/** An item that answers in a project or of a persona are based on. */
export const knownItemSchema = z.object({ media_id: z.uuid(), title: z.string(), media_type: z.string() })
export type KnownItem = z.infer<typeof knownItemSchema>

/** A group of conversations with shared instructions and items. */
export const projectSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Instructions for the model in each conversation of the project; empty for none. */
  instructions: z.string(),
  /** Model of the project's new conversations; null for the user's default. */
  model: z.string().nullable(),
  /** Items that answers in the project are based on. */
  items: z.array(knownItemSchema),
  /** A query as in GET /media/search. The items that it finds count as items of the project. */
  search: z.string().nullable(),
  /** Answer only from the project's items and the results of its search, even if there are none left. */
  limited: z.boolean(),
  conversation_count: z.number().int(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
})
export type Project = z.output<typeof projectSchema>
export type ProjectJson = z.input<typeof projectSchema>

const nameSchema = z
  .string()
  .trim()
  .min(1, { error: 'Give it a name.' })
  .max(PROJECT_NAME_MAX_CHARACTERS, { error: `Use at most ${PROJECT_NAME_MAX_CHARACTERS} characters.` })
const instructionsSchema = z
  .string()
  .trim()
  .max(PROJECT_INSTRUCTIONS_MAX_CHARACTERS, {
    error: `Write at most ${PROJECT_INSTRUCTIONS_MAX_CHARACTERS} characters.`,
  })
const modelSchema = z.string().min(1).max(MODEL_NAME_MAX_CHARACTERS).nullable()
const mediaIdsSchema = z
  .array(idSchema)
  .max(PROJECT_MAX_ITEMS, { error: `At most ${PROJECT_MAX_ITEMS} items can be attached; use a search for more.` })
  .transform((ids) => [...new Set(ids)])
/**
 * A project with items or a search always limits answers to these, even after they're deleted. Once it has neither, false lets
 * answers use the whole library again.
 */
export const limitedSchema = z.boolean()
const searchSchema = z
  .string()
  .trim()
  .max(PROJECT_SEARCH_MAX_CHARACTERS)
  .nullable()
  .transform((search) => search || null)

/** PATCH /projects/{id}: omitted fields stay; `media_ids` replaces all items. */
export const updateProjectSchema = z.strictObject({
  name: nameSchema.optional(),
  instructions: instructionsSchema.optional(),
  model: modelSchema.optional(),
  media_ids: mediaIdsSchema.optional(),
  search: searchSchema.optional(),
  limited: limitedSchema.optional(),
})
export type UpdateProject = z.output<typeof updateProjectSchema>

/** POST /projects. */
export const createProjectSchema = updateProjectSchema.extend({ name: nameSchema })
export type CreateProject = z.output<typeof createProjectSchema>

/** GET /projects: sorted by name. */
export const projectsResponseSchema = z.object({ projects: z.array(projectSchema), next_cursor: z.string().nullable() })
export type ProjectsResponse = z.output<typeof projectsResponseSchema>
export type ProjectsResponseJson = z.input<typeof projectsResponseSchema>
