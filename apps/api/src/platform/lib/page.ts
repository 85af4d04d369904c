import { foreignCursor } from './cursor.ts'

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
