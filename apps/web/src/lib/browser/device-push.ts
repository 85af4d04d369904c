import type { CreatePushSubscription } from '@mira/shared'
import { call } from '../api/client.ts'
import { tokenStore } from '../session/token.ts'
import { NOTIFIED_KEY } from './browser-data.ts'
import { readStored, writeStored } from './browser-storage.ts'

const SIGN_IN_CHARACTERS = 16

// Identifies a sign-in. The server forgets a device when its sign-in ends, but the browser keeps the subscription.
const signInKey = (userId: string) => `${userId} ${tokenStore.get()?.slice(-SIGN_IN_CHARACTERS)}`

/** Registers this device's subscription with the server. */
async function addPushSubscription(subscription: PushSubscription, userId: string): Promise<void> {
  const { endpoint, keys } = subscription.toJSON()
  const { id } = await call('POST /push/subscriptions', { json: { endpoint, keys } as CreatePushSubscription })
  writeStored(NOTIFIED_KEY, `${signInKey(userId)} ${id} ${endpoint}`)
}

/** Subscribes with the server's key; a subscription made with another key, as before a restore, is replaced. */
async function subscribe({ pushManager }: ServiceWorkerRegistration): Promise<PushSubscription> {
  const { public_key: applicationServerKey } = await call('GET /push/key')
  const current = await pushManager.getSubscription()
  if (current && keyOf(current) !== applicationServerKey) await current.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
}

/** Key that a subscription was made with, base64url. */
function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

let renewal = Promise.resolve()

/** Registers this device again after its user signed in once more, or the browser replaced or lost its subscription. */
export function renewPush(userId: string): Promise<void> {
  renewal = renew(userId)
  return renewal
}

async function renew(userId: string): Promise<void> {
  const notified = readStored(NOTIFIED_KEY)
  if (!notified?.startsWith(`${userId} `)) return
  const registration = await registrationOf()
  if (registration === null || Notification.permission !== 'granted') return
  const current = await registration.pushManager.getSubscription()
  if (current && notified.startsWith(`${signInKey(userId)} `) && notified.endsWith(` ${current.endpoint}`)) return
  const subscription = await subscribe(registration)
  // Turned off meanwhile, on this page or another.
  if (readStored(NOTIFIED_KEY) === null) return void (await subscription.unsubscribe())
  await addPushSubscription(subscription, userId)
}

/** State of push notifications on this device; the HTTP status when its push service refused the last message. */
type PushState = 'unsupported' | 'denied' | 'off' | 'on' | { refusedStatus: number }

/** Checks if the server sends an account's notifications to this device while no page is open. */
export async function pushState(userId: string): Promise<PushState> {
  const registration = await registrationOf()
  if (registration === null) return 'unsupported'
  await renewal.catch(() => {})
  const subscription = await registration.pushManager.getSubscription()
  const notified = readStored(NOTIFIED_KEY)
  if (subscription !== null && notified?.startsWith(`${userId} `)) {
    const { subscriptions } = await call('GET /push/subscriptions')
    const device = subscriptions.find(({ id }) => notified.includes(` ${id} `))
    if (device) return device.refused_status === null ? 'on' : { refusedStatus: device.refused_status }
  }
  return Notification.permission === 'denied' ? 'denied' : 'off'
}

/** Asks for permission and subscribes this device; resolves to the resulting state. */
export async function turnPushOn(userId: string): Promise<PushState> {
  const registration = await registrationOf()
  if (registration === null) return 'unsupported'
  if ((await Notification.requestPermission()) !== 'granted') return pushState(userId)
  const subscription = await subscribe(registration)
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
  // first, or a page that starts meanwhile would take the subscription for lost, and renew it
  const notified = readStored(NOTIFIED_KEY)
  writeStored(NOTIFIED_KEY, null)
  const subscription = await (await registrationOf())?.pushManager.getSubscription()
  if (subscription) {
    await subscription.unsubscribe().catch((error: unknown) => {
      // It's still on.
      writeStored(NOTIFIED_KEY, notified)
      throw error
    })
    // the server also forgets the subscription when the push service reports that it's gone
    await call('DELETE /push/subscriptions', { json: { endpoint: subscription.endpoint } }).catch((error: unknown) =>
      console.warn(error),
    )
  }
  return pushState(userId)
}

async function registrationOf(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || typeof Notification === 'undefined') return null
  return (await navigator.serviceWorker.getRegistration()) ?? null
}
