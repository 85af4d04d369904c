import { MAKE_PICTURE } from '@mira/shared/constants/agents'
import { ApiError } from '../../../lib/api/client.ts'
import type { AnswerPart } from './chat-calls.ts'
import type { ConversationTools, OpenConversation } from './conversation-state.ts'

/** Delays before reconnecting; the last one repeats. */
const RECONNECT_DELAYS_MS = [300, 1_000, 2_000, 4_000, 8_000, 15_000]
/** Called with the conversation's id once the server has accepted the message; null where nothing is stored. */
type Accept = (sessionId: string | null) => void

/** Reads a conversation's answers to the end, however often the connection breaks. */
export interface AnswerReader {
  /** Applies the events of a stream. @throws the stream's errors. */
  read: (parts: AsyncIterable<AnswerPart>, signal: AbortSignal, onAccepted?: Accept) => Promise<void>
  /** Reads an answer that the server is generating, from its beginning. */
  stream: (sessionId: string, messageId: string) => Promise<void>
  /** Resumes a lost stream, as often as needed. */
  resume: (signal: AbortSignal) => Promise<void>
  /** Handles the end of a stream. */
  end: (signal: AbortSignal) => void
  /** Gives up a stream that can't be read although the server responds, and loads the messages that the server has. */
  fail: (error: unknown, signal: AbortSignal) => void
  /** Generates and reads another version of an answer. @throws ApiError when the server refuses. */
  regenerate: (key: string, model?: string) => Promise<void>
}

/** Creates the reader of the open conversation. */
export function createAnswerReader(
  open: OpenConversation,
  { api, newId, now, wait, beforeDrawing }: Pick<ConversationTools, 'api' | 'newId' | 'now' | 'wait' | 'beforeDrawing'>,
): AnswerReader {
  const { state, dispatch } = open

  async function stream(sessionId: string, messageId: string): Promise<void> {
    const { signal } = open.visit
    dispatch({ type: 'followed' })
    try {
      await read(api.streamAnswer(sessionId, { messageId, afterEventId: null }, signal), signal)
      end(signal)
    } catch (error) {
      if (signal.aborted) return
      if (!isRetryable(error)) return fail(error, signal)
      await resume(signal)
    }
  }

  async function resume(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      dispatch({ type: 'lost' })
      await wait(RECONNECT_DELAYS_MS[Math.min(failures, RECONNECT_DELAYS_MS.length - 1)]!, signal)
      if (signal.aborted) return
      const { sessionId, live, items } = state.get()
      const messageId = items.find((item) => item.key === live?.answerKey)?.id
      if (sessionId === null || !live || !messageId) return end(signal)
      try {
        const position = { messageId, afterEventId: live.lastEventId }
        await read(api.streamAnswer(sessionId, position, signal), signal)
        // Other events, such as a new name, may have been missed meanwhile, so the conversation is reloaded.
        open.needsReload = true
        return end(signal)
      } catch (error) {
        if (signal.aborted) return
        if (!isRetryable(error)) return fail(error, signal)
        // The stream made progress, so the delays start over: the loop increments this to 0.
        if (state.get().live?.lastEventId !== live.lastEventId) failures = -1
      }
    }
  }

  /** Applies events that arrive between two frames together, but the event that starts the answer immediately. */
  async function read(parts: AsyncIterable<AnswerPart>, signal: AbortSignal, onAccepted?: Accept): Promise<void> {
    let pending: AnswerPart[] = []
    const flush = () => {
      const batch = pending
      pending = []
      if (batch.length > 0 && !signal.aborted) apply(batch)
    }
    try {
      for await (const part of parts) {
        if (pending.push(part) === 1) beforeDrawing(flush)
        if (part.event.type === 'session') {
          onAccepted?.(part.event.session_id)
          flush()
        }
      }
    } finally {
      flush()
    }
  }

  function apply(parts: readonly AnswerPart[]): void {
    open.revision += 1
    dispatch({ type: 'received', parts })
    // A generated picture isn't part of the stream; it comes with the reloaded message.
    if (parts.some(({ event }) => event.type === 'agent' && event.name === MAKE_PICTURE)) open.needsReload = true
    if (!parts.some(({ event }) => event.type === 'session')) return
    const { items, live } = state.get()
    if (!items.some((item) => item.key === live?.answerKey)) void open.refresh()
  }

  function end(signal: AbortSignal): void {
    if (signal.aborted) return
    const isComplete = !state.get().items.some((item) => item.streaming && item.key === state.get().live?.answerKey)
    open.revision += 1
    dispatch({ type: 'ended' })
    if (!open.needsReload && isComplete) return
    open.needsReload = false
    // A stream that ended without a final event isn't followed again: it would end the same way.
    void open.refresh(isComplete)
  }

  function fail(error: unknown, signal: AbortSignal): void {
    if (!(error instanceof ApiError)) console.error('The answer could not be read', error)
    open.needsReload = true
    end(signal)
  }

  async function regenerate(key: string, model?: string): Promise<void> {
    const { items, sessionId, activity } = state.get()
    const answer = items.find((item) => item.key === key)
    if (activity !== 'idle' || sessionId === null || !answer?.id) return
    const { signal } = open.visit
    let isAccepted = false
    const settled = Promise.withResolvers<void>()
    open.pendingRegeneration = settled.promise
    open.revision += 1
    dispatch({ type: 'regenerated', key, answerKey: newId(), at: now().toISOString() })
    try {
      await read(api.regenerateAnswer(sessionId, { messageId: answer.id, model }, signal), signal, () => {
        isAccepted = true
        settled.resolve()
      })
      open.needsReload = true
      end(signal)
    } catch (error) {
      if (signal.aborted) return
      if (isAccepted) return isRetryable(error) ? resume(signal) : fail(error, signal)
      dispatch({ type: 'regenerate-refused', items })
      void open.refresh()
      throw error
    } finally {
      settled.resolve()
    }
  }

  return { read, stream, resume, end, fail, regenerate }
}

/** True when a retry may help. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ApiError && error.isTemporary
}
