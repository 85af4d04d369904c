import { z } from 'zod'
import { ValidationError } from '../../errors.ts'

/** A position in a list that is sorted by time; it stays where it is when its row moves or goes. */
export interface TimePosition {
  createdAt: Date
  id: string
}

const timePositionSchema = z.tuple([z.iso.datetime({ precision: 3 }), z.uuid()])

/** A position in a list as clients hand it back; it says nothing to them. */
export function writeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** @throws ValidationError when it is none that a list with such positions gave. */
export function readCursor<Position>(cursor: string, schema: z.ZodType<Position>): Position {
  const position = schema.safeParse(readJson(cursor))
  if (!position.success) throw foreignCursor()
  return position.data
}

export function writeTimeCursor({ createdAt, id }: TimePosition): string {
  return writeCursor([createdAt.toISOString(), id])
}

/** Start of a page; null at the beginning. @throws ValidationError. */
export function readTimeCursor(cursor: string | undefined): TimePosition | null {
  if (cursor === undefined) return null
  const [createdAt, id] = readCursor(cursor, timePositionSchema)
  return { createdAt: new Date(createdAt), id }
}

/** A cursor that another list gave, or nobody. */
export function foreignCursor(): ValidationError {
  const message = 'This cursor is not one that this list gave.'
  return new ValidationError(message, { errors: [{ path: 'cursor', message }] })
}

function readJson(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

/** One page of a list and what the next one begins after. */
export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

export interface PageQuery {
  limit: number
  cursor?: string | undefined
}

const ID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** The page of rows of which one more was read than it holds; its last row says where the next one begins. */
export function cutPage<Row>(rows: Row[], limit: number, cursorOf: (last: Row) => string): Page<Row> {
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last === undefined ? null : cursorOf(last) }
}

/**
 * Reads one row more than asked for, to know whether there is a next page; a cursor is the id of a page's last row.
 * @throws ValidationError when the cursor cannot be one.
 */
export async function readPage<T extends { id: string }>(
  { limit, cursor }: PageQuery,
  read: (limits: { limit: number; afterId?: string }) => Promise<T[]>,
): Promise<Page<T>> {
  if (cursor !== undefined && !ID_PATTERN.test(cursor)) throw foreignCursor()
  const rows = await read({ limit: limit + 1, ...(cursor === undefined ? {} : { afterId: cursor }) })
  return cutPage(rows, limit, ({ id }) => id)
}
