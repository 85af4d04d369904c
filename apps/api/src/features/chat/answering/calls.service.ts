import { type AgentCall, REMEMBER } from '@mira/shared'
import type { Asker } from '../../../asker.ts'
import { AppError, ConflictError, ForbiddenError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { CallsStore } from './calls.store.ts'
import { proposedFact } from './remember-tool.ts'
import { type ChatAgents, LONGEST_SUMMARY_CHARACTERS } from './toolbox.ts'

/** Who decides. */
export type Decider = Pick<Asker, 'userId' | 'language' | 'timeZone' | 'canUseAgents' | 'inAnalytics'>

export interface CallsDeps {
  store: CallsStore
  agents: ChatAgents
  /** Remembers a fact for a person. @throws AppError whose sentence says why it was not. */
  keepFact(userId: string, text: string, sessionId: string): Promise<unknown>
  log: Log
}

export type CallsService = ReturnType<typeof createCallsService>

const CALL_TIMEOUT_MS = 60_000
/** What stands there when the server dies before it knows more: nobody should allow it again without looking. */
const UNKNOWN_END = 'This was allowed, and the server ended before it was known whether it was done.'

/** Calls that change something and that were asked for beside words of others: their person decides. */
export function createCallsService({ store, agents, keepFact, log }: CallsDeps) {
  const make = async (
    asker: Decider,
    sessionId: string,
    messageId: string,
    call: AgentCall,
  ): Promise<Partial<AgentCall>> => {
    const startedAt = performance.now()
    const toolName = agents.tools(asker.userId).find(({ name }) => agents.agentNameOf(name) === call.name)?.name
    const { userId, language, timeZone, inAnalytics } = asker
    const caller = { userId, language, timeZone, now: new Date(), signal: AbortSignal.timeout(CALL_TIMEOUT_MS) }
    const end = (state: 'finished' | 'failed', summary: string): Partial<AgentCall> => ({
      state,
      summary: summary.slice(0, LONGEST_SUMMARY_CHARACTERS).toWellFormed(),
      duration_ms: Math.round(performance.now() - startedAt),
    })
    try {
      if (call.name === REMEMBER) {
        const fact = proposedFact(call.arguments)
        await keepFact(userId, fact, sessionId)
        return end('finished', fact)
      }
      const argumentsText = JSON.stringify(call.arguments)
      const origin = { sessionId, messageId, inAnalytics }
      // an agent that is not there any more says so
      const { summary } = await agents.callTool(toolName ?? call.name, argumentsText, caller, origin)
      return end('finished', summary)
    } catch (error) {
      if (!(error instanceof AppError)) log.error({ err: error, agent: call.name }, 'an agent failed')
      return end('failed', error instanceof AppError ? error.message : 'Something went wrong in this agent.')
    }
  }

  return {
    /**
     * Makes a waiting call, or says that it is not to be made; whoever is first decides, and it is made once. Gives the
     * message that it belongs to.
     * @throws ConflictError when it does not wait (any more), ForbiddenError when the person may not use agents.
     */
    async answer(asker: Decider, sessionId: string, callId: string, isAllowed: boolean): Promise<string> {
      if (isAllowed && !asker.canUseAgents && (await store.nameOf(asker.userId, sessionId, callId)) !== REMEMBER) {
        throw new ForbiddenError('Your account does not have permission to do this.')
      }
      const become = isAllowed ? ({ state: 'failed', summary: UNKNOWN_END } as const) : ({ state: 'refused' } as const)
      const taken = await store.take(asker.userId, sessionId, callId, become)
      if (taken === null) {
        throw new ConflictError('This does not wait for you any more, or its answer is still being made.', {
          code: 'call_not_waiting',
        })
      }
      const { messageId, call } = taken
      if (isAllowed) await store.settle(messageId, callId, await make(asker, sessionId, messageId, call))
      return messageId
    },
  }
}
