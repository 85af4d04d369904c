import { z } from 'zod'
import {
  deliveryProblems,
  deliveryStates,
  HOOK_NAME_MAX_CHARACTERS,
  HOOK_URL_MAX_CHARACTERS,
  hookEvents,
} from './constants/activity.ts'
import { pageQuerySchema } from './ids-and-pages.ts'
import { timestampSchema } from './timestamp.ts'

/** A delivery to a webhook and its outcome; its id was sent as the `webhook-id`. */
export const hookDeliverySchema = z.object({
  id: z.uuid(),
  event: z.enum([...hookEvents, 'test']),
  state: z.enum(deliveryStates),
  /** Attempts so far. */
  attempts: z.number().int(),
  /** HTTP status of the last attempt. */
  status: z.number().int().nullable(),
  /** Reason why the last attempt failed; null when it succeeded. */
  problem: z.enum(deliveryProblems).nullable(),
  duration_ms: z.number().int().nullable(),
  created_at: timestampSchema,
  next_attempt_at: timestampSchema.nullable(),
  finished_at: timestampSchema.nullable(),
})
export type HookDelivery = z.output<typeof hookDeliverySchema>
export type HookDeliveryJson = z.input<typeof hookDeliverySchema>

/** A webhook: an address that receives the user's events. */
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

/** POST /me/hooks: without `events`, subscribes to every event available to the caller. */
export const createHookSchema = z.strictObject({
  url: z
    .string()
    .trim()
    .min(1, { error: 'Enter the address to notify.' })
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

/** Response of POST /me/hooks, the only one with the signing secret. */
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
