import { z } from 'zod'
import { codedSentenceSchema } from './sentences.ts'
import { idSchema, pageQuerySchema, timestampSchema } from './timestamp.ts'

/** State of a file in a watched folder: copied, failed, or gone from its source. */
export const watchedFileStateSchema = z.enum(['kept', 'failed', 'gone'])

/** A folder of the server whose files are copied into a person's memory. */
export const watchedFolderSchema = z.object({
  id: idSchema,
  path: z.string(),
  user_id: idSchema,
  username: z.string(),
  enabled: z.boolean(),
  scanning: z.boolean(),
  /** Time of the last complete scan. */
  scanned_at: timestampSchema.nullable(),
  /** Files that are there and were copied in, that could not be, and that are gone there. */
  kept: z.number().int(),
  failed: z.number().int(),
  gone: z.number().int(),
  /** Files seen by the current scan, else by the last one. */
  seen: z.number().int(),
  /** Reason for a failed scan; null when it succeeded. */
  problem: z.string().nullable(),
  problem_told: z.array(codedSentenceSchema).optional(),
})
export type WatchedFolder = z.output<typeof watchedFolderSchema>
export type WatchedFolderJson = z.input<typeof watchedFolderSchema>

/** GET /admin/watched-folders. */
export const watchedFoldersResponseSchema = z.object({
  /** Below which folders may be watched (WATCHED_FOLDERS_ROOT); null where none may. */
  root: z.string().nullable(),
  folders: z.array(watchedFolderSchema),
})
export type WatchedFoldersResponse = z.output<typeof watchedFoldersResponseSchema>
export type WatchedFoldersResponseJson = z.input<typeof watchedFoldersResponseSchema>

/** POST /admin/watched-folders. */
export const newWatchedFolderSchema = z.strictObject({
  path: z.string().trim().min(1, { error: 'Give the folder.' }).max(1000),
  user_id: idSchema,
  enabled: z.boolean().default(true),
})
export type NewWatchedFolder = z.output<typeof newWatchedFolderSchema>
export type NewWatchedFolderJson = z.input<typeof newWatchedFolderSchema>

/** PATCH /admin/watched-folders/{id}. */
export const updateWatchedFolderSchema = z.strictObject({ enabled: z.boolean() })

/** GET /admin/watched-folders/{id}/files. */
export const watchedFilesQuerySchema = pageQuerySchema.extend({ state: watchedFileStateSchema.optional() })
export const watchedFileSchema = z.object({
  id: idSchema,
  /** Below the folder. */
  path: z.string(),
  state: watchedFileStateSchema,
  /** The item that it became; null when it became none, or was deleted since. */
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
