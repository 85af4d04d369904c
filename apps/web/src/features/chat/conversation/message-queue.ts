import { REMEMBER } from '@mira/shared/constants/agents'
import type {
  ChatItem,
  ConversationTools,
  MessageOptions,
  OpenConversation,
  UnsentMessage,
} from './conversation-state.ts'

/** More messages than this do not wait: a longer list would fill the screen, and the storage of the browser. */
export const MAX_WAITING = 20

/** Queue for messages written while an answer is generated. */
export interface MessageQueue {
  /** Sends a message when the answer that is being made has ended well; false when it is blank, or no more may wait. */
  sendLater: (content: string, options: MessageOptions) => boolean
  /**
   * Sends a message that waits before the others: an answer that is being made is stopped for it.
   *
   * @throws ApiError when the server could not be told to stop.
   */
  sendNow: (key: string) => Promise<void>
}

/**
 * Makes the queue of what is open. After an answer that was stopped or failed, or that asks its person, nothing is sent by
 * itself: what was written before that may no longer be meant.
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
    /** False when the message is not waiting any more. */
    start: (message: UnsentMessage) => Promise<boolean>
    stop: () => Promise<void>
    keep: ConversationTools['unsent']['keep']
  },
): MessageQueue {
  /** The message that is sent however the answer ends: it was written or asked for after that was stopped. */
  let nextKey: string | null = null
  let before = state.get()
  /** The stream ended without saying how: the answer may still be made. */
  let wasCut = false

  state.subscribe((now) => {
    const hasEnded = before.activity !== 'idle' && now.activity === 'idle'
    if (hasEnded) wasCut = before.items.at(-1)?.streaming === true
    before = now
    // who hears of the end has its turn first, such as the one that loads the conversation again
    if (hasEnded) queueMicrotask(sendNext)
  })

  function sendNext(): void {
    const { activity, queued, items } = state.get()
    const next = queued[0]
    if (activity !== 'idle' || !next) return
    const last = items.at(-1)
    const endedWell = !wasCut && last !== undefined && isDone(last)
    const isWanted = nextKey === next.client_id
    if (isWanted) nextKey = null
    if (endedWell || isWanted) void start(next).then((isSent) => isSent || sendNext())
  }

  return {
    sendLater(content, options) {
      if (state.get().queued.length >= MAX_WAITING) return false
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
  const asks = agent_calls.some(({ state, name }) => state === 'waiting' && name !== REMEMBER)
  return delivery === 'stored' && error === null && !interrupted && !asks
}
