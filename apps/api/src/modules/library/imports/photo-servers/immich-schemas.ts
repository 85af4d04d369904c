import { z } from 'zod'

// Only the fields in use are validated, and optional fields accept anything, since Immich's versions differ.
const text = z.string().nullish().catch(null)
const degrees = (max: number) => z.number().min(-max).max(max).nullish().catch(null)
/** Maximum length of a name: names are held in memory, and file systems allow no longer ones. */
export const MAX_NAME_CHARACTERS = 255

/** A picture or video in Immich's lists. */
export const assetSchema = z.object({
  id: z.uuid(),
  originalFileName: z.string().min(1).max(MAX_NAME_CHARACTERS),
  type: text,
  /** Missing on older servers. */
  visibility: text,
  fileCreatedAt: text,
  localDateTime: text,
  isFavorite: z.boolean().catch(false),
  isTrashed: z.boolean().catch(false),
  originalPath: text,
  /** Video of a live photo, or the one that Immich extracted from a motion picture. */
  livePhotoVideoId: z.uuid().nullish().catch(null),
  exifInfo: z
    .object({
      fileSizeInByte: z.number().int().nonnegative().nullish().catch(null),
      dateTimeOriginal: text,
      latitude: degrees(90),
      longitude: degrees(180),
      description: text,
    })
    .nullish()
    .catch(null),
})
export type Asset = z.infer<typeof assetSchema>

/** A page of POST /search/metadata. Newer servers return a cursor, older ones the number of the next page. */
export const pageSchema = z.object({
  assets: z.object({
    items: z.array(z.unknown()),
    nextPage: z.union([z.string(), z.number()]).nullish(),
    nextCursor: z.string().nullish(),
  }),
})

export const albumSchema = z.object({ id: z.uuid(), albumName: z.string() })
export const idSchema = z.object({ id: z.uuid() })

/** Additional fields of GET /assets/{id}. */
export const detailSchema = z.object({
  people: z.array(z.object({ name: z.string().catch(''), isHidden: z.boolean().catch(false) })).catch([]),
  tags: z.array(z.object({ value: z.string().catch('') })).catch([]),
})
