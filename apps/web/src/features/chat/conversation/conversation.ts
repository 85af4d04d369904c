import type { ChatMessageJson } from '@mira/shared'
import { ApiError } from '../../../lib/api/client.ts'
import { createStore, type Store } from '../../../lib/loading/store.ts'
import { createAnswerReader } from './answer-reader.ts'
import { reduceConversation } from './conversation-reducer.ts'
import {
  type ConversationState,
  type ConversationTools,
  emptyConversation,
  type ModelChoice,
  type OpenConversation,
  type Visit,
} from './conversation-state.ts'
import { createMessageSender, type MessageSender } from './message-sender.ts'

/** The open conversation: its state and the actions on it. */
export interface Conversation
  extends Pick<MessageSender, 'send' | 'sendLater' | 'sendNow' | 'retry' | 'withdraw' | 'stop'> {
  state: Store<ConversationState>
  /** Shows a conversation, or a new one (null). */
  open: (sessionId: string | null) => void
  /** Leaves the conversation; an answer being generated continues on the server. */
  close: () => void
  /**
   * Generates another version of an answer, by the conversation's model or another one.
   *
   * @throws ApiError when the server refuses; the previous messages are then shown again.
   */
  regenerate: (key: string, model?: string) => Promise<void>
  /** Shows the server's version of a changed message, and follows an answer that continues. */
  applyChange: (message: ChatMessageJson) => void
  loadOlder: () => Promise<void>
  /** Reloads the newest messages and follows an answer being generated. */
  refresh: () => Promise<void>
  /** Reloads the conversation after a change on the server: immediately, or at the end of the current answer. */
  reloadWhenIdle: () => void
  /** Shows that the conversation was deleted. */
  showDeleted: () => void
  rename: (sessionName: string) => void
  /** Changes the model and parameters. @throws ApiError when the server refuses; the previous choice is then restored. */
  choose: (choice: ModelChoice) => Promise<void>
}

export function createConversation(tools: ConversationTools): Conversation {
  const { api, unsent } = tools
  const state = createStore<ConversationState>(emptyConversation)
  const dispatch: OpenConversation['dispatch'] = (action) => state.set(reduceConversation(state.get(), action))
  const current: OpenConversation = {
    state,
    dispatch,
    visit: createVisit(),
    revision: 0,
    needsReload: false,
    pendingChoice: null,
    refresh,
  }
  const reader = createAnswerReader(current, tools)
  const sender = createMessageSender(current, tools, reader)

  function open(sessionId: string | null): void {
    close()
    current.visit = createVisit()
    current.needsReload = false
    const unsentMessages = unsent.list(sessionId)
    dispatch({ type: 'opened', sessionId, unsent: unsentMessages })
    void sender.loadPictures(unsentMessages)
    if (sessionId !== null) void refresh()
  }

  function close(): void {
    current.visit.leave()
    sender.leave()
  }

  async function refresh(mayStream = true): Promise<void> {
    const { sessionId } = state.get()
    if (sessionId === null) return
    const { signal } = current.visit
    const revisionBefore = current.revision
    try {
      const detail = await api.fetchChatSession(sessionId, {}, signal)
      if (signal.aborted) return
      if (current.revision !== revisionBefore) return reloadWhenIdle()
      dispatch({ type: 'loaded', detail })
      forgetArrived(sessionId, detail.messages)
      const newest = detail.messages.at(-1)
      if (mayStream && newest?.streaming && state.get().activity === 'idle') void reader.stream(sessionId, newest.id)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof ApiError)) console.error('The conversation could not be loaded', error)
      dispatch({ type: 'load-failed', isMissing: error instanceof ApiError && isFinal(error) })
    }
  }

  /** Forgets unsent messages that the server turned out to have. */
  function forgetArrived(sessionId: string, messages: readonly ChatMessageJson[]): void {
    const arrivedIds = new Set(messages.map(({ client_id }) => client_id))
    for (const { client_id } of unsent.list(sessionId)) {
      if (arrivedIds.has(client_id)) unsent.forget(sessionId, client_id)
    }
  }

  function reloadWhenIdle(): void {
    if (state.get().activity === 'idle') void refresh()
    else current.needsReload = true
  }

  function applyChange(message: ChatMessageJson): void {
    dispatch({ type: 'changed', message })
    const { sessionId, activity } = state.get()
    if (message.streaming && sessionId !== null && activity === 'idle') void reader.stream(sessionId, message.id)
  }

  async function choose(choice: ModelChoice): Promise<void> {
    const { sessionId, choice: previousChoice } = state.get()
    const { signal } = current.visit
    current.revision += 1
    dispatch({ type: 'chosen', choice })
    if (sessionId === null) return
    const update = api.updateChatSession(sessionId, { model: choice.model, parameters: choice.parameters })
    const settled = update.catch(() => undefined)
    current.pendingChoice = settled
    try {
      await update
    } catch (error) {
      if (!signal.aborted && state.get().choice === choice) dispatch({ type: 'chosen', choice: previousChoice })
      throw error
    } finally {
      current.revision += 1
      if (current.pendingChoice === settled) current.pendingChoice = null
    }
  }

  return {
    state,
    open,
    close,
    send: sender.send,
    sendLater: sender.sendLater,
    sendNow: sender.sendNow,
    regenerate: reader.regenerate,
    retry: sender.retry,
    withdraw: sender.withdraw,
    stop: sender.stop,
    applyChange,
    refresh: () => refresh(),
    reloadWhenIdle,

    async loadOlder() {
      const { sessionId, previousCursor, older } = state.get()
      if (sessionId === null || previousCursor === null || older === 'loading') return
      const { signal } = current.visit
      dispatch({ type: 'older-wanted' })
      try {
        const detail = await api.fetchChatSession(sessionId, { before: previousCursor }, signal)
        if (signal.aborted) return
        dispatch({ type: 'older-loaded', detail })
        forgetArrived(sessionId, detail.messages)
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof ApiError)) console.error('Older messages could not be loaded', error)
        dispatch({ type: 'older-failed' })
      }
    },

    showDeleted() {
      close()
      current.visit = createVisit()
      dispatch({ type: 'opened', sessionId: state.get().sessionId, unsent: [] })
      dispatch({ type: 'load-failed', isMissing: true })
    },

    rename: (sessionName) => dispatch({ type: 'renamed', sessionName }),
    choose,
  }
}

function createVisit(): Visit {
  const controller = new AbortController()
  return { signal: controller.signal, leave: () => controller.abort() }
}

/** True when a retry wouldn't help: the conversation doesn't exist or isn't accessible to this user. */
function isFinal(error: ApiError): boolean {
  return error.status === 404 || error.status === 403 || error.status === 422
}
