import { z } from 'zod'
import { BadRequestError } from '../../../errors.ts'

const MAX_CHARACTERS = 8_000

/** Optional schema that also accepts null, which models write for omitted values. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => value ?? undefined, schema.optional())

/** @param example shown to the model @throws BadRequestError with a message that a model can act on */
export function parseArguments(text: string, example?: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const advice = example === undefined ? '' : ` Send an object such as ${example}.`
    throw new BadRequestError(`The arguments are not valid JSON.${advice}`)
  }
}

/** Parses a model's arguments. @throws BadRequestError with a message that a model can act on */
export function readArguments<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  example?: string,
): z.output<Schema> {
  if (text.length > MAX_CHARACTERS) throw new BadRequestError('The arguments are too long.')
  const parsed = schema.safeParse(parseArguments(text, example))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new BadRequestError(`The argument "${issue?.path.join('.') ?? ''}" cannot be used: ${issue?.message ?? ''}.`)
}
