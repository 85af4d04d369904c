// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest'
import { route } from '../../../test/routes.ts'
import { storeToken } from '../session/token.ts'
import { pushState, renewPush, turnPushOff, turnPushOn } from './device-push.ts'

const KEY = 'c2VydmVy'
/** The browser's subscription; null when it has none. */
let subscription: ReturnType<typeof subscriptionOf> | null
let lastNumber = 0
const subscriptionOf = (key: string) => {
  const endpoint = `https://push.example/${++lastNumber}`
  return {
    endpoint,
    options: { applicationServerKey: Uint8Array.from(atob(key), (character) => character.charCodeAt(0)).buffer },
    toJSON: () => ({ endpoint, keys: {} }),
    unsubscribe: async () => {
      subscription = null
    },
  }
}
const pushManager = {
  getSubscription: async () => subscription,
  subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
    subscription ??= subscriptionOf(applicationServerKey)
    return subscription
  },
}
const serverKnows = (devices: { id: string; refused_status: number | null }[]) =>
  route('GET /push/subscriptions').mockResolvedValue({ subscriptions: devices })
const endpointsSent = () =>
  route('POST /push/subscriptions').mock.calls.map(([{ json }]) => (json as { endpoint: string }).endpoint)

beforeEach(() => {
  localStorage.clear()
  lastNumber = 0
  subscription = null
  route('POST /push/subscriptions').mockResolvedValue({ id: '1' })
  route('GET /push/key').mockResolvedValue({ public_key: KEY })
  serverKnows([{ id: '1', refused_status: null }])
  vi.stubGlobal('Notification', { permission: 'granted', requestPermission: async () => 'granted' })
  vi.stubGlobal('PushManager', class {})
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration: async () => ({ pushManager }) } })
})

it('is on for the account that turned it on, and off for another one that signs in later', async () => {
  storeToken('first')
  expect(await pushState('anna')).toBe('off')
  expect(await turnPushOn('anna')).toBe('on')
  expect(await pushState('anna')).toBe('on')
  expect(await pushState('ben')).toBe('off')
})

it('is off when the server no longer has the device, and says when its messages are refused', async () => {
  storeToken('first')
  await turnPushOn('anna')
  serverKnows([{ id: '1', refused_status: 403 }])
  expect(await pushState('anna')).toEqual({ refusedStatus: 403 })
  serverKnows([{ id: '2', refused_status: null }])
  await renewPush('anna')
  expect(await pushState('anna')).toBe('off')
  expect(endpointsSent()).toHaveLength(1)
})

it('is registered again after the user signs in again, since the server drops it with the old session', async () => {
  storeToken('first')
  await turnPushOn('anna')
  await renewPush('anna')
  await renewPush('ben')
  expect(endpointsSent()).toHaveLength(1)
  storeToken('second')
  await renewPush('anna')
  await renewPush('anna')
  expect(endpointsSent()).toEqual(['https://push.example/1', 'https://push.example/1'])
})

it('subscribes again when the server has another key, as after a restore, or the browser lost the subscription', async () => {
  storeToken('first')
  await turnPushOn('anna')
  storeToken('second')
  route('GET /push/key').mockResolvedValue({ public_key: 'cmVzdG9yZWQ' })
  await renewPush('anna')
  subscription = null
  await renewPush('anna')
  expect(endpointsSent()).toEqual(['https://push.example/1', 'https://push.example/2', 'https://push.example/3'])
})

it('stays off while it’s being turned off, even when the device is renewed at the same time', async () => {
  storeToken('first')
  await turnPushOn('anna')
  route('DELETE /push/subscriptions').mockReturnValue(new Promise(() => {}))
  void turnPushOff('anna')
  await vi.waitFor(() => expect(subscription).toBeNull())
  await renewPush('anna')
  expect(endpointsSent()).toHaveLength(1)
})

it('is off when it’s turned off during a renewal', async () => {
  storeToken('first')
  await turnPushOn('anna')
  storeToken('second')
  let respond: (key: { public_key: string }) => void = () => {}
  route('GET /push/key').mockReturnValue(new Promise((resolve) => (respond = resolve)))
  route('DELETE /push/subscriptions').mockResolvedValue(undefined)
  const renewal = renewPush('anna')
  const turningOff = turnPushOff('anna')
  await vi.waitFor(() => expect(subscription).toBeNull())
  respond({ public_key: KEY })
  await renewal
  expect(await turningOff).toBe('off')
  expect(endpointsSent()).toHaveLength(1)
  expect(subscription).toBeNull()
})

it('stays on when the browser fails to unsubscribe', async () => {
  storeToken('first')
  await turnPushOn('anna')
  Object.assign(subscription ?? {}, { unsubscribe: () => Promise.reject(new Error('busy')) })
  await expect(turnPushOff('anna')).rejects.toThrow('busy')
  expect(await pushState('anna')).toBe('on')
})
