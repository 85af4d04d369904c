import type { FastifyInstance } from 'fastify'
import { PayloadTooLargeError, ValidationError } from '../../errors.ts'
import { MAX_DEPTH, MAX_VALUES } from './json-shape.ts'

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
 * @throws ValidationError when one holds a NUL character, PayloadTooLargeError when there are too many values or they are
 * nested too deeply.
 */
export function makeStorable(value: object): void {
  const waiting = [{ one: value as Record<string, unknown>, depth: 0 }]
  let count = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { one, depth } = next
    const keys = fewKeys(one, MAX_VALUES - count)
    count += keys.length
    for (const key of keys) {
      const inner = one[key]
      const name = wellFormed(key)
      if (name !== key) delete one[key]
      if (typeof inner === 'string') {
        const text = wellFormed(inner)
        if (text !== inner || name !== key) one[name] = text
      } else {
        if (name !== key) one[name] = inner
        if (!isPlain(inner)) continue
        if (depth > MAX_DEPTH) throw tooMuch()
        waiting.push({ one: inner, depth: depth + 1 })
      }
    }
  }
}

/** The keys of a value; a list of very many is not asked for them. @throws PayloadTooLargeError when they are more. */
function fewKeys(value: Record<string, unknown>, max: number): string[] {
  if (Array.isArray(value) && value.length > max) throw tooMuch()
  const keys: string[] = []
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue
    if (keys.length === max) throw tooMuch()
    keys.push(key)
  }
  return keys
}

const tooMuch = () => new PayloadTooLargeError('What you sent holds too much.')

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
