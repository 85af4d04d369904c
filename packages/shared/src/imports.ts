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
  /** Name at the source. */
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
  /** File name, or address of the server. */
  name: z.string(),
  state: z.enum(importStates),
  /** True for a count only; POST /imports/{id}/start then imports what was counted. */
  preview: z.boolean(),
  /** True when a refused import still has its file, which can be counted as another program's. */
  has_file: z.boolean(),
  /** Bytes read while the whole file has to be read first; null at other times. */
  reading: z.object({ bytes: z.number().int(), of_bytes: z.number().int() }).nullable(),
  /** Number of conversations or files in the source. */
  found: z.number().int(),
  /** Total size and the range of capture times, where known; null for conversations. */
  size_bytes: z.number().int().nullable(),
  earliest_at: timestampSchema.nullable(),
  latest_at: timestampSchema.nullable(),
  imported: z.number().int(),
  /** Imported conversations that search doesn't find yet. */
  unsearched: z.number().int(),
  /** Number of entries that already exist. */
  skipped: z.number().int(),
  /** Number of existing items that gained a missing date, place, description, albums or favourites tag. */
  completed: z.number().int(),
  /** Failed entries, at most 100. */
  failed: z.array(importFailureSchema),
  /** Reason why the whole import failed or is waiting, shown to the user. */
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
export const importsResponseSchema = z.object({ imports: z.array(importSchema), next_cursor: z.string().nullable() })
export type ImportsResponse = z.output<typeof importsResponseSchema>
export type ImportsResponseJson = z.input<typeof importsResponseSchema>
