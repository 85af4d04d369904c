import type { z } from 'zod'
import { BadRequestError } from '../../../errors.ts'

const MAX_CHARACTERS = 8_000

/** The arguments of a call as a model wrote them. @throws BadRequestError with a sentence that a model can act on. */
export function readToolArguments<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  if (text.length > MAX_CHARACTERS) throw new BadRequestError('The arguments are too long.')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BadRequestError('The arguments are not valid JSON.')
  }
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new BadRequestError(`The argument "${issue?.path.join('.') ?? ''}" cannot be used: ${issue?.message ?? ''}.`)
}
