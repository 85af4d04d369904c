import { z } from 'zod'
import { NOTE_MAX_CHARACTERS, NOTE_TITLE_MAX_CHARACTERS, PAGE_URL_MAX_CHARACTERS } from './constants/limits.ts'
import {
  IMPORT_KEY_MAX_CHARACTERS,
  IMPORT_URL_MAX_CHARACTERS,
  importFileSources,
  importSources,
  importStates,
  serverImportSources,
} from './constants/media.ts'
import { idSchema, pageQuerySchema } from './ids-and-pages.ts'
import { mediaItemSchema } from './media.ts'
import { codedSentenceSchema } from './sentences.ts'
import { timestampSchema } from './timestamp.ts'

/** An entry that could not be imported. */
export const importFailureSchema = z.object({
  /** Name of the entry in the program or server that it comes from. */
  name: z.string(),
  /** Reason shown to the user. */
  reason: z.string(),
  /** The reason as codes with parameters, for translation. */
  told: z.array(codedSentenceSchema),
})
export type ImportFailure = z.infer<typeof importFailureSchema>

/** An import from another program. */
export const importSchema = z.object({
  id: idSchema,
  source: z.enum(importSources),
  /** File name, or address of the server. */
  name: z.string(),
  state: z.enum(importStates),
  /** True when the entries have only been counted; POST /imports/{id}/start then imports them. */
  preview: z.boolean(),
  /** True when a refused import still has its file, which can be read as another program's export. */
  has_file: z.boolean(),
  /** Progress of the initial pass over the whole file; null at other times. */
  reading: z.object({ bytes: z.number().int(), of_bytes: z.number().int() }).nullable(),
  /** Number of conversations or files in the source. */
  found: z.number().int(),
  /** Total size and range of capture times, if known; null for an import of conversations. */
  size_bytes: z.number().int().nullable(),
  earliest_at: timestampSchema.nullable(),
  latest_at: timestampSchema.nullable(),
  imported: z.number().int(),
  /** Number of imported conversations that searches don't find yet. */
  unsearched: z.number().int(),
  /** Number of entries that already exist. */
  skipped: z.number().int(),
  /** Number of existing items that gained a missing date, place, description, albums or favourites tag. */
  completed: z.number().int(),
  /** Failed entries, at most 100. */
  failed: z.array(importFailureSchema),
  /** Reason why the whole import failed or is waiting, shown to the user. */
  error: z.string().nullable(),
  /** `error` as codes with parameters, for translation. */
  told: z.array(codedSentenceSchema),
  created_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
})
export type Import = z.output<typeof importSchema>
export type ImportJson = z.input<typeof importSchema>

/** POST /imports: form fields besides `file`. */
export const importFieldsSchema = z.object({
  source: z.enum(importFileSources, { error: 'Say where the file comes from.' }),
  preview: z.stringbool().default(false),
})

/** POST /imports/{id}/source */
export const importSourceSchema = z.object({
  source: z.enum(importFileSources, { error: 'Say where the file comes from.' }),
})

/** POST /imports as JSON: imports from a server. The key is stored encrypted until the import ends. */
export const importServerSchema = z.object({
  source: z.enum(serverImportSources, { error: 'Say where it comes from.' }),
  url: z
    .string()
    .trim()
    .max(IMPORT_URL_MAX_CHARACTERS)
    .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), {
      error: 'Enter the address of the server, with https:// or http://.',
    }),
  key: z.string().trim().min(1, 'Enter the key.').max(IMPORT_KEY_MAX_CHARACTERS),
  preview: z.boolean().default(false),
})
export type ImportServer = z.output<typeof importServerSchema>

/** DELETE /imports/{id} */
export const removeImportQuerySchema = z.object({
  /** Maximum seconds to wait until everything imported is deleted; unlimited by default. */
  wait: z.coerce.number().min(0).optional(),
})

/** GET /imports: newest first. */
export const importsQuerySchema = pageQuerySchema
export const importsResponseSchema = z.object({ imports: z.array(importSchema), next_cursor: z.string().nullable() })
export type ImportsResponse = z.output<typeof importsResponseSchema>

const titleSchema = z
  .string()
  .trim()
  .min(1, { error: 'Give the note a title.' })
  .max(NOTE_TITLE_MAX_CHARACTERS, { error: `Use at most ${NOTE_TITLE_MAX_CHARACTERS} characters.` })
const textSchema = z
  .string()
  .max(NOTE_MAX_CHARACTERS, { error: `Use at most ${NOTE_MAX_CHARACTERS} characters.` })
  .refine((text) => text.trim() !== '', { error: 'Write something.' })

/** POST /notes: `text` is Markdown. */
export const createNoteSchema = z.strictObject({ title: titleSchema, text: textSchema })
export type CreateNote = z.output<typeof createNoteSchema>

/**
 * PATCH /notes/{id}: omitted fields stay. With `based_on`, the `sha256` of the version that was read, the request is
 * refused if the note has changed since then.
 */
export const noteChangesSchema = z.strictObject({
  title: titleSchema.optional(),
  text: textSchema.optional(),
  based_on: z.string().optional(),
})
export type NoteChanges = z.output<typeof noteChangesSchema>

/** GET /notes/{id}: a note as it was written. */
export const noteSchema = z.object({
  id: z.uuid(),
  title: z.string(),
  text: z.string(),
  sha256: z.string(),
  updated_at: timestampSchema,
})
export type Note = z.output<typeof noteSchema>
export type NoteJson = z.input<typeof noteSchema>

/** State of a file in a watched folder: copied, failed, or gone from its source. */
export const watchedFileStateSchema = z.enum(['kept', 'failed', 'gone'])

/** A folder of the server whose files are copied into a user's library. */
export const watchedFolderSchema = z.object({
  id: idSchema,
  path: z.string(),
  user_id: idSchema,
  username: z.string(),
  enabled: z.boolean(),
  scanning: z.boolean(),
  /** Time of the last complete scan. */
  scanned_at: timestampSchema.nullable(),
  /** Number of files by state: copied, failed, and gone from the folder. */
  kept: z.number().int(),
  failed: z.number().int(),
  gone: z.number().int(),
  /** Number of files seen by the current scan, or by the last one when none is running. */
  seen: z.number().int(),
  /** Reason for a failed scan; null when it succeeded. */
  problem: z.string().nullable(),
  problem_told: z.array(codedSentenceSchema).optional(),
})
export type WatchedFolder = z.output<typeof watchedFolderSchema>
export type WatchedFolderJson = z.input<typeof watchedFolderSchema>

/** GET /admin/watched-folders. */
export const watchedFoldersResponseSchema = z.object({
  /** Folder below which folders may be watched (WATCHED_FOLDERS_ROOT); null when unset. */
  root: z.string().nullable(),
  folders: z.array(watchedFolderSchema),
})
export type WatchedFoldersResponse = z.output<typeof watchedFoldersResponseSchema>

/** POST /admin/watched-folders. */
export const newWatchedFolderSchema = z.strictObject({
  path: z.string().trim().min(1, { error: 'Enter the folder.' }).max(1000),
  user_id: idSchema,
  enabled: z.boolean().default(true),
})
export type NewWatchedFolder = z.output<typeof newWatchedFolderSchema>

/** PATCH /admin/watched-folders/{id}. */
export const updateWatchedFolderSchema = z.strictObject({ enabled: z.boolean() })

/** GET /admin/watched-folders/{id}/files. */
export const watchedFilesQuerySchema = pageQuerySchema.extend({ state: watchedFileStateSchema.optional() })
export const watchedFileSchema = z.object({
  id: idSchema,
  /** Path of the file, relative to the folder. */
  path: z.string(),
  state: watchedFileStateSchema,
  /** Item made from the file; null when there is none or it was deleted. */
  media_id: idSchema.nullable(),
  /** Reason why the file couldn't be copied. */
  problem: z.string().nullable(),
  gone_at: timestampSchema.nullable(),
})
export const watchedFilesResponseSchema = z.object({
  files: z.array(watchedFileSchema),
  next_cursor: z.string().nullable(),
})
export type WatchedFilesResponse = z.output<typeof watchedFilesResponseSchema>
export type WatchedFilesResponseJson = z.input<typeof watchedFilesResponseSchema>

/** Upload-Metadata of tus; unknown names are ignored. */
export const partialUploadFieldsSchema = z.object({
  filename: z.string().max(1000).default(''),
  fingerprint: z.string().max(300).default(''),
  generate_caption: z.stringbool().default(true),
  extract_text: z.stringbool().default(true),
  keep_place: z.stringbool().default(false),
  /** Program that exported the file, which then becomes an import instead of an item. */
  import_source: z.enum(importFileSources).optional(),
  /** Only count the entries of the import. */
  import_preview: z.stringbool().default(false),
})

/** A large file that arrives in parts (tus 1.0). */
export const partialUploadSchema = z.object({
  id: z.uuid(),
  original_filename: z.string(),
  /** Fingerprint from the sender; empty when it sent none. */
  fingerprint: z.string(),
  /** Source of the file when it becomes an import. */
  import_source: z.enum(importFileSources).nullable(),
  size_bytes: z.number().int(),
  /** Bytes received. */
  offset_bytes: z.number().int(),
  created_at: timestampSchema,
  expires_at: timestampSchema,
})
export type PartialUpload = z.infer<typeof partialUploadSchema>

/** The user's unfinished uploads, newest first. */
export const partialUploadsSchema = z.object({ uploads: z.array(partialUploadSchema) })
export type PartialUploads = z.infer<typeof partialUploadsSchema>

/** A partial upload, with its resulting item or import; both null while bytes are missing. */
export const partialUploadStateSchema = partialUploadSchema.extend({
  media_item: mediaItemSchema.nullable(),
  /** The resulting import (GET /imports/{id}). */
  import_id: z.uuid().nullable(),
  /** True when the same content was uploaded before. */
  is_duplicate: z.boolean(),
})
export type PartialUploadState = z.infer<typeof partialUploadStateSchema>
export type PartialUploadStateJson = z.input<typeof partialUploadStateSchema>

/** POST /pages: saves a web page. */
export const createPageSchema = z.strictObject({
  url: z
    .string()
    .trim()
    .min(1, { error: 'Enter the address of a page.' })
    .max(PAGE_URL_MAX_CHARACTERS, { error: `Use at most ${PAGE_URL_MAX_CHARACTERS} characters.` }),
  /** Fetch the page again, even if it was saved before, since pages change. */
  again: z.boolean().default(false),
  /** Seconds to wait for processing before responding. */
  wait: z.number().min(0).max(60).default(15),
})
export type CreatePage = z.output<typeof createPageSchema>
