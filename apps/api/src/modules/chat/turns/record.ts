import type { AgentCall, ChatErrorCode, ChatEvent, CodedSentence, Source, Usage } from '@mira/shared'
import { AppError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { searchConfigurationOf } from '../../../offline/language/language.ts'
import { isDatabaseUnavailable } from '../../../platform/database/availability.ts'
import { storable, storableJson } from '../../../platform/lib/storable.ts'
import { type Sentence, say } from '../../../sentences.ts'
import type { Unsummarised } from '../conversations/session-summaries.store.ts'
import { collectAnswer, settleCalls } from './answer-content.ts'
import type { AnswerResult, EventBatch } from './answers.store.ts'
import type { BegunAnswer } from './questions.store.ts'
import { type AnswerLog, createAnswerLog, createTextJoiner } from './stream.ts'
import type { AnswerEvent } from './turn.ts'

/** Events of an answer that is being generated. May throw an AppError whose code is one of chatErrorCodes. */
export type MadeEvents = (signal: AbortSignal) => AsyncIterable<AnswerEvent>

/** Facts known when an answer begins. */
export interface AnswerTraits {
  engine: string
  model: string | null
  /** performance.now() when the question arrived. */
  startedAt: number
  /** False when the user opted out of analytics. */
  inAnalytics: boolean
  /** Earlier events and usage of a resumed answer. */
  before?: AnswerBefore | undefined
}

/** Earlier part of a resumed answer. */
export interface AnswerBefore {
  events: ChatEvent[]
  usage: Usage | null
  durationMs: number
  firstTokenMs: number | null
}

/** Reason for ending an answer early. */
type StopReason = 'stopped' | 'deleted' | 'too-long'

/** Outcome of an answer. */
export interface RecordedAnswer {
  result: AnswerResult
  /** Its last event, which is not in the log yet. */
  end: ChatEvent
  unsummarised: Unsummarised | null
}

/** Record of an answer that this server is generating. */
export interface AnswerRecord {
  startedAnswer: BegunAnswer
  log: AnswerLog
  /** The text so far, including text not yet in an event. */
  content(): string
  stop(reason: StopReason): void
  readonly stopReason: StopReason | null
  /** The events after a place; null when there are none. */
  eventsAfter(seq: number): EventBatch | null
  /** Records all events to the end; never throws. */
  take(produceEvents: MadeEvents): Promise<RecordedAnswer>
}

export interface AnswerRecordLimits {
  maxCharacters: number
  /** Thoughts beyond this are not kept. */
  maxReasoningCharacters: number
  maxDurationMs: number
  joinWindowMs: number
}

interface Failure {
  sentence: string
  code: ChatErrorCode
  /** The sentence as codes with parameters, for translation; empty where it has none. */
  told: CodedSentence[]
}

const failureOf = ({ text: sentence, told }: Sentence, code: ChatErrorCode): Failure => ({ sentence, code, told })

const tooLong = failureOf(say('answer_too_long', {}), 'answer_too_long')
const databaseAway = failureOf(say('answer_without_database', {}), 'internal_error')
const unforeseen = failureOf(say('answer_failed', {}), 'internal_error')

/** Begins the record of an answer; the `session` event is the first of its log. */
export function createAnswerRecord(
  startedAnswer: BegunAnswer,
  traits: AnswerTraits,
  options: {
    limits: AnswerRecordLimits
    /** An event as its readers are shown it. */
    present(event: ChatEvent): ChatEvent
    log: Log
  },
): AnswerRecord {
  const { limits, present, log: serverLog } = options
  const { sessionId, messageId, userId } = startedAnswer
  const log = createAnswerLog(present)
  const stopping = new AbortController()
  const { before } = traits
  const earlier = collectAnswer(before?.events ?? [])
  let stopReason: StopReason | null = null
  let { content, sources }: { content: string; sources: Source[] } = earlier
  let reasoning = earlier.reasoning ?? ''
  let firstTokenMs = before?.firstTokenMs ?? null
  let ended: Extract<AnswerEvent, { type: 'end' }> | null = null
  let gathered: Extract<AnswerEvent, { type: 'gathered' }> | null = null
  let unsummarised: Unsummarised | null = null
  let isQuote = false
  const agentCalls = new Map<string, AgentCall>()

  const beginning: ChatEvent = {
    type: 'session',
    session_id: sessionId,
    user_message_id: startedAnswer.questionId,
    message_id: messageId,
    session_name: startedAnswer.sessionName,
  }
  log.append(beginning)

  for (const event of before?.events ?? []) {
    if (event.type === 'agent') agentCalls.set(event.call_id, asCall(event))
    log.append(event)
  }

  const elapsedMs = () => Math.round(performance.now() - traits.startedAt)
  const joinerOf = (type: 'chunk' | 'reasoning') =>
    createTextJoiner(limits.joinWindowMs, (text) => log.append({ type, content: storable(text) }))
  const joiners = { chunk: joinerOf('chunk'), reasoning: joinerOf('reasoning') }
  /** At most one of them holds anything. */
  const flush = () => {
    joiners.reasoning.flush()
    joiners.chunk.flush()
  }

  const stop = (reason: StopReason) => {
    stopReason ??= reason
    stopping.abort()
  }

  const takeText = (text: string) => {
    if (text === '') return
    firstTokenMs ??= elapsedMs()
    const fitting = text.slice(0, limits.maxCharacters - content.length)
    content += fitting
    joiners.reasoning.flush()
    joiners.chunk.add(fitting)
    if (fitting.length < text.length) stop('too-long')
  }

  const takeReasoning = (text: string) => {
    const fitting = text.slice(0, limits.maxReasoningCharacters - reasoning.length)
    if (fitting === '') return
    reasoning += fitting
    joiners.chunk.flush()
    joiners.reasoning.add(fitting)
  }

  /** Restarts the answer for its readers, with its text so far as thoughts. */
  const rethink = () => {
    flush()
    const thoughts = reasoning + content
    content = ''
    reasoning = ''
    log.append(beginning)
    for (const call of agentCalls.values()) log.append({ type: 'agent', ...call })
    // the answer may cite them again
    if (sources.length > 0) log.append({ type: 'sources', sources })
    takeReasoning(thoughts)
  }

  const takeCall = (newCall: AgentCall) => {
    flush()
    const call = storableJson(newCall) as AgentCall
    agentCalls.set(call.call_id, { ...agentCalls.get(call.call_id), ...call })
    log.append({ type: 'agent', ...call })
  }

  const take = (event: AnswerEvent) => {
    switch (event.type) {
      case 'gathered':
        gathered = event
        break
      case 'unsummarised':
        unsummarised = event.unsummarised
        break
      case 'agent':
        takeCall(event.call)
        break
      case 'sources':
        flush()
        sources = event.sources
        log.append({ type: 'sources', sources })
        break
      case 'text':
        // what comes after a stop is not part of it any more
        if (!stopping.signal.aborted) takeText(event.text)
        isQuote ||= event.isQuote === true
        break
      case 'reasoning':
        if (!stopping.signal.aborted) takeReasoning(event.text)
        break
      case 'rethink':
        if (!stopping.signal.aborted && before === undefined) rethink()
        break
      case 'end':
        ended = event
    }
  }

  const eventsAfter = (seq: number): EventBatch | null => {
    const events = log.events.slice(seq).map(({ event }) => event)
    return events.length > 0 ? { messageId, lastSeq: log.events.length, events } : null
  }

  const conclude = (failure: Failure | null): RecordedAnswer => {
    flush()
    const isInterrupted = failure === null && (stopReason !== null || ended === null)
    const state = failure ? 'failed' : isInterrupted ? 'interrupted' : 'complete'
    const durationMs = elapsedMs() + (before?.durationMs ?? 0)
    const model = isQuote ? null : (ended?.model ?? traits.model)
    const stopReasonOfModel = state === 'complete' ? ended?.stopReason : undefined
    const usage = withUsage(ended?.usage ?? null, before)
    const end: ChatEvent = failure
      ? {
          type: 'error',
          content: failure.sentence,
          code: failure.code,
          ...(failure.told.length > 0 && { told: failure.told }),
        }
      : {
          type: 'complete',
          session_id: sessionId,
          message_id: messageId,
          model_used: storable(model ?? ''),
          engine: traits.engine,
          usage,
          duration_ms: durationMs,
          interrupted: isInterrupted,
          ...(stopReasonOfModel && { stop_reason: stopReasonOfModel }),
        }
    const stored = storable(content)
    const result: AnswerResult = {
      messageId,
      sessionId,
      userId,
      state,
      content: stored,
      searchConfiguration: searchConfigurationOf(stored),
      error: failure,
      model: model === null ? null : storable(model),
      usage,
      durationMs,
      firstTokenMs,
      stopReason: stopReasonOfModel ?? null,
      sources,
      agentCalls: settleCalls(agentCalls.values()),
      reasoning: reasoning === '' ? null : storable(reasoning),
      readsOutsideText: gathered?.readsOutsideText ?? false,
      sentiment: gathered?.sentiment ?? null,
      inAnalytics: traits.inAnalytics,
      unstored: { messageId, lastSeq: log.events.length + 1, events: [end] },
    }
    return { result, end, unsummarised }
  }

  return {
    startedAnswer,
    log,
    content: () => content,
    stop,
    get stopReason() {
      return stopReason
    },
    eventsAfter,
    async take(produceEvents) {
      const timer = setTimeout(stop, limits.maxDurationMs, 'too-long' satisfies StopReason)
      const isTooLong = () => (stopReason === 'too-long' ? tooLong : null)
      try {
        for await (const event of produceEvents(stopping.signal)) take(event)
        return conclude(isTooLong())
      } catch (error) {
        // Whatever breaks after a stop broke because of it.
        if (stopReason !== null) return conclude(isTooLong())
        const isForeseen = error instanceof AppError || isDatabaseUnavailable(error)
        serverLog[isForeseen ? 'warn' : 'error']({ err: error, message_id: messageId }, 'an answer failed')
        return conclude(asFailure(error))
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

function asCall({ type: _type, ...call }: Extract<ChatEvent, { type: 'agent' }>): AgentCall {
  return call
}

/** Sum of both parts' usage; null where one of them is unknown. */
function withUsage(usage: Usage | null, before: AnswerBefore | undefined): Usage | null {
  if (before === undefined || usage === null) return usage
  return (
    before.usage && {
      input_tokens: before.usage.input_tokens + usage.input_tokens,
      output_tokens: before.usage.output_tokens + usage.output_tokens,
    }
  )
}

function asFailure(error: unknown): Failure {
  if (!(error instanceof AppError)) return isDatabaseUnavailable(error) ? databaseAway : unforeseen
  const { message, code, told } = error
  return { sentence: storable(message), code: code as ChatErrorCode, told: storableJson(told) as CodedSentence[] }
}
