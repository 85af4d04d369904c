import type { AgentCall, ChatErrorCode, ChatEvent, CodedSentence, Source, Usage } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { AppError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { searchConfigurationOf } from '../../../offline/language/language.ts'
import { isDatabaseUnavailable } from '../../../platform/database/availability.ts'
import { storable, storableJson } from '../../../platform/lib/storable.ts'
import { type Sentence, say } from '../../../sentences.ts'
import type { Unsummarised } from '../conversations/session-summaries.store.ts'
import { collectAnswer, settleCalls } from './answer-content.ts'
import type { AnswerResult, EventBatch } from './answers.store.ts'
import type { StartedAnswer } from './questions.store.ts'
import { type AnswerLog, createAnswerLog, createTextJoiner } from './stream.ts'
import type { AnswerEvent } from './turn.ts'

/** Generates the events of an answer. May throw an AppError whose code is one of chatErrorCodes. */
export type ProduceEvents = (signal: AbortSignal) => AsyncIterable<AnswerEvent>

/** Properties of an answer known when it begins. */
export interface AnswerTraits {
  engine: string
  model: string | null
  /** performance.now() when the question arrived. */
  startedAt: number
  /** False when the user opted out of analytics. */
  countsInAnalytics: boolean
  /** Earlier events and usage of a resumed answer. */
  before?: EarlierAnswerPart | undefined
}

/** Earlier part of a resumed answer. */
export interface EarlierAnswerPart {
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
  /** The last event, which isn't in the log yet. */
  end: ChatEvent
  unsummarised: Unsummarised | null
}

/** Record of an answer that this server is generating. */
export interface AnswerRecord {
  startedAnswer: StartedAnswer
  log: AnswerLog
  /** Text so far, including text not yet in an event. */
  content(): string
  stop(reason: StopReason): void
  readonly stopReason: StopReason | null
  /** Events after a sequence number; null when there are none. */
  eventsAfter(seq: number): EventBatch | null
  /** Generates and records all events; never throws. */
  generate(produceEvents: ProduceEvents): Promise<RecordedAnswer>
}

export interface AnswerRecordLimits {
  maxCharacters: number
  /** Further reasoning is dropped. */
  maxReasoningCharacters: number
  maxDurationMs: number
  /** Time in which pieces of text are joined into one event. */
  joinWindowMs: number
}

interface Failure {
  sentence: string
  code: ChatErrorCode
  /** The sentence as codes with parameters, for translation; empty when it has none. */
  sentences: CodedSentence[]
}

const failureOf = ({ text: sentence, sentences }: Sentence, code: ChatErrorCode): Failure => ({
  sentence,
  code,
  sentences,
})

const tooLong = failureOf(say('answer_too_long', {}), 'answer_too_long')
const databaseUnavailable = failureOf(say('answer_without_database', {}), 'internal_error')
const unexpected = failureOf(say('answer_failed', {}), 'internal_error')

/** Starts the record of an answer; its log begins with the `session` event. */
export function createAnswerRecord(
  startedAnswer: StartedAnswer,
  traits: AnswerTraits,
  options: {
    limits: AnswerRecordLimits
    /** Prepares an event for its reader. */
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
  /** True once reasoning exceeded its limit: later pieces would leave a gap. */
  let isReasoningCut = false
  let firstTokenMs = before?.firstTokenMs ?? null
  let endEvent: Extract<AnswerEvent, { type: 'end' }> | null = null
  let gatheredEvent: Extract<AnswerEvent, { type: 'gathered' }> | null = null
  let unsummarised: Unsummarised | null = null
  let isQuote = false
  const agentCalls = new Map<string, AgentCall>()

  const sessionEvent: ChatEvent = {
    type: 'session',
    session_id: sessionId,
    user_message_id: startedAnswer.questionId,
    message_id: messageId,
    session_name: startedAnswer.sessionName,
  }
  log.append(sessionEvent)

  for (const event of before?.events ?? []) {
    if (event.type === 'agent') agentCalls.set(event.call_id, asCall(event))
    log.append(event)
  }

  const elapsedMs = () => Math.round(performance.now() - traits.startedAt)
  const joinerOf = (type: 'chunk' | 'reasoning') =>
    createTextJoiner(limits.joinWindowMs, (text) => log.append({ type, content: storable(text) }))
  const joiners = { chunk: joinerOf('chunk'), reasoning: joinerOf('reasoning') }
  /** Emits the text that is held back; at most one of the two joiners has any. */
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
    const accepted = cutText(text, limits.maxCharacters - content.length)
    content += accepted
    joiners.reasoning.flush()
    joiners.chunk.add(accepted)
    if (accepted.length < text.length) stop('too-long')
  }

  const takeReasoning = (text: string) => {
    if (isReasoningCut) return
    const accepted = cutText(text, limits.maxReasoningCharacters - reasoning.length)
    isReasoningCut = accepted.length < text.length
    if (accepted === '') return
    reasoning += accepted
    joiners.chunk.flush()
    joiners.reasoning.add(accepted)
  }

  /** Restarts the answer for its readers, with the text so far as reasoning. */
  const rethink = () => {
    flush()
    const allReasoning = reasoning + content
    content = ''
    reasoning = ''
    isReasoningCut = false
    log.append(sessionEvent)
    for (const call of agentCalls.values()) log.append({ type: 'agent', ...call })
    // The answer may cite the sources again.
    if (sources.length > 0) log.append({ type: 'sources', sources })
    takeReasoning(allReasoning)
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
        gatheredEvent = event
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
        // Text after a stop is no longer part of the answer.
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
        endEvent = event
    }
  }

  const eventsAfter = (seq: number): EventBatch | null => {
    const events = log.events.slice(seq).map(({ event }) => event)
    return events.length > 0 ? { messageId, lastSeq: log.events.length, events } : null
  }

  const conclude = (failure: Failure | null): RecordedAnswer => {
    flush()
    const isInterrupted = failure === null && (stopReason !== null || endEvent === null)
    const state = failure ? 'failed' : isInterrupted ? 'interrupted' : 'complete'
    const durationMs = elapsedMs() + (before?.durationMs ?? 0)
    const model = isQuote ? null : (endEvent?.model ?? traits.model)
    const modelStopReason = state === 'complete' ? endEvent?.stopReason : undefined
    const usage = withUsage(endEvent?.usage ?? null, before)
    const end: ChatEvent = failure
      ? {
          type: 'error',
          content: failure.sentence,
          code: failure.code,
          ...(failure.sentences.length > 0 && { told: failure.sentences }),
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
          ...(modelStopReason && { stop_reason: modelStopReason }),
        }
    const storedContent = storable(content)
    const result: AnswerResult = {
      messageId,
      sessionId,
      userId,
      state,
      content: storedContent,
      searchConfiguration: searchConfigurationOf(storedContent),
      error: failure,
      model: model === null ? null : storable(model),
      usage,
      durationMs,
      firstTokenMs,
      stopReason: modelStopReason ?? null,
      sources,
      agentCalls: settleCalls(agentCalls.values()),
      reasoning: reasoning === '' ? null : storable(reasoning),
      readsOutsideText: gatheredEvent?.readsOutsideText ?? false,
      sentiment: gatheredEvent?.sentiment ?? null,
      countsInAnalytics: traits.countsInAnalytics,
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
    async generate(produceEvents) {
      const timer = setTimeout(stop, limits.maxDurationMs, 'too-long' satisfies StopReason)
      const isTooLong = () => (stopReason === 'too-long' ? tooLong : null)
      try {
        for await (const event of produceEvents(stopping.signal)) take(event)
        return conclude(isTooLong())
      } catch (error) {
        // Any error after a stop was caused by it.
        if (stopReason !== null) return conclude(isTooLong())
        const isExpected = error instanceof AppError || isDatabaseUnavailable(error)
        serverLog[isExpected ? 'warn' : 'error']({ err: error, message_id: messageId }, 'an answer failed')
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

/** Sum of both parts' usage; null when either is unknown. */
function withUsage(usage: Usage | null, before: EarlierAnswerPart | undefined): Usage | null {
  if (before === undefined || usage === null) return usage
  return (
    before.usage && {
      input_tokens: before.usage.input_tokens + usage.input_tokens,
      output_tokens: before.usage.output_tokens + usage.output_tokens,
    }
  )
}

function asFailure(error: unknown): Failure {
  if (!(error instanceof AppError)) return isDatabaseUnavailable(error) ? databaseUnavailable : unexpected
  const { message, code, sentences } = error
  return {
    sentence: storable(message),
    code: code as ChatErrorCode,
    sentences: storableJson(sentences) as CodedSentence[],
  }
}
