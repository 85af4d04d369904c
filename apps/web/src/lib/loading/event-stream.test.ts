// @vitest-environment happy-dom
import type { UserEventJson } from '@mira/shared'
import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startUserEvents } from './event-connection.ts'
import { useUserEvents } from './event-stream.ts'

/** Opened streams, in order. */
const streams: { send: (event: UserEventJson) => void; end: () => void }[] = []

vi.mock('../api/client.ts', () => ({
  async *requestEvents(_path: string, _options: object, onActivity: () => void) {
    let next = Promise.withResolvers<UserEventJson | null>()
    const push = (event: UserEventJson | null) => {
      next.resolve(event)
      next = Promise.withResolvers()
    }
    streams.push({ send: push, end: () => push(null) })
    onActivity()
    for (let event = await next.promise; event !== null; event = await next.promise) {
      yield { data: JSON.stringify(event) }
    }
  },
}))
vi.mock('../browser/pause.ts', () => ({ pause: async () => {} }))

const receivedTypes: string[] = []
/** Channel of another tab, and the messages it received. */
let otherTab: BroadcastChannel
let messages: { type: string; tab?: string; to?: string; quiet_ms?: number }[]
let stop = () => {}
const settle = () => new Promise((resolve) => setTimeout(resolve, 30))

/** Opens this tab; it has the stream unless another tab holds the lock. */
async function openTab({ hasStream }: { hasStream: boolean }) {
  const request = async (_name: string, _options: object, work: () => Promise<void>) => {
    if (hasStream) await work()
  }
  vi.stubGlobal('navigator', { locks: { request } })
  stop = startUserEvents('u1')
  await settle()
}

beforeEach(() => {
  streams.length = 0
  receivedTypes.length = 0
  messages = []
  otherTab = new BroadcastChannel('mira-events-u1')
  otherTab.onmessage = ({ data }) => void messages.push(data)
  renderHook(() => useUserEvents(({ type }) => void receivedTypes.push(type)))
})
afterEach(() => {
  stop()
  otherTab.close()
  cleanup()
})

const connected = (quiet_ms: number) => ({ type: 'events.connected' as const, quiet_ms })
/** Milliseconds without an event that reach back before this page started to load. */
const quietSinceBeforeLoad = () => Math.ceil(performance.now()) + 1_000

it('reports possibly missed events between page load and the first stream, and after every interruption', async () => {
  await openTab({ hasStream: true })
  streams[0]!.send(connected(10))
  await settle()
  expect(receivedTypes).toEqual(['events.resumed'])
  streams[0]!.end()
  await settle()
  streams[1]!.send(connected(10))
  await settle()
  expect(receivedTypes).toEqual(['events.resumed', 'events.resumed'])
})

it('doesn’t trigger a reload when no event happened during page load', async () => {
  await openTab({ hasStream: true })
  streams[0]!.send(connected(quietSinceBeforeLoad()))
  await settle()
  expect(receivedTypes).toEqual([])
})

it('asks other tabs when one of them has the stream, and triggers a single reload', async () => {
  await openTab({ hasStream: false })
  const [question] = messages
  expect(question).toEqual({ type: 'tab.asks', tab: expect.any(String) })
  otherTab.postMessage({ ...connected(10), to: 'another' })
  otherTab.postMessage({ ...connected(quietSinceBeforeLoad()), to: question!.tab })
  await settle()
  expect(receivedTypes).toEqual([])
  for (let answers = 0; answers < 2; answers++) otherTab.postMessage({ ...connected(10), to: question!.tab })
  otherTab.postMessage({ type: 'account.updated' })
  await settle()
  expect(receivedTypes).toEqual(['events.resumed', 'account.updated'])
})

it('tells another tab how long ago its last event was', async () => {
  await openTab({ hasStream: true })
  streams[0]!.send({ type: 'account.updated' })
  await settle()
  messages.length = 0
  otherTab.postMessage({ type: 'tab.asks', tab: 'new' })
  await settle()
  expect(messages).toEqual([{ type: 'events.connected', to: 'new', quiet_ms: expect.any(Number) }])
  expect(messages[0]!.quiet_ms).toBeGreaterThanOrEqual(25)
  expect(messages[0]!.quiet_ms).toBeLessThan(performance.now() / 2)
  expect(receivedTypes).toEqual(['account.updated'])
})

it('discards early responses that are older than an event', async () => {
  window.earlyAnswers = { token: 'mine', answers: {} }
  await openTab({ hasStream: true })
  expect(window.earlyAnswers).toBeDefined()
  streams[0]!.send({ type: 'account.updated' })
  await settle()
  expect(window.earlyAnswers).toBeUndefined()
})
