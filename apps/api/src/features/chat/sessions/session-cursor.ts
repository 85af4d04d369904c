import { z } from 'zod'
import { foreignCursor, readCursor, writeCursor } from '../../../lib/cursor.ts'
import type { SessionPosition, SessionSort } from './sessions.store.ts'

/** Sort order of a list; a cursor is only valid for its own. */
interface Order {
  sort: SessionSort
  order: 'asc' | 'desc'
}

const cursorSchema = z.object({
  sort: z.string(),
  order: z.string(),
  value: z.union([z.string().max(400), z.number()]),
  id: z.uuid(),
  pinned: z.boolean(),
})
/** Valid cursor values of each sorted column; the database would fail on others. */
const valueSchemas: Record<SessionSort, z.ZodType> = {
  updated: z.iso.datetime({ precision: 3 }).refine((text) => Date.parse(text) >= 0),
  name: z.string().refine((text) => !text.includes('\0')),
  messages: z.int32(),
  // a bigint comes as text
  tokens: z.union([z.int(), z.string().regex(/^\d{1,18}$/)]),
  response_time: z.number(),
}

/** Opaque start of the next page. */
export function writeSessionCursor({ value, id, isPinned }: SessionPosition, { sort, order }: Order): string {
  return writeCursor({ sort, order, value, id, pinned: isPinned })
}

/** @throws ValidationError when it is none, or one of another order. */
export function readSessionCursor(cursor: string, { sort, order }: Order): SessionPosition {
  const { value, id, pinned: isPinned, ...given } = readCursor(cursor, cursorSchema)
  const isOfOrder = given.sort === sort && given.order === order
  if (!isOfOrder || !valueSchemas[sort].safeParse(value).success) throw foreignCursor()
  return { value, id, isPinned }
}
