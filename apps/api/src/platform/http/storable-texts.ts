import type { FastifyInstance } from 'fastify'
import { PayloadTooLargeError, ValidationError } from '../../errors.ts'

/** More than any request has; validation makes a problem of each one that is wrong. */
const MAX_VALUES = 10_000

/**
 * Lets no route see what cannot be stored or takes too long to judge: texts with the character NUL and requests of too
 * many values are refused, and half of a character becomes the mark of a missing one.
 */
export function requireStorableTexts(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    const parts = { body: request.body, query: request.query, params: request.params }
    makeStorable(parts)
    request.body = parts.body
  })
}

/**
 * Makes every text inside a plain value well-formed, in place.
 * @throws ValidationError when one holds a NUL character, PayloadTooLargeError when there are too many values.
 */
export function makeStorable(value: object): void {
  const waiting: Record<string, unknown>[] = [value as Record<string, unknown>]
  let count = 0
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const keys = Object.keys(one)
    count += keys.length
    if (count > MAX_VALUES) throw new PayloadTooLargeError('What you sent holds too much.')
    for (const key of keys) {
      const inner = one[key]
      const name = wellFormed(key)
      if (name !== key) delete one[key]
      if (typeof inner === 'string') {
        const text = wellFormed(inner)
        if (text !== inner || name !== key) one[name] = text
      } else {
        if (name !== key) one[name] = inner
        if (isPlain(inner)) waiting.push(inner)
      }
    }
  }
}

/** @throws ValidationError */
function wellFormed(text: string): string {
  if (text.includes('\0')) throw new ValidationError('A text holds the character NUL, which cannot be stored.')
  return text.isWellFormed() ? text : text.toWellFormed()
}

/** Lists and what JSON and forms are read as; not buffers and streams. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // what queries are read as has an empty prototype of its own
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null
}
