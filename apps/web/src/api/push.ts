import type { PushKey } from '@mira/shared'
import { request, requestJson } from './client.ts'

/** Public VAPID key for push subscriptions. */
export async function fetchPushKey(): Promise<string> {
  return (await requestJson<PushKey>('/push/key')).public_key
}

/** Has this device told. */
export async function addPushSubscription(subscription: PushSubscriptionJSON): Promise<void> {
  const { endpoint, keys } = subscription
  await request('/push/subscriptions', { method: 'POST', json: { endpoint, keys } })
}

/** Has it told no more. */
export async function removePushSubscription(endpoint: string): Promise<void> {
  await request('/push/subscriptions', { method: 'DELETE', json: { endpoint } })
}
