import { z } from 'zod'
import { PAGE_URL_MAX_CHARACTERS } from './constants/limits.ts'

/** POST /pages. */
export const createPageSchema = z.strictObject({
  url: z
    .string()
    .trim()
    .min(1, { error: 'Give the address of a page.' })
    .max(PAGE_URL_MAX_CHARACTERS, { error: `Use at most ${PAGE_URL_MAX_CHARACTERS} characters.` }),
  /** Fetch the page again even when a copy exists, since pages change. */
  again: z.boolean().default(false),
  /** Seconds to wait for the item to be done before answering. */
  wait: z.number().min(0).max(60).default(15),
})
export type CreatePage = z.output<typeof createPageSchema>

/** A moment in time: ISO 8601 in UTC on the wire, a `Date` in the server. */
export const timestampSchema = z
  .codec(z.iso.datetime({ offset: true }), z.date(), {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  })
  .meta({ description: 'ISO 8601, UTC' })

/** The id of any stored thing: a UUID, opaque to callers. */
export const idSchema = z.uuid({ error: 'This id is not a valid one.' })

/** Path parameters of a route about one thing. */
export const idParamsSchema = z.object({ id: idSchema })

/** The `next_cursor` of the page before, opaque. Room for a file's name in any script. */
export const cursorSchema = z.string().max(2000).optional()

/** Query of a list that is read page by page. */
export const pageQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: cursorSchema,
})
