// @vitest-environment happy-dom
import type { UserEventJson } from '@mira/shared'
import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { startUserEvents } from './event-connection.ts'
import { useUserEvents } from './event-stream.ts'

/** Opened streams, in order. */
const streams: { send: (event: UserEventJson) => void; end: () => void }[] = []

vi.mock('../api/client.ts', () => ({
  async *requestEvents(_path: string, { signal }: { signal: AbortSignal }, onActivity: () => void) {
    let next = Promise.withResolvers<UserEventJson | null>()
    const push = (event: UserEventJson | null) => {
      next.resolve(event)
      next = Promise.withResolvers()
    }
    streams.push({ send: push, end: () => push(null) })
    signal.addEventListener('abort', () => push(null))
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

/** Opens this tab; it has the stream unless another tab holds the lock, until one takes the lock. */
async function openTab({ hasStream, taken }: { hasStream: boolean; taken?: Promise<never> }) {
  let isFree = hasStream
  const request = async (_name: string, options: { steal?: boolean }, work: () => Promise<void>) => {
    if (!isFree && !options.steal) return
    isFree = false
    await Promise.race([work(), taken ?? new Promise(() => {})])
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
  expect(messages).toEqual([{ type: 'events.connected', to: 'new', quiet_ms: expect.any(Number), isStreaming: true }])
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

function useFakeIntervals() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** Lets a tab's next question to the streaming tab come due. */
async function waitForQuestion() {
  vi.advanceTimersByTime(10_000)
  await settle()
}

it('takes over while it’s visible and the streaming tab is suspended, but not while that answers', async () => {
  useFakeIntervals()
  await openTab({ hasStream: false })
  otherTab.onmessage = ({ data }) => {
    if (data.type === 'tab.asks') otherTab.postMessage({ ...connected(1e9), to: data.tab, isStreaming: true })
  }
  for (let times = 0; times < 4; times++) await waitForQuestion()
  expect(streams).toHaveLength(0)
  otherTab.onmessage = null
  await waitForQuestion()
  await waitForQuestion()
  expect(streams).toHaveLength(1)
  streams[0]!.send({ type: 'account.updated' })
  await settle()
  expect(receivedTypes).toEqual(['events.resumed', 'account.updated'])
})

it('reloads nothing when a later question is answered, since it had every event until then', async () => {
  useFakeIntervals()
  await openTab({ hasStream: false })
  let quietMs = quietSinceBeforeLoad()
  otherTab.onmessage = ({ data }) => {
    if (data.type === 'tab.asks') otherTab.postMessage({ ...connected(quietMs), to: data.tab, isStreaming: true })
  }
  await waitForQuestion()
  otherTab.postMessage({ type: 'account.updated' })
  quietMs = 10
  await waitForQuestion()
  expect(receivedTypes).toEqual(['account.updated'])
})

it('doesn’t take over from a tab that has just done so', async () => {
  useFakeIntervals()
  await openTab({ hasStream: false })
  await waitForQuestion()
  otherTab.postMessage({ type: 'events.resumed' })
  await settle()
  await waitForQuestion()
  expect(streams).toHaveLength(0)
})

it('stops streaming when another tab took over, and reloads what it may have missed', async () => {
  const { promise: taken, reject } = Promise.withResolvers<never>()
  await openTab({ hasStream: true, taken })
  reject(new DOMException('stolen', 'AbortError'))
  await settle()
  messages.length = 0
  streams[0]!.send({ type: 'account.updated' })
  await settle()
  expect(messages).toEqual([])
  expect(streams).toHaveLength(1)
  expect(receivedTypes).toEqual(['events.resumed'])
})
