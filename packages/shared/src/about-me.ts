import { z } from 'zod'
import { FACT_MAX_CHARACTERS, FACT_SOURCE_MAX_CHARACTERS, INSTRUCTIONS_MAX_CHARACTERS } from './constants/limits.ts'
import { pageQuerySchema, timestampSchema } from './timestamp.ts'

const wordsSchema = z
  .string()
  .trim()
  .max(INSTRUCTIONS_MAX_CHARACTERS, { error: `Write at most ${INSTRUCTIONS_MAX_CHARACTERS} characters.` })

/** GET and PATCH /me/instructions: what holds in every conversation of a person. */
export const instructionsSchema = z.object({
  /** Facts about the user for the assistant; empty for none. */
  about_me: z.string(),
  /** Wishes for style and form of answers; empty for none. */
  how_to_answer: z.string(),
  /** Use remembered facts in conversations and propose new ones. */
  uses_facts: z.boolean(),
})
export type Instructions = z.infer<typeof instructionsSchema>

/** A partial update: missing fields stay unchanged. */
export const updateInstructionsSchema = z.strictObject({
  about_me: wordsSchema.optional(),
  how_to_answer: wordsSchema.optional(),
  uses_facts: z.boolean().optional(),
})
export type UpdateInstructions = z.infer<typeof updateInstructionsSchema>

/** Origins that the server itself records; a program may add a source in its own words. */
export const factSources = ['person', 'chat'] as const

/** A remembered statement of a person about themselves. */
export const factSchema = z.object({
  id: z.uuid(),
  text: z.string(),
  /** person: they wrote it down; chat: they allowed it in a conversation; else what the program that added it says. */
  source: z.string(),
  /** The conversation in which it was kept; null when there is none, or it was deleted since. */
  session: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
})
export type Fact = z.output<typeof factSchema>
export type FactJson = z.input<typeof factSchema>

export const factTextSchema = z
  .string()
  .trim()
  .min(1, { error: 'Write what is to be remembered.' })
  .max(FACT_MAX_CHARACTERS, { error: `Write at most ${FACT_MAX_CHARACTERS} characters.` })
const factSourceSchema = z.string().trim().min(1).max(FACT_SOURCE_MAX_CHARACTERS)

/** POST /me/facts. */
export const createFactSchema = z.strictObject({ text: factTextSchema, source: factSourceSchema.default('person') })
export type CreateFact = z.output<typeof createFactSchema>

/** PATCH /me/facts/{id}: what is left out stays. */
export const updateFactSchema = z.strictObject({
  text: factTextSchema.optional(),
  source: factSourceSchema.optional(),
})
export type UpdateFact = z.output<typeof updateFactSchema>

/** GET /me/facts: the newest first. */
export const factsQuerySchema = pageQuerySchema.extend({
  /** A part of the text. */
  query: z.string().trim().max(FACT_MAX_CHARACTERS).optional(),
})
export type FactsQuery = z.output<typeof factsQuerySchema>
export const factsResponseSchema = z.object({
  facts: z.array(factSchema),
  next_cursor: z.string().nullable(),
  /** Number of matches on all pages. */
  total: z.number().int(),
})
export type FactsResponse = z.output<typeof factsResponseSchema>
export type FactsResponseJson = z.input<typeof factsResponseSchema>
