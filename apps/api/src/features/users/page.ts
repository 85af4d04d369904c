import { ValidationError } from '../../errors.ts'

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

/**
 * Reads one row more than asked for, to know whether there is a next page; a cursor is the id of a page's last row.
 * @throws ValidationError when the cursor cannot be one.
 */
export async function readPage<T extends { id: string }>(
  { limit, cursor }: PageQuery,
  read: (limits: { limit: number; afterId?: string }) => Promise<T[]>,
): Promise<Page<T>> {
  if (cursor !== undefined && !ID_PATTERN.test(cursor)) {
    const message = 'This cursor is not one that a list gave.'
    throw new ValidationError(message, { errors: [{ path: 'cursor', message }] })
  }
  const rows = await read({ limit: limit + 1, ...(cursor === undefined ? {} : { afterId: cursor }) })
  const items = rows.slice(0, limit)
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}
