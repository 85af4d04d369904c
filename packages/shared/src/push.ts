import { z } from 'zod'

/** GET /push/key: VAPID key for browsers to subscribe with, base64url. */
export const pushKeySchema = z.object({ public_key: z.string() })

const endpointSchema = z.string().trim().min(1).max(2000)
const keySchema = z
  .string()
  .max(200)
  .regex(/^[\w-]+={0,2}$/, { error: 'must be base64url' })

/** POST /push/subscriptions: the browser's `PushSubscription.toJSON()`. */
export const createPushSubscriptionSchema = z.object({
  endpoint: endpointSchema,
  keys: z.object({ p256dh: keySchema, auth: keySchema }),
})
export type CreatePushSubscription = z.infer<typeof createPushSubscriptionSchema>

/** Response of POST /push/subscriptions. */
export const pushSubscriptionSchema = z.object({ id: z.uuid() })

/** GET /push/subscriptions: the caller's devices. */
export const pushSubscriptionsSchema = z.object({
  subscriptions: z.array(
    z.object({
      id: z.uuid(),
      /** HTTP status with which the device's push service refused the last message; null when it was accepted or none was sent. */
      refused_status: z.number().int().nullable(),
    }),
  ),
})
export type PushSubscriptionsResponse = z.output<typeof pushSubscriptionsSchema>

/** DELETE /push/subscriptions. */
export const removePushSubscriptionSchema = z.strictObject({ endpoint: endpointSchema })
