import { z } from 'zod'
import { ARCHIVE_MAX_ITEMS, LIBRARY_QUERY_MAX_CHARACTERS, TAG_MAX_CHARACTERS } from './constants/limits.ts'
import {
  correctedFacts,
  mediaSorts,
  mediaSourceKinds,
  mediaTypes,
  pictureSizes,
  processingStatuses,
  processingSteps,
} from './constants/media.ts'
import { cursorSchema, idSchema } from './ids-and-pages.ts'
import { itemCorrectionsShape, requirePlace, shiftSecondsSchema } from './item-corrections.ts'
import { codedSentenceSchema } from './sentences.ts'
import { timestampSchema } from './timestamp.ts'

export const mediaTypeSchema = z.enum(mediaTypes)

export const processingStatusSchema = z.enum(processingStatuses)

export const processingStepNameSchema = z.enum(processingSteps)

export const processingStepSchema = z.object({
  name: processingStepNameSchema,
  /** skipped: there was no engine, nothing to do, or the step wasn't requested; `error` says which. */
  status: z.enum(['pending', 'processing', 'completed', 'skipped', 'failed']),
  /** 0 to 1. */
  progress: z.number(),
  engine: z.string().nullable(),
  /** Reason for a failure, skip or retry, or the omissions of a completed step; shown to the user. */
  error: z.string().nullable(),
  /** `error` as codes with parameters, for translation; omitted for text without codes. */
  error_told: z.array(codedSentenceSchema).optional(),
})
export type ProcessingStep = z.infer<typeof processingStepSchema>

/** A photo, video, recording or document that the user added. URLs of files are signed paths, valid until the end of the day. */
export const mediaItemSchema = z.object({
  id: z.uuid(),
  media_type: mediaTypeSchema,
  /** Text of a document; null when there's none, or not yet. In lists, this and the other texts are cut to 500 characters. */
  content: z.string().nullable(),
  caption: z.string().nullable(),
  extracted_text: z.string().nullable(),
  transcription: z.string().nullable(),
  thumbnail: z.string().nullable(),
  url: z.string(),
  /** URL of a version that every browser shows or plays. */
  preview_url: z.string().nullable(),
  /** Video of a live photo; omitted for none. */
  motion: z
    .object({
      /** URL of a version that every browser plays. */
      url: z.string(),
      /** The original video, if it was a separate file; otherwise null. */
      film_url: z.string().nullable(),
    })
    .optional(),
  /** Seconds. */
  duration: z.number().nullable(),
  /** Capture time; upload time if that is unknown. */
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
    /** Capture time; without a known time zone, local time as if it were UTC. */
    taken_at: timestampSchema.nullable(),
    /** Local time at the place, such as 2024-07-14T09:28:00; never shifted. */
    taken_local: z.string().nullable(),
    camera: z.string().nullable(),
    /** Location in degrees; null when unknown, or when the user doesn't keep locations. */
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    /** Facts set by the user rather than read from the file; `place` is latitude and longitude. */
    corrected: z.array(z.enum(correctedFacts)),
    created_at: timestampSchema,
    /** Origin of an item that wasn't uploaded: a note written in Mira, or a web page with its URL. */
    source: z
      .object({ kind: z.enum(mediaSourceKinds), url: z.string().nullable(), title: z.string().nullable() })
      .nullable(),
    /** Additional metadata of the file: codecs, artist and title, encoding, … */
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  }),
  /** ThumbHash of the picture, in base64. */
  thumbhash: z.string().nullable(),
  /** Loudness of a recording: in lists, 48 levels from 0 to 1. */
  waveform: z.array(z.number()).optional(),
  tags: z.array(z.string()),
  /** Engine and model behind each result, by step. */
  engines: z.partialRecord(processingStepNameSchema, z.object({ engine: z.string(), model: z.string().nullable() })),
  /** Time it was trashed and time of permanent deletion; omitted outside the trash. */
  trash: z.object({ since: timestampSchema, until: timestampSchema }).optional(),
  processing_status: processingStatusSchema,
  processing_steps: z.array(processingStepSchema),
  /**
   * Position among the user's waiting items, from 1; omitted for items that don't wait, and beyond position 1000. Other
   * users' items don't count: the server takes turns between users.
   */
  queue_position: z.number().int().positive().optional(),
  /** Reason for the failure, shown to the user; null when there was none. */
  error: z.string().nullable(),
  /** `error` as codes with parameters, for translation; omitted for text without codes. */
  error_told: z.array(codedSentenceSchema).optional(),
})
export type MediaItem = z.output<typeof mediaItemSchema>
export type MediaItemJson = z.input<typeof mediaItemSchema>

/** [x, y, width, height], each 0 to 1, relative to the upright picture. */
export const boxSchema = z.tuple([z.number(), z.number(), z.number(), z.number()])
export type Box = z.infer<typeof boxSchema>
export const readWordSchema = z.object({
  text: z.string(),
  box: boxSchema,
  /** 0 to 1. */
  confidence: z.number().nullable(),
})
export type ReadWord = z.infer<typeof readWordSchema>

/** True when a user wrote or corrected the text, so that no engine overwrites it. */
const isLockedSchema = z.boolean()

/** GET /media/{id}: an item with everything found in it. */
export const mediaDetailSchema = mediaItemSchema.extend({
  segments: z.array(
    z.object({ id: z.uuid(), start: z.number(), end: z.number(), text: z.string(), is_locked: isLockedSchema }),
  ),
  frames: z.array(
    z.object({
      frame_number: z.number().int(),
      timestamp_seconds: z.number(),
      thumbnail: z.string(),
      caption: z.string().nullable(),
      extracted_text: z.string().nullable(),
    }),
  ),
  /** Chapters of a long video or recording, in order and without gaps; empty when it is short or has little text. */
  chapters: z.array(
    z.object({
      start: z.number(),
      end: z.number(),
      /** Text of a moment, or its beginning. */
      title: z.string(),
      /** Source of the moment: speech, text on screen, or the caption of a frame. */
      from: z.enum(['speech', 'text', 'caption']),
      /** Frame that shows the chapter; null for none. */
      frame_number: z.number().int().nullable(),
    }),
  ),
  pages: z.array(
    z.object({
      page: z.number().int(),
      /** Title of a sheet, slide, chapter or message; null for none. */
      title: z.string().nullable(),
      text: z.string(),
      thumbnail: z.string().nullable(),
      /** Size of the thumbnail's picture in pixels; null for none. */
      width: z.number().int().nullable(),
      height: z.number().int().nullable(),
      is_locked: isLockedSchema,
    }),
  ),
  /** Words recognised in a picture, with their boxes. */
  words: z.array(readWordSchema),
  /** Loudness of a recording from start to end, each 0 to 1; empty when unknown. */
  waveform: z.array(z.number()),
  /** Texts of the whole item that a user wrote or corrected. */
  locked: z.array(z.enum(['caption', 'extracted_text'])),
  /** The user's own tags that the trained suggester would add, most likely first. */
  suggested_tags: z.array(z.string()),
  /** Time when the file was found missing from its watched folder; null when it exists or wasn't added from one. */
  source_gone_at: timestampSchema.nullable(),
  /** Number of moments by engine. */
  moments_by_engine: z.record(z.string(), z.number().int()),
})
export type MediaDetail = z.output<typeof mediaDetailSchema>
export type MediaDetailJson = z.input<typeof mediaDetailSchema>

export const mediaSortSchema = z.enum(mediaSorts)

const tagSchema = z.string().trim().normalize('NFC').min(1).max(TAG_MAX_CHARACTERS)

/** GET /media/library. */
export const libraryQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: cursorSchema,
  /** Defaults to `library`; in the trash, `query` searches names only. */
  in: z.enum(['library', 'trash']).optional(),
  media_type: mediaTypeSchema.optional(),
  /** Words in names, captions, texts and tags. */
  query: z.string().trim().normalize('NFC').max(LIBRARY_QUERY_MAX_CHARACTERS).optional(),
  /** newest and oldest sort by local capture time, or by when the item was added if that is unknown. */
  sort: mediaSortSchema.default('newest'),
  tag: tagSchema.optional(),
  status: processingStatusSchema.optional(),
})
export type LibraryQuery = z.output<typeof libraryQuerySchema>

export const librarySchema = z.object({
  media_items: z.array(mediaItemSchema),
  next_cursor: z.string().nullable(),
  /** Number of items on all pages. */
  total: z.number().int(),
})
export type Library = z.output<typeof librarySchema>
export type LibraryJson = z.input<typeof librarySchema>

/** GET /media/tags: the caller's tags, most used first. */
export const mediaTagsSchema = z.object({ tags: z.array(z.object({ tag: z.string(), count: z.number().int() })) })

/** PATCH /media/{id}: values are kept as the user's own; null removes a correction, so that engines may write the value again. */
export const mediaChangesSchema = z
  .strictObject({
    ...itemCorrectionsShape,
    caption: z.string().trim().max(10_000).nullable().optional(),
    tags: z.array(tagSchema).max(100).optional(),
    extracted_text: z.string().max(1_000_000).nullable().optional(),
    segments: z
      .array(z.object({ id: z.uuid(), text: z.string().trim().min(1).max(10_000).nullable() }))
      .max(5000)
      .optional(),
    pages: z
      .array(z.object({ page: z.number().int().min(1), text: z.string().max(200_000).nullable() }))
      .max(2000)
      .optional(),
  })
  .superRefine(requirePlace)
export type MediaChanges = z.output<typeof mediaChangesSchema>

const idsSchema = z.array(idSchema).min(1).max(1000)
export const mediaIdsSchema = z.strictObject({ ids: idsSchema })
/** POST /media/delete: with `in`, items that were restored meanwhile stay. */
export const deleteMediaSchema = mediaIdsSchema.extend({ in: z.literal('trash').optional() })
/** POST /media/archive: items to download as one ZIP archive. */
export const mediaArchiveRequestSchema = z.strictObject({ ids: z.array(idSchema).min(1).max(ARCHIVE_MAX_ITEMS) })
/** Download link of an archive, valid for a few minutes. */
export const mediaArchiveSchema = z.object({
  /** A signed path. */
  url: z.string(),
  /** Number of items in the archive. */
  items: z.number().int(),
  size_bytes: z.number(),
  expires_at: timestampSchema,
})
export type MediaArchive = z.output<typeof mediaArchiveSchema>
export type MediaArchiveJson = z.input<typeof mediaArchiveSchema>
/** POST /media/tags. */
export const mediaTagChangesSchema = z.strictObject({
  ids: idsSchema,
  add: z.array(tagSchema).max(20).default([]),
  remove: z.array(tagSchema).max(20).default([]),
})
/** POST /media/changes: corrections of several items. */
export const manyMediaChangesSchema = z
  .strictObject({
    ids: idsSchema,
    ...itemCorrectionsShape,
    /** Seconds to add to the date of each item; items without a date are skipped. */
    shift_seconds: shiftSecondsSchema.optional(),
    /** Replaces all tags. */
    tags: z.array(tagSchema).max(100).optional(),
  })
  .superRefine(requirePlace)
  .refine(({ ids: _ids, ...changes }) => Object.keys(changes).length > 0, { error: 'Say what to change.' })
  .refine(({ taken_at, shift_seconds }) => taken_at === undefined || shift_seconds === undefined, {
    error: 'Either set a date or move it.',
    path: ['shift_seconds'],
  })
export type ManyMediaChanges = z.output<typeof manyMediaChangesSchema>
/** POST /media/known: hashes of files to be uploaded, as 64 hexadecimal digits. */
export const knownHashesRequestSchema = z.strictObject({
  sha256: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, { error: 'A hash is 64 hexadecimal digits in lower case.' }))
    .min(1)
    .max(1000),
})
/** Hashes for which the caller already has an item. */
export const knownHashesResponseSchema = z.object({ known: z.array(z.object({ sha256: z.string(), id: z.uuid() })) })

export const changedCountSchema = z.object({ changed: z.number().int() })
/** POST /media/{id}/reprocess: steps to repeat; all by default. */
export const reprocessSchema = z.strictObject({ steps: z.array(processingStepNameSchema).min(1).optional() })

/** Filter of library items, as for GET /media/library. */
export const reprocessFilterSchema = z.strictObject({
  media_type: mediaTypeSchema.optional(),
  query: z.string().trim().normalize('NFC').max(LIBRARY_QUERY_MAX_CHARACTERS).optional(),
  tag: tagSchema.optional(),
  status: processingStatusSchema.optional(),
})
export type ReprocessFilter = z.infer<typeof reprocessFilterSchema>
/** POST /media/reprocess: items by id, items matching the filter, or all; steps that don't apply to an item's type are skipped. */
export const bulkReprocessSchema = z.strictObject({
  ids: idsSchema.optional(),
  filter: reprocessFilterSchema.optional(),
  steps: z.array(processingStepNameSchema).min(1).max(20).optional(),
})
/** GET and POST /media/reprocess; counts of items. */
export const reprocessProgressSchema = z.object({
  is_running: z.boolean(),
  total: z.number().int(),
  done: z.number().int(),
})
export type ReprocessProgress = z.infer<typeof reprocessProgressSchema>

/** Form fields of POST /media/upload, besides the file. */
export const uploadFieldsSchema = z.object({
  generate_caption: z.stringbool().default(true),
  extract_text: z.stringbool().default(true),
  /** Keep the location in the file's metadata. */
  keep_place: z.stringbool().default(false),
  /** Seconds to wait for processing before responding. */
  wait: z.coerce.number().min(0).max(120).default(60),
})

export const pictureSizeSchema = z.enum(pictureSizes)

/** Query of files that accept a signed path; the signature is at its end. */
export const signedFileQuerySchema = z.object({ signature: z.string().max(200).optional() })

/** GET /media/{id}/thumbnail: `size` requests a smaller picture. The signature of a signed path doesn't cover it. */
export const thumbnailQuerySchema = signedFileQuerySchema.extend({ size: z.literal('small').optional() })

/** GET /media/archive: the ids, 16 bytes each, as base64url. */
export const mediaArchiveQuerySchema = signedFileQuerySchema.extend({
  items: z.string().regex(/^[\w-]{22,6400}$/, { error: 'These aren’t items of an archive.' }),
})

/** GET /chat/messages/{id}/images/{n}. */
export const messagePictureQuerySchema = signedFileQuerySchema.extend({ size: pictureSizeSchema.default('original') })
/** `n` counts from 0, as the message's `images` do. */
export const messagePictureParamsSchema = z.object({ id: idSchema, n: z.coerce.number().int().min(0).max(99) })

/** GET /media/{id}/frames/{n} and /pages/{n}; `n` counts from 1. */
export const mediaPartParamsSchema = z.object({ id: idSchema, n: z.coerce.number().int().min(1).max(1_000_000) })

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
