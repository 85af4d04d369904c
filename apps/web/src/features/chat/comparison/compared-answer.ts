import type { AnswerPart } from '../../../api/chat.ts'
import { ApiError } from '../../../api/client.ts'
import { awaitedItem } from '../conversation/chat-items.ts'
import { type ChatItem, type ConversationState, emptyConversation } from '../conversation/conversation-state.ts'
import type { ConversationTools } from '../conversation/conversation-tools.ts'
import { receive } from '../conversation/received-events.ts'
import { silence } from '../conversation/started-answers.ts'

/** Waiting times before a lost answer is taken up again; after the last one it is given up. */
const RECONNECT_DELAYS_MS = [300, 1_000, 2_000, 4_000, 8_000, 15_000]

export interface ComparedAnswerTools extends Pick<ConversationTools, 'newId' | 'now' | 'wait' | 'beforeDrawing'> {
  api: Pick<ConversationTools['api'], 'regenerateAnswer' | 'followAnswer'>
}

/** Answer to compare: a new one by a model, or one already being generated. */
export type ComparedAnswer = { sessionId: string } & ({ answerId: string; model: string } | { begun: ChatItem })

/**
 * Has a question answered by one more model beside an answer that is there, or being made, and reads it to its end; of one that
 * has begun, the rest is read. What goes wrong is told in the item: no other answer is touched by it.
 */
export async function readComparedAnswer(
  { api, newId, now, wait, beforeDrawing }: ComparedAnswerTools,
  compared: ComparedAnswer,
  signal: AbortSignal,
  tell: (item: ChatItem) => void,
): Promise<void> {
  const { sessionId } = compared
  const first = 'begun' in compared ? compared.begun : awaited(newId(), now(), compared.model)
  const { key } = first
  let state: ConversationState = {
    ...emptyConversation,
    sessionId,
    items: [first],
    live: { ...silence, answerKey: key, questionKey: `question-${key}` },
  }
  const item = () => state.items[0]!
  let isTelling = false
  const tellSoon = () => {
    if (isTelling) return
    isTelling = true
    beforeDrawing(() => {
      isTelling = false
      if (!signal.aborted) tell(item())
    })
  }
  const end = (changes: Partial<ChatItem>) => {
    state = { ...state, items: [{ ...item(), ...changes, streaming: false }] }
    if (!signal.aborted) tell(item())
  }
  const read = async (parts: AsyncIterable<AnswerPart>) => {
    for await (const part of parts) {
      state = receive(state, part)
      tellSoon()
    }
  }

  tell(item())
  let parts =
    'begun' in compared
      ? api.followAnswer(sessionId, { messageId: first.id ?? '', afterEventId: null }, signal)
      : api.regenerateAnswer(sessionId, { messageId: compared.answerId, model: compared.model, isBeside: true }, signal)
  for (let failures = 0; ; ) {
    const reached = state.live?.lastEventId ?? null
    try {
      await read(parts)
      return end({})
    } catch (error) {
      if (signal.aborted) return
      const { id } = item()
      if (state.live?.lastEventId !== reached) failures = 0
      const delay = RECONNECT_DELAYS_MS[failures]
      const isTemporary = error instanceof ApiError && error.isTemporary
      if (!(error instanceof ApiError)) console.error('An answer could not be read for a comparison', error)
      if (id === null || !isTemporary || delay === undefined) return end({ failure: error })
      failures += 1
      await wait(delay, signal)
      parts = api.followAnswer(sessionId, { messageId: id, afterEventId: state.live?.lastEventId ?? null }, signal)
    }
  }
}

function awaited(key: string, at: Date, model: string): ChatItem {
  return { ...awaitedItem(key, { created_at: at.toISOString(), parent_id: null }), model_used: model }
}
