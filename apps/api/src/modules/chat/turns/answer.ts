import { type AgentCall, SEARCH_WEB } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { PartialAnswer, ToolResult } from '../../../engines/chat-engine.ts'
import { AppError, sentenceOf } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { retryDuringOutage } from '../../../platform/database/availability.ts'
import { unlessAborted } from '../../../platform/lib/abort.ts'
import { setBounded } from '../../../platform/lib/bounded-map.ts'
import { forUsers } from '../../../sentences.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import type { RecordedCall } from '../conversations/links.ts'
import { type AskDeps, createAsk } from './ask.ts'
import { createFit, type FitDeps } from './fit.ts'
import { createGather, type GatherDeps } from './gather.ts'
import type { QuestionIds, StartedAnswer } from './questions.store.ts'
import type { ProduceEvents } from './record.ts'
import { MAX_SUMMARY_CHARACTERS } from './toolbox.ts'
import type { AnswerEvent, ResumedAnswer, Turn } from './turn.ts'

const CALL_TIMEOUT_MS = 60_000
/** Messages to the model. */
const DECLINED =
  'The person declined: this was not done. Do not call it again for the same; go on without it, or say what else could be done.'
const MAY_SEARCH = 'The person allowed searching the web in this conversation. Call search_web again now.'
const TIMED_OUT = 'This took too long and was stopped: it’s not known whether it was done.'

/** First step of a resumed answer: makes the call that waited, or tells the model that the user refused it. */
function createDecidedCall({ agents, log }: { agents: AgentsService; log: Log }) {
  const run = async (
    { userId, startedAnswer, ...reader }: Turn,
    call: AgentCall,
    name: string,
    signal: AbortSignal,
  ) => {
    const caller = { ...reader, userId, now: new Date(), signal }
    const origin = {
      sessionId: startedAnswer.sessionId,
      messageId: startedAnswer.messageId,
      countsInAnalytics: reader.countsInAnalytics,
    }
    return unlessAborted(agents.callTool(name, JSON.stringify(call.arguments ?? {}), caller, origin), signal)
  }

  return async function* (
    turn: Turn,
    { text, sources, decided }: ResumedAnswer,
    signal: AbortSignal,
  ): AsyncGenerator<AnswerEvent, PartialAnswer> {
    if (decided === null) return { text, sources, resumedCall: undefined }
    const { call, isAllowed } = decided
    const tool = agents.tools(turn.userId).find(({ name }) => agents.agentNameOf(name) === call.name)
    // When the agent no longer exists, the call fails with an error that says so.
    const name = tool?.name ?? call.name.replace(/[^\w-]+/g, '_')
    const soFar = (result: ToolResult): PartialAnswer => ({
      text,
      sources,
      resumedCall: { call: { name, argumentsText: JSON.stringify(call.arguments ?? {}) }, result },
    })
    if (!isAllowed) return soFar({ isError: true, isDeclined: true, text: DECLINED })
    const startedAt = performance.now()
    // The web isn't searched here: the model calls the answer's own tool, which numbers the sources and needs no approval now.
    if (call.name === SEARCH_WEB) {
      yield { type: 'agent', call: { ...call, state: 'finished', allowed: true, summary: '', duration_ms: 0 } }
      return soFar({ isError: false, text: MAY_SEARCH })
    }
    const end = (state: 'finished' | 'failed', summary: string, more: Partial<RecordedCall> = {}): AnswerEvent => ({
      type: 'agent',
      call: {
        call_id: call.call_id,
        name: call.name,
        state,
        ...more,
        summary: cutText(summary, MAX_SUMMARY_CHARACTERS).toWellFormed(),
        duration_ms: Math.round(performance.now() - startedAt),
      },
    })
    const timer = AbortSignal.timeout(CALL_TIMEOUT_MS)
    try {
      const { output, summary, data, quotesOthers } = await run(turn, call, name, AbortSignal.any([signal, timer]))
      yield end('finished', summary, quotesOthers ? { quotes_others: true } : {})
      return soFar({ isError: false, text: output, data, quotesOthers })
    } catch (error) {
      // A stopped answer settles its unfinished calls itself.
      if (signal.aborted) throw error
      if (!(error instanceof AppError) && !timer.aborted) log.error({ err: error, agent: call.name }, 'an agent failed')
      const fallback = timer.aborted ? TIMED_OUT : 'Something went wrong in this agent.'
      const reason = error instanceof AppError ? sentenceOf(error) : { text: fallback, sentences: [] }
      yield end('failed', reason.text, reason.sentences.length > 0 ? { summary_told: reason.sentences } : {})
      // An error may quote the server, and a model repeats what it reads.
      return soFar({ isError: true, quotesOthers: true, text: forUsers(reason).text })
    }
  }
}

export type AnswerDeps = GatherDeps & FitDeps & AskDeps

export type MakeAnswer = ReturnType<typeof createMakeAnswer>

/**
 * Makes an answer: gathers its context, fits that into the engine's window, and asks the engine. Stores nothing: the reader
 * of the events records them.
 */
export function createMakeAnswer(deps: AnswerDeps) {
  const gather = createGather(deps)
  const fitting = createFit(deps)
  const ask = createAsk(deps, fitting)
  const makeDecidedCall = createDecidedCall(deps)

  return async function* makeAnswer(turn: Turn, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    // The call is made before gathering, since it may change the data.
    const soFar = turn.resumed && (yield* makeDecidedCall(turn, turn.resumed, signal))
    const gathered = { ...(await retryDuringOutage(() => gather(turn, signal), signal)), soFar }
    const { sentiment, hasOutsideText } = gathered
    yield { type: 'gathered', sentiment, readsOutsideText: hasOutsideText }

    const fitted = await fitting.fit(turn, gathered)
    if (fitted.unsummarised !== null) yield { type: 'unsummarised', unsummarised: fitted.unsummarised }

    yield* ask(turn, gathered, fitted, signal)
  }
}

/** An answer started before its question is stored; discarded unless taken. */
interface EarlyAnswer extends Disposable {
  /** True when the question was stored as predicted. */
  isFor(startedAnswer: StartedAnswer): boolean
  /** Events of the answer; to be called once the question is stored. */
  take: ProduceEvents
}

/** Input for predicting a question's position. */
interface PredictionInput {
  userId: string
  ids: QuestionIds
  /** Name of a new conversation. */
  sessionName: string
  /** Undefined continues the shown branch; null begins a new one beside the first message. */
  parentId: string | null | undefined
  /** Null for a new conversation. */
  stored: { sessionName: string; currentMessageId: string | null } | null
}

/** Ids and position that a question will have; null when they're only known once it's stored. */
export function predictAnswer({ userId, ids, sessionName, parentId, stored }: PredictionInput): StartedAnswer | null {
  if (stored === null) return { ...ids, userId, sessionName, parentId: null, history: [] }
  if (parentId === null) return { ...ids, userId, sessionName: stored.sessionName, parentId: null, history: [] }
  if (parentId !== undefined) return null
  return { ...ids, userId, sessionName: stored.sessionName, parentId: stored.currentMessageId }
}

const MAX_QUEUED_MESSAGES = 1000

/** A queued message; disposing of it lets the next copy continue. */
interface QueuedMessage extends Disposable {
  /** True when this server hasn't received the message before. */
  isFirst: boolean
  /** Resolves when the same message, sent earlier, is stored or refused; undefined when there is none. */
  afterSame: Promise<void> | undefined
}

/**
 * Queues copies of a message: the second one waits until the first is stored, so that this server asks the model only once.
 * Another server may ask it, too, and stops as soon as it notices.
 */
export function createMessageQueue(): (message: { userId: string; clientId: string | null }) => QueuedMessage {
  const messages = new Map<string, Promise<void>>()
  return ({ userId, clientId }) => {
    if (clientId === null) return { isFirst: true, afterSame: undefined, [Symbol.dispose]() {} }
    const key = `${userId} ${clientId}`
    const afterSame = messages.get(key)
    const ended = Promise.withResolvers<void>()
    setBounded(messages, key, ended.promise, MAX_QUEUED_MESSAGES)
    return { isFirst: afterSame === undefined, afterSame, [Symbol.dispose]: () => ended.resolve() }
  }
}

/**
 * Number of events to request before the answer is taken: the gathered context, the unsummarised part and the model's first
 * output. That starts the engine, which then continues without further requests.
 */
const EVENTS_AHEAD = 3

/**
 * Asks the model before the question is stored. Output is withheld, and no tool is called, until the answer is taken; an
 * answer that isn't taken leaves no trace.
 */
export function askEarly(makeAnswer: MakeAnswer, turn: Turn): EarlyAnswer {
  const stopping = new AbortController()
  const stored = Promise.withResolvers<void>()
  // Avoids an unhandled rejection when nobody awaits it.
  stored.promise.catch(() => {})
  const answerEvents = makeAnswer({ ...turn, untilStored: stored.promise }, stopping.signal)
  const ahead = Array.from({ length: EVENTS_AHEAD }, () => answerEvents.next())
  // Rejections surface again through `take`.
  for (const event of ahead) event.catch(() => {})
  let isTaken = false

  return {
    isFor: ({ sessionId, messageId, parentId }) =>
      sessionId === turn.startedAnswer.sessionId &&
      messageId === turn.startedAnswer.messageId &&
      parentId === turn.startedAnswer.parentId,
    take(signal) {
      isTaken = true
      signal.addEventListener('abort', () => stopping.abort(signal.reason), { once: true })
      stored.resolve()
      const events: AsyncIterator<AnswerEvent> = {
        next: () => ahead.shift() ?? answerEvents.next(),
        return: () => answerEvents.return(undefined),
      }
      return { [Symbol.asyncIterator]: () => events }
    },
    [Symbol.dispose]() {
      if (isTaken) return
      stored.reject(new Error('the question was not stored'))
      stopping.abort()
      answerEvents.return(undefined).catch(() => {})
    },
  }
}
