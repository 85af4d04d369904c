import type { FastifyInstance } from 'fastify'
import { PayloadTooLargeError, ValidationError } from '../../errors.ts'
import { MAX_DEPTH, MAX_VALUES } from './json-shape.ts'

/**
 * Refuses requests with NUL characters, which can't be stored, or with too many values, which take too long to validate.
 * Replaces lone surrogates by the replacement character.
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
 * @throws ValidationError for a NUL character, PayloadTooLargeError for too many or too deeply nested values.
 */
export function makeStorable(value: object): void {
  const pending = [{ container: value as Record<string, unknown>, depth: 0 }]
  let count = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { container, depth } = next
    const keys = keysUpTo(container, MAX_VALUES - count)
    count += keys.length
    for (const key of keys) {
      const inner = container[key]
      const name = wellFormed(key)
      if (name !== key) delete container[key]
      if (typeof inner === 'string') {
        const text = wellFormed(inner)
        if (text !== inner || name !== key) container[name] = text
      } else {
        if (name !== key) container[name] = inner
        if (!isPlain(inner)) continue
        if (depth > MAX_DEPTH) throw tooManyValuesError()
        pending.push({ container: inner, depth: depth + 1 })
      }
    }
  }
}

/** Keys of a value. @throws PayloadTooLargeError when there are more than `max`, without listing them. */
function keysUpTo(value: Record<string, unknown>, max: number): string[] {
  if (Array.isArray(value) && value.length > max) throw tooManyValuesError()
  const keys: string[] = []
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue
    if (keys.length === max) throw tooManyValuesError()
    keys.push(key)
  }
  return keys
}

const tooManyValuesError = () =>
  new PayloadTooLargeError('What you sent contains too many values, or nests them too deeply.')

/** @throws ValidationError */
function wellFormed(text: string): string {
  if (text.includes('\0')) throw new ValidationError('A text contains the character NUL, which can’t be stored.')
  return text.isWellFormed() ? text : text.toWellFormed()
}

/** True for arrays and plain objects of JSON and forms, not for buffers and streams. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // parsed queries have an empty prototype of their own
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null
}
