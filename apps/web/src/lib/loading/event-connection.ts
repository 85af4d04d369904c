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

/**
 * Message between tabs: an event, for all tabs or only for the tab `to`; or a tab's question whether it missed events and
 * whether one of the others streams, which all of them answer.
 */
type TabMessage = (ClientEvent & { to?: string; isStreaming?: boolean }) | { type: 'tab.asks'; tab: string }

/** Silence after which a connection counts as dead: the server sends something at least every 15 s. */
const SILENCE_MS = 45_000
/** Time after which a streaming tab that doesn't answer counts as suspended. */
const ANSWER_MS = 10_000
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
 * (BroadcastChannel); when it's closed, another takes over. iOS suspends hidden tabs with their locks, so a visible tab
 * keeps asking the streaming one, and takes the lock when it doesn't answer. Where the browser has no locks (pages that
 * are neither https nor localhost), every tab opens its own.
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
  let isStreaming = false
  let isUnanswered = false
  const replyTo = (askingTab: string) => {
    const reply = { type: 'events.connected', quiet_ms: quietMs(), to: askingTab, isStreaming } as const
    channel.postMessage(reply satisfies TabMessage)
  }
  const ask = () => channel.postMessage({ type: 'tab.asks', tab } satisfies TabMessage)
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.type === 'tab.asks') replyTo(data.tab)
    else if (data.to === undefined) {
      // only the streaming tab sends events
      isUnanswered = false
      notifyThisTab(data)
    } else if (data.to === tab) {
      // Tabs of the previous version don't say.
      if (data.isStreaming !== false) isUnanswered = false
      // Every other tab replies, but the data must be reloaded only once.
      if (isNew && hasMissedEvents(data)) {
        isNew = false
        notifyThisTab({ type: 'events.resumed' })
      }
    }
  }
  ask()
  const notifyAllTabs = (event: ClientEvent) => {
    channel.postMessage(event)
    notifyThisTab(event)
  }

  /** Ends this tab's request for the lock, whether it's granted or waits. */
  let attempt = new AbortController()
  const requestLock = ({ steals }: { steals: boolean }) => {
    attempt.abort()
    attempt = new AbortController()
    const ended = AbortSignal.any([signal, attempt.signal])
    const askedAt = performance.now()
    navigator.locks
      // The API allows no signal with `steal`.
      .request(name, steals ? { steal: true } : { signal: ended }, () => {
        isStreaming = true
        // After a wait, this tab takes over from a closed one and may have missed events meanwhile.
        return keepStreaming(ended, notifyAllTabs, steals || performance.now() - askedAt > FIRST_DELAY_MS)
      })
      .catch((error) => {
        if (ended.aborted) return
        if (!isStreaming) return console.error('The events of this account cannot be followed', error)
        // Another tab took the lock while this one was suspended.
        isStreaming = false
        requestLock({ steals: false })
        notifyThisTab({ type: 'events.resumed' })
      })
  }
  requestLock({ steals: false })

  const checkStreamingTab = () => {
    if (isStreaming) return
    if (isUnanswered) requestLock({ steals: true })
    isUnanswered = !isUnanswered
    if (!isUnanswered) return
    // From now on, this tab gets all events.
    isNew = false
    ask()
  }
  let timer: ReturnType<typeof setInterval> | undefined
  const watchStreamingTab = () => {
    clearInterval(timer)
    isUnanswered = false
    if (document.visibilityState === 'visible') timer = setInterval(checkStreamingTab, ANSWER_MS)
  }
  watchStreamingTab()
  document.addEventListener('visibilitychange', watchStreamingTab, { signal })
  signal.addEventListener('abort', () => clearInterval(timer))
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
