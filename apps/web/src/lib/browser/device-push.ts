import type { CreatePushSubscription } from '@mira/shared'
import { call } from '../api/client.ts'

/** Has this device told. */
async function addPushSubscription(subscription: PushSubscriptionJSON): Promise<void> {
  const { endpoint, keys } = subscription
  await call('POST /push/subscriptions', { json: { endpoint, keys } as CreatePushSubscription })
}

/** State of push notifications on this device. */
type PushState = 'unsupported' | 'denied' | 'off' | 'on'

/** Checks if this device gets notifications while no page is open. */
export async function pushState(): Promise<PushState> {
  const registration = await registrationOf()
  if (registration === null) return 'unsupported'
  const subscription = await registration.pushManager.getSubscription()
  if (subscription !== null) return 'on'
  return Notification.permission === 'denied' ? 'denied' : 'off'
}

/** Asks for leave, and has this device told. What the person then decided is the answer. */
export async function turnPushOn(): Promise<PushState> {
  const registration = await registrationOf()
  if (registration === null) return 'unsupported'
  if ((await Notification.requestPermission()) !== 'granted') return pushState()
  const applicationServerKey = await call('GET /push/key').then(({ public_key }) => public_key)
  const subscribe = () => registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  const subscription = await subscribe().catch(async (error: unknown) => {
    // one that was made with the key of another server stands in the way
    const stale = await registration.pushManager.getSubscription()
    if (stale === null) throw error
    await stale.unsubscribe()
    return subscribe()
  })
  try {
    await addPushSubscription(subscription.toJSON())
  } catch (error) {
    await subscription.unsubscribe()
    throw error
  }
  return 'on'
}

/** Has this device told no more. */
export async function turnPushOff(): Promise<PushState> {
  const subscription = await (await registrationOf())?.pushManager.getSubscription()
  if (subscription) {
    await subscription.unsubscribe()
    // the server forgets it by itself when the push service says that it is gone
    await call('DELETE /push/subscriptions', { json: { endpoint: subscription.endpoint } }).catch((error: unknown) =>
      console.warn(error),
    )
  }
  return pushState()
}

async function registrationOf(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || typeof Notification === 'undefined') return null
  return (await navigator.serviceWorker.getRegistration()) ?? null
}
