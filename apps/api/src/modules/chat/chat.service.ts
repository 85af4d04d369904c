import type { ChatMessageView, Rating } from '@mira/shared'
import type { Caller } from '../../caller.ts'
import { judgeMessage } from '../../offline/message-kind/message-kind.ts'
import { conversationNotFound, createMessageViews, noAnswer, noMessage, updatedEvent } from './conversations/present.ts'
import { createSessionsService, type SessionsDeps, type SessionsService } from './conversations/sessions.service.ts'
import { dayIn } from './turns/fit.ts'
import type { ToolCallsService } from './turns/tool-calls.service.ts'
import { createTurnsService, type TurnsDeps, type TurnsService } from './turns/turns.service.ts'

interface ChatDeps extends TurnsDeps, Omit<SessionsDeps, 'views'> {
  calls: ToolCallsService
}

export type ChatService = ReturnType<typeof createChatService>

/** Conversations and their answers. */
export function createChatService(deps: ChatDeps) {
  const { store, branches, answers, calls, events, writing } = deps
  const turns: TurnsService = createTurnsService(deps)
  const views = createMessageViews(deps)
  const sessions: SessionsService = createSessionsService({ ...deps, views })

  /** Reads a message for display. Callers must check that it's the user's. @throws NotFoundError */
  const readMessage = async (userId: string, messageId: string): Promise<ChatMessageView> => {
    const row = await branches.readMessage(messageId)
    const [message] = row === null ? [] : await views.present(userId, [row])
    if (message === undefined) throw noMessage()
    return message
  }

  return {
    ...sessions,
    ...turns,

    /** Rates an answer or removes its rating. @throws NotFoundError, ValidationError for a user's message. */
    async rate(userId: string, messageId: string, rating: Rating): Promise<ChatMessageView> {
      const message = await branches.findMessage(userId, messageId)
      if (message === null) throw noMessage()
      if (message.question === null) throw noAnswer()
      await branches.rate(messageId, rating)
      events.publish(userId, updatedEvent(message.sessionId))
      return readMessage(userId, messageId)
    },

    /**
     * Decides on a tool call that waits for its user. The answer then continues with or without the call's result, except after
     * a proposed fact, which is only remembered or dropped.
     * @throws NotFoundError, ConflictError when the call isn't waiting or an answer is in progress, ForbiddenError when the
     *   user may not allow it, and TooManyRequestsError, ValidationError and UnavailableError as for a new answer
     */
    async decideCall(
      caller: Caller,
      sessionId: string,
      callId: string,
      isAllowed: boolean,
      startedAt = performance.now(),
    ): Promise<ChatMessageView> {
      const { userId } = caller
      if (!(await store.isOwned(userId, sessionId))) throw conversationNotFound()
      const { messageId, isFact } = await calls.findWaiting(caller, sessionId, callId, isAllowed)
      if (isFact) {
        await calls.decideFact(userId, sessionId, callId, isAllowed)
        events.publish(userId, updatedEvent(sessionId))
      } else {
        const begin = () => calls.continueCall(userId, sessionId, { messageId, callId, isAllowed })
        await turns.resume(caller, sessionId, messageId, begin, startedAt)
      }
      return readMessage(userId, messageId)
    },

    /**
     * Resumes an answer that was cut off at its length limit.
     * @throws NotFoundError, ConflictError when it wasn't cut off or an answer is in progress, and TooManyRequestsError,
     *   ValidationError and UnavailableError as for a new answer
     */
    async continueAnswer(
      caller: Caller,
      sessionId: string,
      messageId: string,
      startedAt = performance.now(),
    ): Promise<ChatMessageView> {
      const { userId } = caller
      const message = await branches.findMessage(userId, messageId)
      if (message?.sessionId !== sessionId) throw noMessage()
      await turns.resume(caller, sessionId, messageId, () => calls.continueCut(userId, sessionId, messageId), startedAt)
      return readMessage(userId, messageId)
    },

    /** Stops the running answer, if any; its text so far is kept. @throws NotFoundError */
    async stop(userId: string, sessionId: string): Promise<void> {
      if (!(await store.isOwned(userId, sessionId))) throw conversationNotFound()
      await answers.stop(sessionId)
    },

    /** Number of answers that this server is generating. */
    runningAnswers: () => answers.count(),

    /** Ends answers of dead servers, now and regularly, and prepares for the first message. */
    start: () => {
      // The first call of each function loads data, for which the first message would otherwise wait.
      setImmediate(dayIn, 'UTC')
      judgeMessage('Hello')
      return answers.start()
    },

    /** Stops running answers and stores their text so far. */
    async close(): Promise<void> {
      await answers.close()
      await writing.close()
    },
  }
}
