import { z } from 'zod'
import { idSchema, timestampSchema } from './timestamp.ts'

export const mediaTypes = ['image', 'video', 'audio', 'document'] as const
export const mediaTypeSchema = z.enum(mediaTypes)
export type MediaType = z.infer<typeof mediaTypeSchema>

export const processingStatusSchema = z.enum(['pending', 'processing', 'completed', 'failed'])
export type ProcessingStatus = z.infer<typeof processingStatusSchema>

/** Something that a person has shown to the assistant. Addresses of files are signed paths; they end with the day. */
export const mediaItemSchema = z.object({
  id: z.uuid(),
  media_type: mediaTypeSchema,
  /** The text of a document; null when there is none, or none yet. */
  content: z.string().nullable(),
  caption: z.string().nullable(),
  extracted_text: z.string().nullable(),
  transcription: z.string().nullable(),
  thumbnail: z.string().nullable(),
  url: z.string(),
  /** What every browser can show or play. */
  preview_url: z.string().nullable(),
  /** Seconds. */
  duration: z.number().nullable(),
  /** When it was taken, else when it was added. */
  timestamp: timestampSchema,
  frames_count: z.number().int(),
  metadata: z.object({
    original_filename: z.string(),
    content_type: z.string(),
    size_bytes: z.number().int(),
    sha256: z.string(),
    width: z.number().int().nullable(),
    height: z.number().int().nullable(),
    pages: z.number().int().nullable(),
    taken_at: timestampSchema.nullable(),
  }),
  thumbhash: z.string().nullable(),
  tags: z.array(z.string()),
  /** What made each result, by step. */
  engines: z.record(z.string(), z.object({ engine: z.string(), model: z.string() })),
  processing_status: processingStatusSchema,
  processing_steps: z.array(
    z.object({
      name: z.string(),
      status: processingStatusSchema,
      /** 0 to 1. */
      progress: z.number(),
      engine: z.string().nullable(),
      error: z.string().nullable(),
    }),
  ),
  /** Why processing failed, for a person; null when it did not. */
  error: z.string().nullable(),
})
export type MediaItem = z.output<typeof mediaItemSchema>
export type MediaItemJson = z.input<typeof mediaItemSchema>

/** How large a picture is wanted: as it was given, for a screen (what every browser shows), or for a list. */
export const pictureSizeSchema = z.enum(['original', 'preview', 'thumbnail'])
export type PictureSize = z.infer<typeof pictureSizeSchema>

/** Query of every file that opens with a signed path: the signature stands at its end. */
export const signedFileQuerySchema = z.object({ signature: z.string().max(200).optional() })

/** GET /chat/messages/{id}/images/{n}. */
export const messagePictureQuerySchema = signedFileQuerySchema.extend({ size: pictureSizeSchema.default('original') })
/** `n` counts from 0, as the message's `images` do. */
export const messagePictureParamsSchema = z.object({ id: idSchema, n: z.coerce.number().int().min(0).max(99) })

/** GET /media/stats: the caller's own totals. */
export const mediaStatsSchema = z.object({
  total_items: z.number().int(),
  by_type: z.object({
    image: z.number().int(),
    video: z.number().int(),
    audio: z.number().int(),
    document: z.number().int(),
  }),
  total_bytes: z.number().int(),
  processing: z.number().int(),
  failed: z.number().int(),
})
export type MediaStats = z.infer<typeof mediaStatsSchema>
