import { z } from 'zod'
import { localModelSchema } from './connections.ts'
import { importStates } from './constants/media.ts'
import { processingStepSchema } from './media.ts'
import { notificationSchema } from './notifications.ts'
import { codedSentenceSchema } from './sentences.ts'

/** GET /events: what happens to the caller's things, as it happens. A client ignores types that it does not know. */
export const userEventSchema = z.discriminatedUnion('type', [
  /**
   * Always first. No event occurred in the last `quiet_ms` milliseconds: a client that loaded its data earlier may have
   * missed some, and should load it again.
   */
  z.object({ type: z.literal('events.connected'), quiet_ms: z.number().int() }),
  /** A conversation was made, renamed, answered or deleted; `answering` tells that an answer is being made. */
  z.object({
    type: z.literal('chat.updated'),
    session_id: z.uuid(),
    deleted: z.boolean().default(false),
    answering: z.boolean().default(false),
  }),
  /** An item is being processed: where its steps are. Comes at most twice a second for each item. */
  z.object({ type: z.literal('media.progress'), id: z.uuid(), steps: z.array(processingStepSchema) }),
  /** Everything that could be done with an item is done. */
  z.object({ type: z.literal('media.done'), id: z.uuid() }),
  /** An item could not be processed at all; the reason is for a person. */
  z.object({
    type: z.literal('media.failed'),
    id: z.uuid(),
    error: z.string(),
    /** The same as codes with parameters, for translation; left out where it has none. */
    error_told: z.array(codedSentenceSchema).optional(),
  }),
  /** Effects that a request asked for are being made; the request chose the id. Comes at most four times a second. */
  z.object({
    type: z.literal('effect.progress'),
    request_id: z.uuid(),
    effect_name: z.string(),
    /** Effects that are done, of how many. */
    done: z.number().int(),
    total: z.number().int(),
    /** Progress of the current effect, 0 to 1. */
    progress: z.number(),
  }),
  /** Items were added, changed or deleted, here or elsewhere. */
  z.object({ type: z.literal('media.updated'), ids: z.array(z.uuid()).max(150), deleted: z.boolean().default(false) }),
  /** A reminder is due now. A notification of it comes beside this. */
  z.object({ type: z.literal('reminder.due'), id: z.uuid(), text: z.string(), due_at: z.iso.datetime() }),
  /** Something new is behind the bell. */
  z.object({
    type: z.literal('notification'),
    notification: notificationSchema.pick({ id: true, kind: true, params: true, link: true }),
  }),
  /** Notifications were read, here or elsewhere. */
  z.object({ type: z.literal('notifications.read') }),
  /** A run of the automation began, went on or ended (administrators): fetch it again. At most twice a second for each run. */
  z.object({ type: z.literal('automation.run'), id: z.uuid(), task_type: z.string(), status: z.string() }),
  /** A local model is being downloaded, or its state changed (administrators). At most twice a second. */
  z.object({ type: z.literal('model.progress'), model: localModelSchema }),
  /** An export of the caller's data is being written. At most twice a second. */
  z.object({
    type: z.literal('export.progress'),
    export_id: z.uuid(),
    /** Files written, of how many. */
    done: z.number().int(),
    total: z.number().int(),
    is_finished: z.boolean(),
  }),
  /** An import of the caller got on or ended: fetch it again. At most twice a second for each. */
  z.object({ type: z.literal('import.progress'), id: z.uuid(), state: z.enum(importStates) }),
  /** An agent was called, or the memory was searched: what tells of that has something new. */
  z.object({ type: z.literal('activity.recorded'), kind: z.enum(['agent', 'search']) }),
  /** The caller's account changed: fetch /auth/me again. */
  z.object({ type: z.literal('account.updated') }),
])
export type UserEvent = z.output<typeof userEventSchema>
export type UserEventJson = z.input<typeof userEventSchema>
