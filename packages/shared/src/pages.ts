import { z } from 'zod'
import { PAGE_URL_MAX_CHARACTERS } from './constants/limits.ts'

/** POST /pages. */
export const createPageSchema = z.strictObject({
  url: z
    .string()
    .trim()
    .min(1, { error: 'Give the address of a page.' })
    .max(PAGE_URL_MAX_CHARACTERS, { error: `Use at most ${PAGE_URL_MAX_CHARACTERS} characters.` }),
  /** Fetch the page again even when a copy exists, since pages change. */
  again: z.boolean().default(false),
  /** Seconds to wait for the item to be done before answering. */
  wait: z.number().min(0).max(60).default(15),
})
export type CreatePage = z.output<typeof createPageSchema>
