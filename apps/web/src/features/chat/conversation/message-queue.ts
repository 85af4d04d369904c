import { REMEMBER } from '@mira/shared/constants/agents'
import type {
  ChatItem,
  ConversationTools,
  MessageOptions,
  OpenConversation,
  UnsentMessage,
} from './conversation-state.ts'

/** Maximum length of the queue; a longer queue would fill the screen and the browser's storage. */
export const MAX_QUEUED = 20

/** Queue for messages written while an answer is generated. */
export interface MessageQueue {
  /** Queues a message until the current answer has ended well; false when it's blank or the queue is full. */
  sendLater: (content: string, options: MessageOptions) => boolean
  /**
   * Sends a queued message before the others, stopping the current answer.
   *
   * @throws ApiError when the answer couldn't be stopped.
   */
  sendNow: (key: string) => Promise<void>
}

/**
 * Creates the queue of the open conversation. After an answer that was stopped or failed, or that asks the user something,
 * nothing is sent automatically, because the queued messages may no longer apply.
 */
export function createMessageQueue(
  { state, dispatch }: OpenConversation,
  {
    compose,
    start,
    stop,
    keep,
  }: {
    compose: (content: string, options: MessageOptions) => UnsentMessage | null
    /** False when the message is no longer queued. */
    start: (message: UnsentMessage) => Promise<boolean>
    stop: () => Promise<void>
    keep: ConversationTools['unsent']['keep']
  },
): MessageQueue {
  /** Message to send however the answer ends: it was written after Stop, or the user chose to send it now. */
  let nextKey: string | null = null
  let previous = state.get()
  /** True when the stream ended without a final event: the answer may still be in progress. */
  let wasCut = false

  state.subscribe((next) => {
    const hasEnded = previous.activity !== 'idle' && next.activity === 'idle'
    if (hasEnded) wasCut = previous.items.at(-1)?.streaming === true
    previous = next
    // Runs after the other subscribers, such as the one that reloads the conversation.
    if (hasEnded) queueMicrotask(sendNext)
  })

  function sendNext(): void {
    const { activity, queued, items } = state.get()
    const next = queued[0]
    if (activity !== 'idle' || !next) return
    const last = items.at(-1)
    const hasEndedWell = !wasCut && last !== undefined && isDone(last)
    const isForced = nextKey === next.client_id
    if (isForced) nextKey = null
    if (hasEndedWell || isForced) void start(next).then((isSent) => isSent || sendNext())
  }

  return {
    sendLater(content, options) {
      if (state.get().queued.length >= MAX_QUEUED) return false
      const composed = compose(content, options)
      if (!composed) return false
      const message: UnsentMessage = { ...composed, isWaiting: true }
      const { sessionId, isStopping, queued } = state.get()
      if (isStopping && queued.length === 0) nextKey = message.client_id
      keep(sessionId, message, options.pictures?.length ? options.pictures : undefined)
      const images = options.pictures?.map(({ name, url }) => ({ name, url, thumbnail: url }))
      dispatch({ type: 'queued', message: images ? { ...message, images } : message })
      return true
    },

    async sendNow(key) {
      nextKey = key
      dispatch({ type: 'preferred', key })
      if (state.get().activity === 'idle') sendNext()
      else await stop()
    },
  }
}

/** True when an answer is complete. A proposed fact doesn't delay the next message. */
function isDone({ delivery, error, interrupted, agent_calls }: ChatItem): boolean {
  const asksUser = agent_calls.some(({ state, name }) => state === 'waiting' && name !== REMEMBER)
  return delivery === 'stored' && error === null && !interrupted && !asksUser
}
