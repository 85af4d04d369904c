import { z } from 'zod'
import { codedSentenceSchema } from './sentences.ts'
import { idSchema, pageQuerySchema, timestampSchema } from './timestamp.ts'
import { importFileSources, importSources, importStates } from './words/imports.ts'

/** One thing that could not be brought. */
export const importFailureSchema = z.object({
  /** What it is called where it comes from. */
  name: z.string(),
  /** A sentence for a person. */
  reason: z.string(),
  /** The same in machine words. */
  told: z.array(codedSentenceSchema),
})
export type ImportFailure = z.infer<typeof importFailureSchema>

/** Things that a person brings from another program. */
export const importSchema = z.object({
  id: idSchema,
  source: z.enum(importSources),
  /** What the file is called. */
  name: z.string(),
  state: z.enum(importStates),
  /** Whether it only counts; POST /imports/{id}/start brings what was counted. */
  preview: z.boolean(),
  /** How many conversations, or files, there are. */
  found: z.number().int(),
  imported: z.number().int(),
  /** Those that are there already. */
  skipped: z.number().int(),
  /** What could not be brought, at most 100 of them. */
  failed: z.array(importFailureSchema),
  /** Why all of it failed, for a person. */
  error: z.string().nullable(),
  /** The same in machine words. */
  told: z.array(codedSentenceSchema),
  created_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
})
export type Import = z.output<typeof importSchema>
export type ImportJson = z.input<typeof importSchema>

/** POST /imports: the fields beside `file`. */
export const importFieldsSchema = z.object({
  source: z.enum(importFileSources, { error: 'Say where the file comes from.' }),
  preview: z.stringbool().default(false),
})

/** GET /imports: newest first. */
export const importsQuerySchema = pageQuerySchema
export const importsAnswerSchema = z.object({ imports: z.array(importSchema), next_cursor: z.string().nullable() })
export type ImportsAnswer = z.output<typeof importsAnswerSchema>
export type ImportsAnswerJson = z.input<typeof importsAnswerSchema>
