import { z } from 'zod'
import { ValidationError } from '../../errors.ts'

/** Position in a list sorted by time; it stays valid when its row is moved or removed. */
export interface TimePosition {
  createdAt: Date
  id: string
}

const timePositionSchema = z.tuple([z.iso.datetime({ precision: 3 }), z.uuid()])

/** Encodes a position as an opaque cursor. */
export function writeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** Decodes a cursor to a position. @throws ValidationError for anything but a cursor with such a position. */
export function readCursor<Position>(cursor: string, schema: z.ZodType<Position>): Position {
  const position = schema.safeParse(readJson(cursor))
  if (!position.success) throw foreignCursor()
  return position.data
}

export function writeTimeCursor({ createdAt, id }: TimePosition): string {
  return writeCursor([createdAt.toISOString(), id])
}

/** Position that a page starts after; null for the first page. @throws ValidationError. */
export function readTimeCursor(cursor: string | undefined): TimePosition | null {
  if (cursor === undefined) return null
  const [createdAt, id] = readCursor(cursor, timePositionSchema)
  return { createdAt: new Date(createdAt), id }
}

/** Error for an invalid cursor. */
export function foreignCursor(): ValidationError {
  const message = 'This cursor isn’t from this list.'
  return new ValidationError(message, { errors: [{ path: 'cursor', message }] })
}

function readJson(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

/** A page of a list, and the cursor of the next one; null at the end. */
export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

export interface PageQuery {
  limit: number
  cursor?: string | undefined
}

const ID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Cuts a page from rows that were read up to one more than the limit; the extra row shows that there's a next page. */
export function cutPage<Row>(rows: Row[], limit: number, cursorOf: (last: Row) => string): Page<Row> {
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last === undefined ? null : cursorOf(last) }
}

/**
 * Reads a page and one more row, to detect whether there is a next page; a cursor is the id of a page's last row.
 * @throws ValidationError for an invalid cursor.
 */
export async function readPage<T extends { id: string }>(
  { limit, cursor }: PageQuery,
  read: (limits: { limit: number; afterId?: string }) => Promise<T[]>,
): Promise<Page<T>> {
  if (cursor !== undefined && !ID_PATTERN.test(cursor)) throw foreignCursor()
  const rows = await read({ limit: limit + 1, ...(cursor === undefined ? {} : { afterId: cursor }) })
  return cutPage(rows, limit, ({ id }) => id)
}
