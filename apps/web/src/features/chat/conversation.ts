import type { ChatMessageJson, ChatRequestJson } from '@mira/shared'
import type * as chatApi from '../../api/chat.ts'
import type { AnswerPart } from '../../api/chat.ts'
import { ApiError } from '../../api/client.ts'
import { createStore, type Store } from '../../lib/store.ts'
import {
  type ConversationAction,
  type ConversationState,
  emptyConversation,
  reduceConversation,
  type UnsentMessage,
} from './conversation-state.ts'

/** Waiting times before the connection is tried again; the last one is kept. */
const RECONNECT_DELAYS_MS = [300, 1_000, 2_000, 4_000, 8_000, 15_000]
/** A message that could not reach the server is tried this often again by itself. */
const SEND_RETRIES = 1
/** How long Stop waits for the server to have taken the message before the person gets it back. */
const STOP_UNSENT_MS = 3_000

/** What is sent when there are pictures and no text (spec §5). */
const PICTURES_ONLY_TEXT = 'Please describe these images.'

/** What a conversation needs of the world. */
export interface ConversationTools {
  api: Pick<typeof chatApi, 'fetchChatSession' | 'followAnswer' | 'regenerateAnswer' | 'sendMessage' | 'stopAnswer'>
  /** Messages that were written but are not known to be stored; survives a reload. */
  unsent: {
    list: (sessionId: string | null) => UnsentMessage[]
    keep: (sessionId: string | null, message: UnsentMessage) => void
    forget: (sessionId: string | null, clientId: string) => void
  }
  newId: () => string
  now: () => Date
  /** Resolves after a time, or sooner when the network returns or `signal` aborts. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Calls back before the browser draws next. */
  beforeDrawing: (callback: () => void) => void
}

/** One conversation that is open on the screen: what is shown of it and what can be done in it. */
export interface Conversation {
  state: Store<ConversationState>
  /** Shows a conversation, or a new one (null). */
  open: (sessionId: string | null) => void
  /** Leaves what is shown; an answer that is being made goes on at the server. */
  close: () => void
  /** False when it is blank or another message is on its way; nothing was sent then. */
  send: (content: string, options?: SendOptions) => boolean
  /**
   * Makes another answer beside one that is there.
   *
   * @throws ApiError when the server refused; what was shown is shown again then.
   */
  regenerate: (key: string) => Promise<void>
  /** Shows what the server says of a message that was changed. */
  takeChange: (message: ChatMessageJson) => void
  /** Sends a failed message again. */
  retry: (key: string) => void
  /** Asks once more, as a new message, what an answer belongs to. */
  askAgain: (answerKey: string) => void
  /** Takes a failed message back and returns its text. */
  withdraw: (key: string) => string
  /** @throws ApiError when the server could not be told. */
  stop: () => Promise<void>
  loadOlder: () => Promise<void>
  /** Loads the newest messages again and follows an answer that is being made. */
  refresh: () => Promise<void>
  /** Says that the server has news of this conversation: it is loaded again now or at the end of the answer. */
  notice: () => void
  /** Shows that the conversation was deleted. */
  noticeDeleted: () => void
  rename: (sessionName: string) => void
}

/** A picture that goes with a message. */
export interface OutgoingPicture {
  name: string
  /** Shows it on this page. */
  url: string
  /** Its bytes as a `data:` address in base64. */
  data: string
}

/** What a message may have beside its text. */
export interface SendOptions {
  pictures?: readonly OutgoingPicture[]
  /** The key of an own message beside which this one begins another branch. */
  replaces?: string
}

/** The time between opening one conversation and opening another. */
interface Visit {
  signal: AbortSignal
  /** Aborts at the end of the visit. */
  leave: () => void
}

/** A message on its way: accepted once the server has said that it is stored. */
interface Sending {
  message: UnsentMessage
  sessionId: string | null
  isAccepted: boolean
  accepted: PromiseWithResolvers<void>
  /** Gives up a message that the server has not taken yet. */
  abort: AbortController
}

/** Makes the conversation of one screen. */
export function createConversation({ api, unsent, newId, now, wait, beforeDrawing }: ConversationTools): Conversation {
  const state = createStore<ConversationState>(emptyConversation)
  let visit = createVisit()
  let sending: Sending | null = null
  let hasNews = false
  /** Pictures of messages that are on their way, or failed on it. */
  const pictures = new Map<string, readonly OutgoingPicture[]>()
  /** Counts what changes the messages, so that an answer from before is not taken for the newest. */
  let revision = 0

  function dispatch(action: ConversationAction): void {
    state.set(reduceConversation(state.get(), action))
  }

  function open(sessionId: string | null): void {
    close()
    visit = createVisit()
    hasNews = false
    dispatch({ type: 'opened', sessionId, unsent: unsent.list(sessionId) })
    if (sessionId !== null) void refresh()
  }

  function close(): void {
    visit.leave()
    sending = null
  }

  async function refresh(mayFollow = true): Promise<void> {
    const { sessionId } = state.get()
    if (sessionId === null) return
    const { signal } = visit
    const revisionBefore = revision
    try {
      const detail = await api.fetchChatSession(sessionId, {}, signal)
      if (signal.aborted) return
      if (revision !== revisionBefore) return notice()
      dispatch({ type: 'loaded', detail })
      forgetArrived(sessionId)
      const newest = detail.messages.at(-1)
      if (mayFollow && newest?.streaming && state.get().activity === 'idle') void follow(sessionId, newest.id)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof ApiError)) console.error('The conversation could not be loaded', error)
      dispatch({ type: 'load-failed', isMissing: error instanceof ApiError && isFinal(error) })
    }
  }

  /** Forgets unsent messages that the server turned out to have. */
  function forgetArrived(sessionId: string): void {
    const shown = new Set(state.get().items.map((item) => item.key))
    for (const { client_id } of unsent.list(sessionId)) {
      if (!shown.has(client_id)) unsent.forget(sessionId, client_id)
    }
  }

  function notice(): void {
    if (state.get().activity === 'idle') void refresh()
    else hasNews = true
  }

  function send(content: string, { pictures: chosen = [], replaces }: SendOptions = {}): boolean {
    const text = content.trim() || (chosen.length > 0 ? PICTURES_ONLY_TEXT : '')
    const { items, activity } = state.get()
    if (text === '' || activity !== 'idle') return false
    const index = items.findIndex((item) => item.key === replaces)
    const client_id = newId()
    if (chosen.length > 0) pictures.set(client_id, chosen)
    start(
      {
        client_id,
        content: text,
        created_at: now().toISOString(),
        ...(index === -1 ? {} : { parent_id: items[index]!.parent_id ?? items[index - 1]?.id ?? null }),
      },
      replaces,
    )
    return true
  }

  function start(message: UnsentMessage, replaces?: string): void {
    const { sessionId } = state.get()
    const images = (pictures.get(message.client_id) ?? []).map(({ name, url }) => ({ name, url, thumbnail: url }))
    unsent.keep(sessionId, message)
    if (replaces !== undefined) revision += 1
    dispatch({ type: 'sent', message: { ...message, images }, replaces })
    void deliver({
      message,
      sessionId,
      isAccepted: false,
      accepted: Promise.withResolvers(),
      abort: new AbortController(),
    })
  }

  /** Sends a message and reads its answer to the end, however often the connection breaks. */
  async function deliver(current: Sending): Promise<void> {
    const { signal } = visit
    const { message } = current
    const images = (pictures.get(message.client_id) ?? []).map(({ data }) => data)
    const request: ChatRequestJson = {
      content: message.content,
      session_id: current.sessionId,
      has_images: images.length > 0,
      images,
      client_id: message.client_id,
      ...(message.parent_id === undefined ? {} : { parent_id: message.parent_id }),
    }
    sending = current
    // Who leaves before the server has the message does not take it back: it is read until it is stored.
    const reading = new AbortController()
    const leave = () => current.isAccepted && reading.abort()
    signal.addEventListener('abort', leave)
    current.abort.signal.addEventListener('abort', () => reading.abort())
    const accept = () => {
      current.isAccepted = true
      current.accepted.resolve()
      pictures.delete(message.client_id)
      unsent.forget(current.sessionId, message.client_id)
      if (signal.aborted) reading.abort()
    }
    try {
      for (let failures = 0; !current.isAccepted; ) {
        try {
          await read(api.sendMessage(request, reading.signal), signal, accept)
          return end(signal)
        } catch (error) {
          if (current.abort.signal.aborted) return refuse(current, null)
          if (reading.signal.aborted) return
          if (current.isAccepted) {
            if (!isTemporary(error)) return fail(error, signal)
            break
          }
          failures += 1
          if (!isLost(error) || failures > SEND_RETRIES) return refuse(current, error)
          if (!signal.aborted) dispatch({ type: 'lost' })
          await wait(RECONNECT_DELAYS_MS[1]!, current.abort.signal)
        }
      }
      await takeUp(signal)
    } finally {
      signal.removeEventListener('abort', leave)
      if (sending === current) sending = null
    }

    function refuse({ message: { client_id } }: Sending, error: unknown): void {
      if (error !== null && !(error instanceof ApiError)) console.error('The message could not be sent', error)
      if (!signal.aborted) dispatch({ type: 'refused', clientId: client_id, error })
    }
  }

  async function regenerate(key: string): Promise<void> {
    const { items, sessionId, activity } = state.get()
    const answer = items.find((item) => item.key === key)
    if (activity !== 'idle' || sessionId === null || !answer?.id) return
    const { signal } = visit
    let isAccepted = false
    revision += 1
    dispatch({ type: 'regenerated', key, answerKey: newId(), at: now().toISOString() })
    try {
      await read(api.regenerateAnswer(sessionId, answer.id, signal), signal, () => {
        isAccepted = true
      })
      hasNews = true
      end(signal)
    } catch (error) {
      if (signal.aborted) return
      if (isAccepted) return isTemporary(error) ? takeUp(signal) : fail(error, signal)
      dispatch({ type: 'regenerate-refused', items })
      void refresh()
      throw error
    }
  }

  /** Reads the answer that the server is making, from its beginning. */
  async function follow(sessionId: string, messageId: string): Promise<void> {
    const { signal } = visit
    dispatch({ type: 'followed' })
    try {
      await read(api.followAnswer(sessionId, { messageId, afterEventId: null }, signal), signal)
      end(signal)
    } catch (error) {
      if (signal.aborted) return
      if (!isTemporary(error)) return fail(error, signal)
      await takeUp(signal)
    }
  }

  /** Goes on where a lost stream stopped, as often as it takes. */
  async function takeUp(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      dispatch({ type: 'lost' })
      await wait(RECONNECT_DELAYS_MS[Math.min(failures, RECONNECT_DELAYS_MS.length - 1)]!, signal)
      if (signal.aborted) return
      const { sessionId, live, items } = state.get()
      const messageId = items.find((item) => item.key === live?.answerKey)?.id
      if (sessionId === null || !live || !messageId) return end(signal)
      try {
        const reached = { messageId, afterEventId: live.lastEventId }
        await read(api.followAnswer(sessionId, reached, signal), signal)
        // What was said while nobody listened, such as a new name, is fetched now.
        hasNews = true
        return end(signal)
      } catch (error) {
        if (signal.aborted) return
        if (!isTemporary(error)) return fail(error, signal)
        if (state.get().live?.lastEventId !== live.lastEventId) failures = -1
      }
    }
  }

  /** Takes in the events of a stream, all that come between two drawings at once. */
  async function read(parts: AsyncIterable<AnswerPart>, signal: AbortSignal, onAccepted?: () => void): Promise<void> {
    let waiting: AnswerPart[] = []
    const flush = () => {
      const arrived = waiting
      waiting = []
      if (arrived.length > 0 && !signal.aborted) take(arrived)
    }
    try {
      for await (const part of parts) {
        if (waiting.push(part) === 1) beforeDrawing(flush)
        if (part.event.type === 'session') {
          onAccepted?.()
          flush()
        }
      }
    } finally {
      flush()
    }
  }

  function take(parts: readonly AnswerPart[]): void {
    revision += 1
    dispatch({ type: 'received', parts })
    if (!parts.some(({ event }) => event.type === 'session')) return
    const { items, live } = state.get()
    if (!items.some((item) => item.key === live?.answerKey)) void refresh()
  }

  function end(signal: AbortSignal): void {
    if (signal.aborted) return
    const isComplete = !state.get().items.some((item) => item.streaming && item.key === state.get().live?.answerKey)
    revision += 1
    dispatch({ type: 'ended' })
    if (!hasNews && isComplete) return
    hasNews = false
    // A stream that ended without saying how would only do so again.
    void refresh(isComplete)
  }

  /** The stream cannot be read any more, although the server answers: what it has is shown. */
  function fail(error: unknown, signal: AbortSignal): void {
    if (!(error instanceof ApiError)) console.error('The answer could not be read', error)
    hasNews = true
    end(signal)
  }

  async function stop(): Promise<void> {
    const { activity, isStopping, sessionId } = state.get()
    if (activity === 'idle' || isStopping) return
    dispatch({ type: 'stop-wanted' })
    if (!sending || sending.isAccepted) return tellToStop(sessionId!)
    // Not stored yet: it is stopped as soon as it is, or not sent at all.
    const current = sending
    await Promise.race([current.accepted.promise, wait(STOP_UNSENT_MS, visit.signal)])
    if (sending !== current) return
    if (!current.isAccepted) current.abort.abort()
    else await tellToStop(state.get().sessionId!)
  }

  async function tellToStop(sessionId: string): Promise<void> {
    const { signal } = visit
    try {
      await api.stopAnswer(sessionId)
    } catch (error) {
      if (signal.aborted) return
      dispatch({ type: 'stop-failed' })
      throw error
    }
  }

  return {
    state,
    open,
    close,
    send,
    regenerate,
    takeChange: (message) => dispatch({ type: 'changed', message }),
    refresh: () => refresh(),
    notice,
    stop,

    retry(key) {
      const item = state.get().items.find((one) => one.key === key && one.delivery === 'failed')
      if (!item || state.get().activity !== 'idle') return
      const { sessionId } = state.get()
      const kept = unsent.list(sessionId).find(({ client_id }) => client_id === key)
      start({ ...kept, client_id: key, content: item.content, created_at: now().toISOString() })
    },

    askAgain(answerKey) {
      const { items } = state.get()
      const place = items.findIndex((item) => item.key === answerKey)
      const question = items.slice(0, Math.max(place, 0)).findLast((item) => item.role === 'user')
      if (question) send(question.content)
    },

    withdraw(key) {
      const { items, sessionId } = state.get()
      const item = items.find((one) => one.key === key && one.delivery === 'failed')
      unsent.forget(sessionId, key)
      pictures.delete(key)
      dispatch({ type: 'withdrawn', key })
      // An edited message had taken the place of a branch, which is shown again.
      void refresh()
      return item?.content ?? ''
    },

    async loadOlder() {
      const { sessionId, previousCursor, older } = state.get()
      if (sessionId === null || previousCursor === null || older === 'loading') return
      const { signal } = visit
      dispatch({ type: 'older-wanted' })
      try {
        const detail = await api.fetchChatSession(sessionId, { before: previousCursor }, signal)
        if (!signal.aborted) dispatch({ type: 'older-loaded', detail })
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof ApiError)) console.error('Older messages could not be loaded', error)
        dispatch({ type: 'older-failed' })
      }
    },

    noticeDeleted() {
      close()
      visit = createVisit()
      dispatch({ type: 'opened', sessionId: state.get().sessionId, unsent: [] })
      dispatch({ type: 'load-failed', isMissing: true })
    },

    rename: (sessionName) => dispatch({ type: 'renamed', sessionName }),
  }
}

function createVisit(): Visit {
  const controller = new AbortController()
  return { signal: controller.signal, leave: () => controller.abort() }
}

/** True when the connection broke, so that nobody knows whether the server has the message. */
function isLost(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0
}

function isTemporary(error: unknown): boolean {
  return error instanceof ApiError && error.isTemporary
}

/** True when asking again would not help: it is not there, or not for this person. */
function isFinal(error: ApiError): boolean {
  return error.status === 404 || error.status === 403 || error.status === 422
}
