import { z } from 'zod'
import { attachedMediaSchema, chatMessageSchema } from './chat.ts'
import { chatSessionSchema } from './chat-sessions.ts'

/** GET /chat/sessions/{id}/export */
export const chatExportQuerySchema = z.object({ format: z.enum(['markdown', 'json']).default('markdown') })
export type ChatExportFormat = z.output<typeof chatExportQuerySchema>['format']

/** A message as it is exported: without addresses that only its owner can open. */
export const exportedMessageSchema = chatMessageSchema
  .omit({ images: true, media: true, siblings: true, streaming: true })
  .extend({
    state: z.enum(['streaming', 'complete', 'interrupted', 'failed']),
    images: z.array(
      z.object({ name: z.string(), content_type: z.string(), width: z.number().int(), height: z.number().int() }),
    ),
    media: z.array(attachedMediaSchema.pick({ media_id: true, title: true, media_type: true })),
  })
export type ExportedMessage = z.output<typeof exportedMessageSchema>
export type ExportedMessageJson = z.input<typeof exportedMessageSchema>

/** The JSON export: a conversation with every message of every branch, oldest first. */
export const chatExportSchema = z.object({
  format: z.literal('mira.chat'),
  version: z.literal(1),
  exported_at: chatSessionSchema.shape.created_at,
  session: chatSessionSchema.omit({ snippet: true }),
  /** The newest message of the branch that is shown. */
  current_message_id: z.uuid().nullable(),
  messages: z.array(exportedMessageSchema),
})
export type ChatExportJson = z.input<typeof chatExportSchema>
