import type { UserEventJson } from '@mira/shared'
import { SSE_DONE } from '@mira/shared/constants/sse'
import { requestEvents } from '../api/client.ts'
import { pause } from '../browser/pause.ts'
import { randomUuid } from '../browser/random-uuid.ts'
import { type ClientEvent, quietMs, tellThisTab } from './event-stream.ts'

/** Follows what happens to the user's things; ends when the server closes the stream. */
async function* followUserEvents(signal: AbortSignal, onActivity: () => void): AsyncGenerator<UserEventJson> {
  for await (const { data } of requestEvents('/events', { signal }, onActivity)) {
    if (data === SSE_DONE) return
    yield JSON.parse(data) as UserEventJson
  }
}

/** Message between tabs: an event, of which `to` is told alone; or the question of a new tab what was told before. */
type TabMessage = (ClientEvent & { to?: string }) | { type: 'tab.asks'; tab: string }

/** The server sends something at least every 15 s; a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000
const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 30_000

/** True when there were events since this page began to load, before it was told of any. */
function hasMissedSome(event: ClientEvent): boolean {
  return event.type === 'events.connected' && event.quiet_ms <= performance.now()
}

/**
 * Follows the user's events for all tabs of this browser and returns how to stop.
 *
 * Browsers allow six connections per host, so one tab holds the stream (Web Locks) and tells the others
 * (BroadcastChannel); when it is closed another takes over. Where the browser has no locks (pages that are neither
 * https nor localhost) every tab holds its own.
 */
export function startUserEvents(userId: string): () => void {
  const stopping = new AbortController()
  const { signal } = stopping
  if (!navigator.locks) {
    void holdStream(signal, tellThisTab, false)
    return () => stopping.abort()
  }
  const name = `mira-events-${userId}`
  const channel = new BroadcastChannel(name)
  const tab = randomUuid()
  let isNew = true
  const answer = (asking: string) => {
    channel.postMessage({ type: 'events.connected', quiet_ms: quietMs(), to: asking } satisfies TabMessage)
  }
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.type === 'tab.asks') answer(data.tab)
    else if (data.to === undefined) tellThisTab(data)
    // each of the other tabs answers
    else if (data.to === tab && isNew && hasMissedSome(data)) {
      isNew = false
      tellThisTab({ type: 'events.resumed' })
    }
  }
  channel.postMessage({ type: 'tab.asks', tab } satisfies TabMessage)
  const tellAllTabs = (event: ClientEvent) => {
    channel.postMessage(event)
    tellThisTab(event)
  }
  const askedAt = performance.now()
  navigator.locks
    // Who had to wait takes over from a tab that was closed, and does not know what was said meanwhile.
    .request(name, { signal }, () => holdStream(signal, tellAllTabs, performance.now() - askedAt > FIRST_DELAY_MS))
    .catch((error) => {
      if (!signal.aborted) console.error('The events of this account cannot be followed', error)
    })
  return () => {
    stopping.abort()
    channel.close()
  }
}

/** Reads the stream and opens it again when it breaks, until `signal` aborts. */
async function holdStream(signal: AbortSignal, tell: (event: ClientEvent) => void, isTakeover: boolean): Promise<void> {
  let failures = 0
  let isInterrupted = isTakeover
  while (!signal.aborted) {
    const silence = watchSilence(signal)
    const isFirst = !isInterrupted
    try {
      const onActivity = () => {
        silence.restart()
        if (isInterrupted) tell({ type: 'events.resumed' })
        isInterrupted = false
        failures = 0
      }
      for await (const event of followUserEvents(silence.signal, onActivity)) {
        if (event.type !== 'events.connected') tell(event)
        else if (isFirst && hasMissedSome(event)) tell({ type: 'events.resumed' })
      }
    } catch (error) {
      if (!signal.aborted && failures === 0) console.warn('The stream of events broke and will be opened again', error)
    } finally {
      silence.stop()
    }
    isInterrupted = true
    failures += 1
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS)
    // at random, so that many browsers don't come back at once
    await pause(delayMs * (0.75 + Math.random() / 2), signal)
  }
}

/** Aborts when nothing called `restart` for too long, or when `signal` aborts. */
function watchSilence(signal: AbortSignal) {
  const silent = new AbortController()
  const arm = () => setTimeout(() => silent.abort(new Error('No sign of life from the server')), SILENCE_MS)
  let timer = arm()
  return {
    signal: AbortSignal.any([signal, silent.signal]),
    restart: () => {
      clearTimeout(timer)
      timer = arm()
    },
    stop: () => clearTimeout(timer),
  }
}
