import { z } from 'zod'
import { localModelSchema } from './connections.ts'
import {
  deliveryProblems,
  deliveryStates,
  HOOK_NAME_MAX_CHARACTERS,
  HOOK_URL_MAX_CHARACTERS,
  hookEvents,
  notificationKinds,
} from './constants/activity.ts'
import { importStates } from './constants/media.ts'
import { processingStepSchema } from './media.ts'
import { codedSentenceSchema } from './sentences.ts'
import { idSchema, pageQuerySchema, timestampSchema } from './timestamp.ts'

/** A delivery to a webhook and its outcome; its id is the `webhook-id` that the receiver was sent. */
export const hookDeliverySchema = z.object({
  id: z.uuid(),
  event: z.enum([...hookEvents, 'test']),
  state: z.enum(deliveryStates),
  /** Attempts so far. */
  attempts: z.number().int(),
  /** HTTP status of the last attempt. */
  status: z.number().int().nullable(),
  /** Reason for the last attempt's failure. */
  problem: z.enum(deliveryProblems).nullable(),
  duration_ms: z.number().int().nullable(),
  created_at: timestampSchema,
  next_attempt_at: timestampSchema.nullable(),
  finished_at: timestampSchema.nullable(),
})
export type HookDelivery = z.output<typeof hookDeliverySchema>
export type HookDeliveryJson = z.input<typeof hookDeliverySchema>

/** A webhook: an address that gets the person's events. */
export const hookSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  url: z.string(),
  events: z.array(z.enum(hookEvents)),
  created_at: timestampSchema,
  last_delivery: hookDeliverySchema.nullable(),
})
export type Hook = z.output<typeof hookSchema>
export type HookJson = z.input<typeof hookSchema>

/** GET /me/hooks: newest first. */
export const hooksQuerySchema = pageQuerySchema
export const hooksResponseSchema = z.object({ hooks: z.array(hookSchema), next_cursor: z.string().nullable() })
export type HooksResponse = z.output<typeof hooksResponseSchema>
export type HooksResponseJson = z.input<typeof hooksResponseSchema>

/** POST /me/hooks: without `events`, all that the caller can be told of. */
export const createHookSchema = z.strictObject({
  url: z
    .string()
    .trim()
    .min(1, { error: 'Give the address that is to be told.' })
    .max(HOOK_URL_MAX_CHARACTERS, { error: `Use at most ${HOOK_URL_MAX_CHARACTERS} characters.` }),
  name: z
    .string()
    .trim()
    .max(HOOK_NAME_MAX_CHARACTERS, { error: `Use at most ${HOOK_NAME_MAX_CHARACTERS} characters.` })
    .default(''),
  events: z
    .array(z.enum(hookEvents))
    .min(1, { error: 'Choose at least one.' })
    .refine((events) => new Set(events).size === events.length, { error: 'Name each event once.' })
    .optional(),
})
export type CreateHook = z.output<typeof createHookSchema>
export type CreateHookJson = z.input<typeof createHookSchema>

/** The answer of POST /me/hooks, which alone carries the secret that signs what is sent. */
export const createdHookSchema = hookSchema.extend({ secret: z.string() })
export type CreatedHook = z.output<typeof createdHookSchema>
export type CreatedHookJson = z.input<typeof createdHookSchema>

/** GET /me/hooks/{id}/deliveries: newest first. */
export const hookDeliveriesQuerySchema = pageQuerySchema
export const hookDeliveriesResponseSchema = z.object({
  deliveries: z.array(hookDeliverySchema),
  next_cursor: z.string().nullable(),
})
export type HookDeliveriesResponse = z.output<typeof hookDeliveriesResponseSchema>
export type HookDeliveriesResponseJson = z.input<typeof hookDeliveriesResponseSchema>

/** GET /push/key: what a browser subscribes with (VAPID), base64url. */
export const pushKeySchema = z.object({ public_key: z.string() })
export type PushKey = z.infer<typeof pushKeySchema>

const endpointSchema = z.string().trim().min(1).max(2000)
const keySchema = z
  .string()
  .max(200)
  .regex(/^[\w-]+={0,2}$/, { error: 'must be base64url' })

/** POST /push/subscriptions: as `PushSubscription.toJSON()` of a browser gives it. */
export const createPushSubscriptionSchema = z.object({
  endpoint: endpointSchema,
  keys: z.object({ p256dh: keySchema, auth: keySchema }),
})
export type CreatePushSubscription = z.infer<typeof createPushSubscriptionSchema>

/** The answer of POST /push/subscriptions. */
export const pushSubscriptionSchema = z.object({ id: z.uuid() })

/** DELETE /push/subscriptions. */
export const removePushSubscriptionSchema = z.strictObject({ endpoint: endpointSchema })

export const notificationKindSchema = z.enum(notificationKinds)

export const notificationSchema = z.object({
  id: z.uuid(),
  kind: notificationKindSchema,
  /** Parameters of its sentence: a title, a count, a reason. */
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  /** Its reason as codes with parameters, for translation. */
  told: z.array(codedSentenceSchema),
  /** A path of the web app; null when there is nothing to open. */
  link: z.string().nullable(),
  created_at: timestampSchema,
  read_at: timestampSchema.nullable(),
})
export type Notification = z.output<typeof notificationSchema>
export type NotificationJson = z.input<typeof notificationSchema>

/** GET /notifications: newest first. */
export const notificationsQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().max(200).optional(),
  unread: z.stringbool().default(false),
})
export const notificationsResponseSchema = z.object({
  notifications: z.array(notificationSchema),
  next_cursor: z.string().nullable(),
  /** Number of unread notifications on all pages. */
  unread_count: z.number().int(),
})
export type NotificationsResponse = z.output<typeof notificationsResponseSchema>
export type NotificationsResponseJson = z.input<typeof notificationsResponseSchema>

/**
 * POST /notifications/shown: claims notifications for this device to show, so that no other device of the person shows
 * them too; for one reminder, or all.
 */
export const notificationsShownSchema = z.strictObject({ subject_id: idSchema.optional() })
export const notificationsShownResponseSchema = z.object({
  /** Notifications for the caller to show, newest first; the others appeared elsewhere. */
  notifications: z.array(notificationSchema),
})
export type NotificationsShownResponse = z.output<typeof notificationsShownResponseSchema>
export type NotificationsShownResponseJson = z.input<typeof notificationsShownResponseSchema>

/** POST /notifications/read: these, or all when no ids are given. */
export const notificationsReadSchema = z.strictObject({ ids: z.array(idSchema).max(500).optional() })

/** GET /events: what happens to the caller's things, as it happens. A client ignores types that it does not know. */
export const userEventSchema = z.discriminatedUnion('type', [
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
