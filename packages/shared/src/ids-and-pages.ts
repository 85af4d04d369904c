import { z } from 'zod'

/** Id of any stored object: a UUID, opaque to callers. */
export const idSchema = z.uuid({ error: 'This isn’t a valid id.' })

/** Path parameters of a route about one object. */
export const idParamsSchema = z.object({ id: idSchema })

/** Opaque `next_cursor` of the previous page; long enough for a file name in any script. */
export const cursorSchema = z.string().max(2000).optional()

/** Query of a paginated list. */
export const pageQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: cursorSchema,
})
