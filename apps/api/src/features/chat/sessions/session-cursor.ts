import { z } from 'zod'
import { ValidationError } from '../../../errors.ts'
import type { SessionPosition, SessionSort } from './sessions.store.ts'

/** How a list is sorted: a cursor of one order means nothing in another. */
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
/** What the column of an order can be compared with; anything else would be refused by the database alone. */
const valueSchemas: Record<SessionSort, z.ZodType> = {
  updated: z.iso.datetime({ precision: 3 }).refine((text) => Date.parse(text) >= 0),
  name: z.string().refine((text) => !text.includes('\0')),
  messages: z.int32(),
  // a bigint comes as text
  tokens: z.union([z.int(), z.string().regex(/^\d{1,18}$/)]),
  response_time: z.number(),
}

/** Where the next page begins, as opaque text. */
export function writeCursor({ value, id, isPinned }: SessionPosition, { sort, order }: Order): string {
  return Buffer.from(JSON.stringify({ sort, order, value, id, pinned: isPinned })).toString('base64url')
}

/** @throws ValidationError when it is none, or one of another order. */
export function readCursor(cursor: string, { sort, order }: Order): SessionPosition {
  const parsed = cursorSchema.safeParse(readJson(cursor))
  if (parsed.success && parsed.data.sort === sort && parsed.data.order === order) {
    const { value, id, pinned: isPinned } = parsed.data
    if (valueSchemas[sort].safeParse(value).success) return { value, id, isPinned }
  }
  const message = 'This cursor is not one that this list gave.'
  throw new ValidationError(message, { errors: [{ path: 'cursor', message }] })
}

function readJson(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}
