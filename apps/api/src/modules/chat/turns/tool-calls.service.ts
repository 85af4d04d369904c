import { type AgentCall, REMEMBER, SEARCH_WEB } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { Caller } from '../../../caller.ts'
import { AppError, ConflictError, ForbiddenError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { AboutMeService } from '../about-me/about-me.service.ts'
import { storedEventsOf } from '../conversations/present.ts'
import type { StartedAnswer } from './questions.store.ts'
import type { EarlierAnswerPart } from './record.ts'
import { proposedFact } from './remember-tool.ts'
import type { AnswerHead, StoredAnswersStore } from './stored-answers.store.ts'
import type { ToolCallsStore } from './tool-calls.store.ts'
import { MAX_SUMMARY_CHARACTERS } from './toolbox.ts'
import type { ResumedAnswer } from './turn.ts'

/** User who decides on a call. */
type ToolCallDecider = Pick<Caller, 'userId' | 'canUseAgents' | 'canKeepFacts'>

interface ToolCallsDeps {
  store: ToolCallsStore
  stored: StoredAnswersStore
  serverId: string
  aboutMe: AboutMeService
  log: Log
}

/** A resumed answer, stored as running again. */
export interface ContinuedAnswer {
  startedAnswer: StartedAnswer
  resumed: ResumedAnswer
  before: EarlierAnswerPart
}

export type ToolCallsService = ReturnType<typeof createToolCallsService>

/** Result stored in case the server dies before the real one arrives, so that users check before allowing the call again. */
const UNKNOWN_END = 'This was allowed, and the server ended before it was known whether it was done.'

const notWaiting = () =>
  new ConflictError('This is no longer waiting for you, or an answer is still in progress.', {
    code: 'call_not_waiting',
  })

/** Tool calls that wait for the user's decision. */
export function createToolCallsService({ store, stored, serverId, aboutMe, log }: ToolCallsDeps) {
  const remember = async (userId: string, sessionId: string, call: AgentCall): Promise<Partial<AgentCall>> => {
    const startedAt = performance.now()
    const end = (state: 'finished' | 'failed', summary: string): Partial<AgentCall> => ({
      state,
      summary: cutText(summary, MAX_SUMMARY_CHARACTERS).toWellFormed(),
      duration_ms: Math.round(performance.now() - startedAt),
    })
    try {
      const fact = proposedFact(call.arguments)
      await aboutMe.rememberFact(userId, fact, sessionId)
      return end('finished', fact)
    } catch (error) {
      if (!(error instanceof AppError)) log.error({ err: error }, 'could not remember a fact')
      return end('failed', error instanceof AppError ? error.message : 'Something went wrong in this agent.')
    }
  }

  /** @throws ConflictError */
  const resumeAnswer = async (
    userId: string,
    head: AnswerHead,
    { calls, decided }: { calls: AgentCall[]; decided: ResumedAnswer['decided'] },
  ): Promise<ContinuedAnswer> => {
    const { sessionId, messageId, stopReason } = head
    // Without the final event, since the answer continues.
    const events = storedEventsOf({ ...head, agentCalls: calls }).slice(0, -1)
    const input = { userId, sessionId, messageId, calls: head.agentCalls, decided: calls, events, stopReason, serverId }
    const place = await store.resume(input)
    if (place === null) throw notWaiting()
    return {
      startedAnswer: { userId, sessionId, messageId, ...place },
      resumed: { text: head.content, sources: head.sources, decided },
      before: {
        events: events.slice(1),
        usage: head.usage,
        durationMs: head.durationMs ?? 0,
        firstTokenMs: head.firstTokenMs,
      },
    }
  }

  return {
    /**
     * Finds a waiting call.
     * @throws ConflictError when the call isn't waiting, ForbiddenError when the user may not allow it
     */
    async findWaiting(
      { userId, canUseAgents, canKeepFacts }: ToolCallDecider,
      sessionId: string,
      callId: string,
      isAllowed: boolean,
    ) {
      const waiting = await store.find(userId, sessionId, callId)
      if (waiting?.call.state !== 'waiting') throw notWaiting()
      const { messageId, call } = waiting
      const isFact = call.name === REMEMBER
      // Web search doesn't need the permission for agents.
      const mayAllow = isFact ? canKeepFacts : call.name === SEARCH_WEB || canUseAgents
      if (isAllowed && !mayAllow) {
        throw new ForbiddenError('Your account does not have permission to do this.')
      }
      return { messageId, isFact }
    },

    /** Remembers or drops a proposed fact; the first decision counts. @throws ConflictError */
    async decideFact(userId: string, sessionId: string, callId: string, isAllowed: boolean): Promise<void> {
      const newState = isAllowed
        ? ({ state: 'failed', summary: UNKNOWN_END } as const)
        : ({ state: 'refused' } as const)
      const row = await store.take(userId, sessionId, callId, newState)
      if (row === null) throw notWaiting()
      if (isAllowed) await store.settle(row.messageId, callId, await remember(userId, sessionId, row.call))
    },

    /**
     * Resumes an answer with the user's decision on a call; the first decision counts, and the call is made once.
     * @throws ConflictError when the call isn't (or is no longer) waiting, or an answer is in progress in the conversation
     */
    async continueCall(
      userId: string,
      sessionId: string,
      { messageId, callId, isAllowed }: { messageId: string; callId: string; isAllowed: boolean },
    ): Promise<ContinuedAnswer> {
      const head = await stored.findHead(userId, sessionId, messageId)
      const call = head?.agentCalls.find(({ call_id }) => call_id === callId)
      if (head === null || call?.state !== 'waiting') throw notWaiting()
      const state = isAllowed ? ('started' as const) : ('refused' as const)
      const decided = head.agentCalls.map((agentCall) =>
        agentCall === call ? { ...agentCall, state, ...(isAllowed ? { allowed: true } : {}) } : agentCall,
      )
      return resumeAnswer(userId, head, { calls: decided, decided: { call, isAllowed } })
    },

    /**
     * Resumes an answer that was cut off at its length limit.
     * @throws ConflictError when it wasn't cut off, or an answer is in progress in the conversation
     */
    async continueCut(userId: string, sessionId: string, messageId: string): Promise<ContinuedAnswer> {
      const head = await stored.findHead(userId, sessionId, messageId)
      if (head === null || head.stopReason !== 'length') throw notWaiting()
      return resumeAnswer(userId, head, { calls: head.agentCalls, decided: null })
    },
  }
}
