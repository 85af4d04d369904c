import { z } from 'zod'

/** The body of every answer that is not a success. `detail` is a sentence for a person, `code` a word for a program. */
export const errorSchema = z.object({
  detail: z.string(),
  code: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
})
export type ErrorBody = z.infer<typeof errorSchema>
