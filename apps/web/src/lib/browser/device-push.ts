import type { CreatePushSubscription } from '@mira/shared'
import { call } from '../api/client.ts'
import { tokenStore } from '../session/token.ts'
import { NOTIFIED_KEY } from './browser-data.ts'
import { readStored, writeStored } from './browser-storage.ts'

const SIGN_IN_CHARACTERS = 16

// Identifies a sign-in. The server forgets a device when its sign-in ends, but the browser keeps the subscription.
const signInKey = (userId: string) => `${userId} ${tokenStore.get()?.slice(-SIGN_IN_CHARACTERS)}`

/** Subscribes this device to notifications. */
async function addPushSubscription(subscription: PushSubscription, userId: string): Promise<void> {
  const { endpoint, keys } = subscription.toJSON()
  await call('POST /push/subscriptions', { json: { endpoint, keys } as CreatePushSubscription })
  writeStored(NOTIFIED_KEY, signInKey(userId))
}

/** Subscribes this device again after its user's sign-in expired and they signed in once more. */
export async function renewPush(userId: string): Promise<void> {
  const notified = readStored(NOTIFIED_KEY)
  if (!notified?.startsWith(`${userId} `) || notified === signInKey(userId)) return
  const subscription = await (await registrationOf())?.pushManager.getSubscription()
  if (subscription) await addPushSubscription(subscription, userId)
}

/** State of push notifications on this device. */
type PushState = 'unsupported' | 'denied' | 'off' | 'on'

/** Checks if this device gets an account's notifications while no page is open. */
export async function pushState(userId: string): Promise<PushState> {
  const registration = await registrationOf()
  if (registration === null) return 'unsupported'
  const subscription = await registration.pushManager.getSubscription()
  if (subscription !== null && readStored(NOTIFIED_KEY)?.startsWith(`${userId} `)) return 'on'
  return Notification.permission === 'denied' ? 'denied' : 'off'
}

/** Asks for permission and subscribes this device; resolves to the resulting state. */
export async function turnPushOn(userId: string): Promise<PushState> {
  const registration = await registrationOf()
  if (registration === null) return 'unsupported'
  if ((await Notification.requestPermission()) !== 'granted') return pushState(userId)
  const applicationServerKey = await call('GET /push/key').then(({ public_key }) => public_key)
  const subscribe = () => registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  const subscription = await subscribe().catch(async (error: unknown) => {
    // a subscription made with another server's key prevents a new one
    const stale = await registration.pushManager.getSubscription()
    if (stale === null) throw error
    await stale.unsubscribe()
    return subscribe()
  })
  try {
    await addPushSubscription(subscription, userId)
  } catch (error) {
    await subscription.unsubscribe()
    throw error
  }
  return 'on'
}

/** Unsubscribes this device. */
export async function turnPushOff(userId: string): Promise<PushState> {
  const subscription = await (await registrationOf())?.pushManager.getSubscription()
  if (subscription) {
    await subscription.unsubscribe()
    // the server also forgets the subscription when the push service reports that it's gone
    await call('DELETE /push/subscriptions', { json: { endpoint: subscription.endpoint } }).catch((error: unknown) =>
      console.warn(error),
    )
  }
  writeStored(NOTIFIED_KEY, null)
  return pushState(userId)
}

async function registrationOf(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || typeof Notification === 'undefined') return null
  return (await navigator.serviceWorker.getRegistration()) ?? null
}
