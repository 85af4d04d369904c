import type { UserEventJson } from '@mira/shared'
import { SSE_DONE } from '@mira/shared/constants/sse'
import { requestEvents } from '../api/client.ts'
import { pause } from '../browser/pause.ts'
import { randomUuid } from '../browser/random-uuid.ts'
import { type ClientEvent, notifyThisTab, quietMs } from './event-stream.ts'

/** Streams the user's events; ends when the server closes the stream. */
async function* streamUserEvents(signal: AbortSignal, onActivity: () => void): AsyncGenerator<UserEventJson> {
  for await (const { data } of requestEvents('/events', { signal }, onActivity)) {
    if (data === SSE_DONE) return
    yield JSON.parse(data) as UserEventJson
  }
}

/** Message between tabs: an event, for all tabs or only for the tab `to`; or a new tab's question whether it missed events. */
type TabMessage = (ClientEvent & { to?: string }) | { type: 'tab.asks'; tab: string }

/** Silence after which a connection counts as dead: the server sends something at least every 15 s. */
const SILENCE_MS = 45_000
const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 30_000

/** True when a connection reports that the latest event came after this page began to load, so that the page may have missed it. */
function hasMissedEvents(event: ClientEvent): boolean {
  return event.type === 'events.connected' && event.quiet_ms <= performance.now()
}

/**
 * Follows the user's events for all tabs of this browser; returns a function that stops it.
 *
 * Browsers allow six connections per host, so one tab opens the stream (Web Locks) and forwards it to the others
 * (BroadcastChannel); when it's closed, another takes over. Where the browser has no locks (pages that are neither
 * https nor localhost), every tab opens its own.
 */
export function startUserEvents(userId: string): () => void {
  const controller = new AbortController()
  const { signal } = controller
  if (!navigator.locks) {
    void keepStreaming(signal, notifyThisTab, false)
    return () => controller.abort()
  }
  const name = `mira-events-${userId}`
  const channel = new BroadcastChannel(name)
  const tab = randomUuid()
  let isNew = true
  const replyTo = (askingTab: string) => {
    channel.postMessage({ type: 'events.connected', quiet_ms: quietMs(), to: askingTab } satisfies TabMessage)
  }
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.type === 'tab.asks') replyTo(data.tab)
    else if (data.to === undefined) notifyThisTab(data)
    // Every other tab replies, but the data must be reloaded only once.
    else if (data.to === tab && isNew && hasMissedEvents(data)) {
      isNew = false
      notifyThisTab({ type: 'events.resumed' })
    }
  }
  channel.postMessage({ type: 'tab.asks', tab } satisfies TabMessage)
  const notifyAllTabs = (event: ClientEvent) => {
    channel.postMessage(event)
    notifyThisTab(event)
  }
  const askedAt = performance.now()
  navigator.locks
    // After a wait, this tab takes over from a closed one and may have missed events meanwhile.
    .request(name, { signal }, () => keepStreaming(signal, notifyAllTabs, performance.now() - askedAt > FIRST_DELAY_MS))
    .catch((error) => {
      if (!signal.aborted) console.error('The events of this account cannot be followed', error)
    })
  return () => {
    controller.abort()
    channel.close()
  }
}

/** Reads the stream and reopens it when it breaks, until `signal` aborts. */
async function keepStreaming(
  signal: AbortSignal,
  notify: (event: ClientEvent) => void,
  isTakeover: boolean,
): Promise<void> {
  let failures = 0
  let isInterrupted = isTakeover
  while (!signal.aborted) {
    const silence = watchSilence(signal)
    const isFirst = !isInterrupted
    try {
      const onActivity = () => {
        silence.restart()
        if (isInterrupted) notify({ type: 'events.resumed' })
        isInterrupted = false
        failures = 0
      }
      for await (const event of streamUserEvents(silence.signal, onActivity)) {
        if (event.type !== 'events.connected') notify(event)
        else if (isFirst && hasMissedEvents(event)) notify({ type: 'events.resumed' })
      }
    } catch (error) {
      if (!signal.aborted && failures === 0) console.warn('The event stream broke and will be reopened', error)
    } finally {
      silence.stop()
    }
    isInterrupted = true
    failures += 1
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS)
    // randomised, so that many browsers don't reconnect at once
    await pause(delayMs * (0.75 + Math.random() / 2), signal)
  }
}

/** Aborts when `restart` isn't called for `SILENCE_MS`, or when `signal` aborts. */
function watchSilence(signal: AbortSignal) {
  const silent = new AbortController()
  const startTimer = () => setTimeout(() => silent.abort(new Error('No sign of life from the server')), SILENCE_MS)
  let timer = startTimer()
  return {
    signal: AbortSignal.any([signal, silent.signal]),
    restart: () => {
      clearTimeout(timer)
      timer = startTimer()
    },
    stop: () => clearTimeout(timer),
  }
}
