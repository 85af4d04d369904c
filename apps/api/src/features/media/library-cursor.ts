import { type LibraryQuery, type MediaSort, mediaSorts } from '@mira/shared'
import { z } from 'zod'
import { BadRequestError } from '../../errors.ts'
import type { Place } from './library.store.ts'

const timeSchema = z
  .string()
  .regex(/^(?:-infinity|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-](?:0\d|1[0-5])(?::[0-5]\d){0,2})$/)
  .refine((key) => key === '-infinity' || isTime(key.slice(0, 19)))
/** What the database writes for what each sort compares. */
const keySchemas: Record<MediaSort, z.ZodType<string>> = {
  newest: timeSchema,
  oldest: timeSchema,
  taken: timeSchema,
  name: z.string().max(300),
  largest: z.string().regex(/^\d{1,18}$/),
  longest: z.string().regex(/^-?\d{1,15}(?:\.\d{1,20})?(?:e[+-]?\d{1,2})?$/),
}
const placeSchema = z.tuple([z.enum(mediaSorts), z.string(), z.uuid()])

/** A place in a list as clients hand it back; it says nothing to them. */
export function writePlace(sort: MediaSort, { key, id }: Place): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url')
}

/** Where the page that a query wants begins; null at the beginning. @throws BadRequestError. */
export function readPlace({ cursor, sort }: Pick<LibraryQuery, 'cursor' | 'sort'>): Place | null {
  if (cursor === undefined) return null
  const unknown = () => new BadRequestError('This cursor is not one that this list gave.', { code: 'invalid_cursor' })
  let given: unknown
  try {
    given = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch (error) {
    if (error instanceof SyntaxError) throw unknown()
    throw error
  }
  const place = placeSchema.safeParse(given)
  if (!place.success || place.data[0] !== sort) throw unknown()
  const [, key, id] = place.data
  if (!keySchemas[sort].safeParse(key).success || key.includes('\0')) throw unknown()
  return { key, id }
}

/** Whether there is such a time; one that there is not is refused by the database. */
function isTime(text: string): boolean {
  const iso = text.replace(' ', 'T')
  const time = new Date(`${iso}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(iso)
}
