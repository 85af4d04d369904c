import { z } from 'zod'
import { localModelSchema } from './connections.ts'
import { importStates } from './constants/media.ts'
import { processingStepSchema } from './media.ts'
import { notificationSchema } from './notifications.ts'
import { codedSentenceSchema } from './sentences.ts'

/** GET /events: changes to the caller's data as they happen. Clients ignore unknown types. */
export const userEventSchema = z.discriminatedUnion('type', [
  /**
   * Always first. No event occurred in the last `quiet_ms` milliseconds: a client that loaded its data earlier may have
   * missed events, and should load its data again.
   */
  z.object({ type: z.literal('events.connected'), quiet_ms: z.number().int() }),
  /** A conversation was created, renamed, answered or deleted; `answering` is true while an answer is being generated. */
  z.object({
    type: z.literal('chat.updated'),
    session_id: z.uuid(),
    deleted: z.boolean().default(false),
    answering: z.boolean().default(false),
  }),
  /** State of the processing steps of an item. At most twice a second per item. */
  z.object({ type: z.literal('media.progress'), id: z.uuid(), steps: z.array(processingStepSchema) }),
  /** Processing of an item is complete. */
  z.object({ type: z.literal('media.done'), id: z.uuid() }),
  /** An item could not be processed at all. */
  z.object({
    type: z.literal('media.failed'),
    id: z.uuid(),
    /** Reason shown to the user. */
    error: z.string(),
    /** `error` as codes with parameters, for translation; omitted for text without codes. */
    error_told: z.array(codedSentenceSchema).optional(),
  }),
  /** Progress of a request for effects, under the id that the request chose. At most four times a second. */
  z.object({
    type: z.literal('effect.progress'),
    request_id: z.uuid(),
    effect_name: z.string(),
    /** Number of effects done, out of `total`. */
    done: z.number().int(),
    total: z.number().int(),
    /** Progress of the current effect, 0 to 1. */
    progress: z.number(),
  }),
  /** Items were added, changed or deleted, here or elsewhere. */
  z.object({ type: z.literal('media.updated'), ids: z.array(z.uuid()).max(150), deleted: z.boolean().default(false) }),
  /** A reminder is due now. A `notification` event is sent as well. */
  z.object({ type: z.literal('reminder.due'), id: z.uuid(), text: z.string(), due_at: z.iso.datetime() }),
  /** A new notification. */
  z.object({
    type: z.literal('notification'),
    notification: notificationSchema.pick({ id: true, kind: true, params: true, link: true }),
  }),
  /** Notifications were read, here or elsewhere. */
  z.object({ type: z.literal('notifications.read') }),
  /** An automation run started, progressed or ended (administrators): fetch it again. At most twice a second per run. */
  z.object({ type: z.literal('automation.run'), id: z.uuid(), task_type: z.string(), status: z.string() }),
  /** A local model is being downloaded, or its state changed (administrators). At most twice a second. */
  z.object({ type: z.literal('model.progress'), model: localModelSchema }),
  /** An export of the caller's data is being written. At most twice a second. */
  z.object({
    type: z.literal('export.progress'),
    export_id: z.uuid(),
    /** Number of files written, out of `total`. */
    done: z.number().int(),
    total: z.number().int(),
    is_finished: z.boolean(),
    /** True when the download was cancelled or has failed. */
    is_cancelled: z.boolean().optional(),
  }),
  /** An import progressed or ended: fetch it again. At most twice a second per import. */
  z.object({ type: z.literal('import.progress'), id: z.uuid(), state: z.enum(importStates) }),
  /** An agent was called, or the memory was searched: activity and logs have a new entry. */
  z.object({ type: z.literal('activity.recorded'), kind: z.enum(['agent', 'search']) }),
  /** The caller's account changed: fetch /auth/me again. */
  z.object({ type: z.literal('account.updated') }),
])
export type UserEvent = z.output<typeof userEventSchema>
export type UserEventJson = z.input<typeof userEventSchema>
