import { z } from 'zod'
import { importFileSources } from './constants/imports.ts'
import { mediaItemSchema } from './media.ts'
import { timestampSchema } from './timestamp.ts'

/** Metadata from the sender (Upload-Metadata); unknown names are ignored. */
export const partialUploadFieldsSchema = z.object({
  filename: z.string().max(1000).default(''),
  fingerprint: z.string().max(300).default(''),
  generate_caption: z.stringbool().default(true),
  extract_text: z.stringbool().default(true),
  keep_place: z.stringbool().default(false),
  /** Program that exported the file: it becomes an import instead of an item. */
  import_source: z.enum(importFileSources).optional(),
  /** Only count the import's contents. */
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
  /** So many have arrived. */
  offset_bytes: z.number().int(),
  created_at: timestampSchema,
  expires_at: timestampSchema,
})
export type PartialUpload = z.infer<typeof partialUploadSchema>
export type PartialUploadJson = z.input<typeof partialUploadSchema>

/** The files of a person that are not whole yet, the newest first. */
export const partialUploadsSchema = z.object({ uploads: z.array(partialUploadSchema) })
export type PartialUploads = z.infer<typeof partialUploadsSchema>
export type PartialUploadsJson = z.input<typeof partialUploadsSchema>

/** A partial upload and the item, or import, that it became; null while bytes are missing. */
export const partialUploadStateSchema = partialUploadSchema.extend({
  media_item: mediaItemSchema.nullable(),
  /** The import that it became (GET /imports/{id}). */
  import_id: z.uuid().nullable(),
  /** True when the same content was there before this upload began. */
  is_duplicate: z.boolean(),
})
export type PartialUploadState = z.infer<typeof partialUploadStateSchema>
export type PartialUploadStateJson = z.input<typeof partialUploadStateSchema>
