import { z } from 'zod'
import { ValidationError } from '../../errors.ts'
import type { RunPlace } from './agents.store.ts'

const placeSchema = z.tuple([z.iso.datetime({ precision: 3 }), z.uuid()])

/** A place in a history as clients hand it back; it says nothing to them. */
export function writeRunPlace({ createdAt, id }: RunPlace): string {
  return Buffer.from(JSON.stringify([createdAt.toISOString(), id])).toString('base64url')
}

/** Where a page begins; null at the beginning. @throws ValidationError. */
export function readRunPlace(cursor: string | undefined): RunPlace | null {
  if (cursor === undefined) return null
  const place = placeSchema.safeParse(readJson(cursor))
  if (place.success) return { createdAt: new Date(place.data[0]), id: place.data[1] }
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
