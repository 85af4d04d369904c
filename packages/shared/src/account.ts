import { z } from 'zod'
import { signedFileQuerySchema } from './media.ts'
import { timestampSchema } from './timestamp.ts'

/** GET /me/export. `export_id` names it in `export.progress`. */
export const exportQuerySchema = signedFileQuerySchema.extend({ export_id: z.uuid().optional() })

/** POST /me/export: where a browser loads the export from, within a few minutes. */
export const exportTicketSchema = z.object({
  export_id: z.uuid(),
  /** A signed path. */
  url: z.string(),
  expires_at: timestampSchema,
})
export type ExportTicket = z.output<typeof exportTicketSchema>
export type ExportTicketJson = z.input<typeof exportTicketSchema>

/** DELETE /me/data */
export const deleteDataSchema = z.strictObject({
  password: z.string().min(1, { error: 'Enter your password.' }).max(1000),
})

/** The receipt: what was there and is not any more. */
export const deletedDataSchema = z.object({
  deleted: z.object({
    chat_sessions: z.number().int(),
    messages: z.number().int(),
    media_items: z.number().int(),
    moments: z.number().int(),
    effect_images: z.number().int(),
    effect_recipes: z.number().int(),
    facts: z.number().int(),
    prompts: z.number().int(),
    reminders: z.number().int(),
    agent_runs: z.number().int(),
    notifications: z.number().int(),
    weekly_summaries: z.number().int(),
    activities: z.number().int(),
    partial_uploads: z.number().int(),
    /** Stored files, with those that were made of them. */
    files: z.number().int(),
    bytes: z.number().int(),
  }),
})
export type DeletedData = z.infer<typeof deletedDataSchema>
