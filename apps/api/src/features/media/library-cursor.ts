import { type LibraryQuery, type MediaSort, mediaSorts } from '@mira/shared'
import { z } from 'zod'
import { foreignCursor, readCursor, writeCursor } from '../../lib/cursor.ts'
import type { LibraryPosition } from './library.store.ts'

const timeSchema = z
  .string()
  .regex(/^(?:-infinity|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?)$/)
  .refine((key) => key === '-infinity' || isTime(key.slice(0, 19)))
/** Format of each sort key, as the database writes it. */
const keySchemas: Record<MediaSort, z.ZodType<string>> = {
  newest: timeSchema,
  oldest: timeSchema,
  taken: timeSchema,
  name: z.string().max(300),
  largest: z.string().regex(/^\d{1,18}$/),
  longest: z.string().regex(/^-?\d{1,15}(?:\.\d{1,20})?(?:e[+-]?\d{1,2})?$/),
}
const positionSchema = z.tuple([z.enum(mediaSorts), z.string(), z.uuid()])

/** A position in a list as clients hand it back; it says nothing to them. */
export function writeLibraryCursor(sort: MediaSort, { key, id }: LibraryPosition): string {
  return writeCursor([sort, key, id])
}

/** Start of the requested page; null for the first. @throws ValidationError. */
export function readLibraryCursor({ cursor, sort }: Pick<LibraryQuery, 'cursor' | 'sort'>): LibraryPosition | null {
  if (cursor === undefined) return null
  const [givenSort, key, id] = readCursor(cursor, positionSchema)
  if (givenSort !== sort || !keySchemas[sort].safeParse(key).success || key.includes('\0')) throw foreignCursor()
  return { key, id }
}

/** False for impossible times, which the database refuses. */
function isTime(text: string): boolean {
  const iso = text.replace(' ', 'T')
  const time = new Date(`${iso}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(iso)
}
