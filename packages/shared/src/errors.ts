import { z } from 'zod'

/** Body of every error response: `detail` is a sentence shown to the user, `code` is for programs. */
export const errorSchema = z.object({
  detail: z.string(),
  code: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
})
export type ErrorBody = z.infer<typeof errorSchema>
