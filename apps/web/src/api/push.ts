import type { CreatePushSubscription } from '@mira/shared'
import { call } from './client.ts'

/** Public VAPID key for push subscriptions. */
export async function fetchPushKey(): Promise<string> {
  return (await call('GET /push/key')).public_key
}

/** Has this device told. */
export async function addPushSubscription(subscription: PushSubscriptionJSON): Promise<void> {
  const { endpoint, keys } = subscription
  await call('POST /push/subscriptions', { json: { endpoint, keys } as CreatePushSubscription })
}

/** Has it told no more. */
export async function removePushSubscription(endpoint: string): Promise<void> {
  await call('DELETE /push/subscriptions', { json: { endpoint } })
}
