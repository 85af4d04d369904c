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
