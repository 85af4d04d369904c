import { z } from 'zod'
import {
  IMPORT_KEY_MAX_CHARACTERS,
  IMPORT_URL_MAX_CHARACTERS,
  importFileSources,
  importSources,
  importStates,
  serverImportSources,
} from './constants/imports.ts'
import { codedSentenceSchema } from './sentences.ts'
import { idSchema, pageQuerySchema, timestampSchema } from './timestamp.ts'

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
  /** What the file is called, or the address of the server. */
  name: z.string(),
  state: z.enum(importStates),
  /** Whether it only counts; POST /imports/{id}/start brings what was counted. */
  preview: z.boolean(),
  /** Whether the file of one that was refused is still there, to be counted as that of another program. */
  has_file: z.boolean(),
  /** How much of its file was read, while that has to be read whole first; null at other times. */
  reading: z.object({ bytes: z.number().int(), of_bytes: z.number().int() }).nullable(),
  /** How many conversations, or files, there are. */
  found: z.number().int(),
  /** How large all of them are, and when the first and the last of them were taken, as far as it is told; null for conversations. */
  size_bytes: z.number().int().nullable(),
  earliest_at: timestampSchema.nullable(),
  latest_at: timestampSchema.nullable(),
  imported: z.number().int(),
  /** Of the conversations that were brought, how many the search does not find yet. */
  unsearched: z.number().int(),
  /** Those that are there already. */
  skipped: z.number().int(),
  /** How many items that were there already got a date, a place, a description, albums or a favourite’s tag that was missing. */
  completed: z.number().int(),
  /** What could not be brought, at most 100 of them. */
  failed: z.array(importFailureSchema),
  /** Why all of it failed, or, while it runs, what it waits for; for a person. */
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

/** POST /imports/{id}/source */
export const importSourceSchema = z.object({
  source: z.enum(importFileSources, { error: 'Say where the file comes from.' }),
})

/** POST /imports as JSON: a server is asked for what it keeps. The key is kept encrypted until the import is over. */
export const importServerSchema = z.object({
  source: z.enum(serverImportSources, { error: 'Say where it comes from.' }),
  url: z
    .string()
    .trim()
    .max(IMPORT_URL_MAX_CHARACTERS)
    .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), {
      error: 'Give the address of the server, with https:// or http://.',
    }),
  key: z.string().trim().min(1, 'Give the key.').max(IMPORT_KEY_MAX_CHARACTERS),
  preview: z.boolean().default(false),
})
export type ImportServer = z.output<typeof importServerSchema>
export type ImportServerJson = z.input<typeof importServerSchema>

/** DELETE /imports/{id} */
export const removeImportQuerySchema = z.object({
  /** Seconds to wait until all that it brought is deleted; as long as it takes when nothing is said. */
  wait: z.coerce.number().min(0).optional(),
})

/** GET /imports: newest first. */
export const importsQuerySchema = pageQuerySchema
export const importsAnswerSchema = z.object({ imports: z.array(importSchema), next_cursor: z.string().nullable() })
export type ImportsAnswer = z.output<typeof importsAnswerSchema>
export type ImportsAnswerJson = z.input<typeof importsAnswerSchema>
