import type { FastifyInstance } from 'fastify'
import { ValidationError } from '../errors.ts'

/** Refuses texts with a NUL character, which PostgreSQL cannot store, before any route sees them. */
export function refuseNulCharacters(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    for (const part of [request.body, request.query, request.params]) requireNoNul(part)
  })
}

/** @throws ValidationError when a text inside the value holds a NUL character. */
export function requireNoNul(value: unknown): void {
  const waiting = [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one === 'string') {
      if (one.includes('\0')) throw new ValidationError('A text holds the character NUL, which cannot be stored.')
    } else if (isPlain(one)) {
      for (const [key, inner] of Object.entries(one)) waiting.push(key, inner)
    }
  }
}

/** Lists and what JSON and forms are read as; not buffers and streams. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
