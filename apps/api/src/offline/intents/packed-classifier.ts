import { z } from 'zod'

/** Features and labels of a text classifier, packed as its trainer writes them. */
export const packedClassifierSchema = z.object({
  labels: z.array(z.string()).min(2),
  telling: z.array(z.number()),
  weights: z.string(),
})
