// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest'
import { route } from '../../../test/routes.ts'
import { storeToken } from '../session/token.ts'
import { pushState, renewPush, turnPushOn } from './device-push.ts'

const subscription = {
  endpoint: 'https://push.example/1',
  toJSON: () => ({ endpoint: 'https://push.example/1', keys: {} }),
}

beforeEach(() => {
  localStorage.clear()
  route('POST /push/subscriptions').mockResolvedValue({ id: '1' })
  route('GET /push/key').mockResolvedValue({ public_key: 'key' })
  const pushManager = { getSubscription: async () => subscription, subscribe: async () => subscription }
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

it('is registered again after the user signs in again, since the server drops it with the old session', async () => {
  storeToken('first')
  await turnPushOn('anna')
  await renewPush('anna')
  await renewPush('ben')
  const add = route('POST /push/subscriptions')
  expect(add).toHaveBeenCalledOnce()
  storeToken('second')
  await renewPush('anna')
  await renewPush('anna')
  expect(add).toHaveBeenCalledTimes(2)
})
