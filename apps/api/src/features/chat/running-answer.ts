import type { AgentCall, ChatErrorCode, ChatEvent, Source, Usage } from '@mira/shared'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { type AnswerLog, createAnswerLog } from './answer-log.ts'
import type { AnswerResult, BegunAnswer, EventBatch } from './answers.store.ts'
import { storable, storableJson } from './storable.ts'
import { createTextJoiner } from './text-joiner.ts'
import { settled } from './told.ts'

/** What makes an answer tells through this; it should stop soon after the signal is aborted. */
export interface AnswerTools {
  signal: AbortSignal
  text(text: string): void
  /** What a model thinks before it answers. */
  reasoning(text: string): void
  sources(sources: Source[]): void
  /** How a call goes; later ones of the same id add to it. */
  agent(call: AgentCall): void
}

/** What is known of an answer when it is made; null for what was not told. */
export interface MadeAnswer {
  model: string
  usage: Usage | null
}

/** Makes an answer; it may throw an AppError whose code is one of chatErrorCodes. */
export type MakeAnswer = (tools: AnswerTools) => Promise<MadeAnswer | null>

/** What goes with an answer from its beginning. */
export interface AnswerTraits {
  engine: string
  model: string | null
  /** performance.now() when the question arrived. */
  startedAt: number
  /** False when the person keeps their use out of analytics. */
  inAnalytics: boolean
  /** Of the person's messages, asked for at the end. */
  sentiment(): AnswerResult['sentiment']
}

/** Why an answer ends before its end. */
export type StopReason = 'stopped' | 'deleted' | 'too-long'

/** An answer that is being made on this server. */
export interface RunningAnswer {
  begun: BegunAnswer
  log: AnswerLog
  /** The text so far, also what is not in an event yet. */
  content(): string
  stop(reason: StopReason): void
  readonly stopReason: StopReason | null
  /** The events after a place; null when there are none. */
  eventsAfter(seq: number): EventBatch | null
  /** Makes it to its end; never throws. The result holds the last event, which is not in the log yet. */
  make(make: MakeAnswer): Promise<{ result: AnswerResult; end: ChatEvent }>
}

export interface RunningAnswerLimits {
  maxCharacters: number
  /** Thoughts beyond this are not kept. */
  maxReasoningCharacters: number
  maxDurationMs: number
  joinWindowMs: number
}

interface Failure {
  sentence: string
  code: ChatErrorCode
}

const tooLong: Failure = { sentence: 'The answer became too long and was cut here.', code: 'answer_too_long' }
const unforeseen: Failure = { sentence: 'Something went wrong while answering. Try again.', code: 'internal_error' }

/** Begins the log of an answer; the `session` event is its first. */
export function createRunningAnswer(
  begun: BegunAnswer,
  traits: AnswerTraits,
  options: { limits: RunningAnswerLimits; searchConfigurationOf(text: string): string; log: Log },
): RunningAnswer {
  const { limits, searchConfigurationOf, log: serverLog } = options
  const { sessionId, messageId, userId } = begun
  const log = createAnswerLog()
  const stopping = new AbortController()
  let stopReason: StopReason | null = null
  let content = ''
  let reasoning = ''
  let firstTokenMs: number | null = null
  let sources: Source[] = []
  const agentCalls = new Map<string, AgentCall>()

  log.append({
    type: 'session',
    session_id: sessionId,
    user_message_id: begun.questionId,
    message_id: messageId,
    session_name: begun.sessionName,
  })

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

  const tools: AnswerTools = {
    signal: stopping.signal,
    text(text) {
      if (text === '' || stopping.signal.aborted) return
      firstTokenMs ??= elapsedMs()
      const room = limits.maxCharacters - content.length
      const kept = text.slice(0, room)
      content += kept
      joiners.reasoning.flush()
      joiners.chunk.add(kept)
      if (kept.length < text.length) stop('too-long')
    },
    reasoning(text) {
      if (stopping.signal.aborted) return
      const kept = text.slice(0, limits.maxReasoningCharacters - reasoning.length)
      if (kept === '') return
      reasoning += kept
      joiners.chunk.flush()
      joiners.reasoning.add(kept)
    },
    sources(given) {
      flush()
      sources = given
      log.append({ type: 'sources', sources })
    },
    agent(given) {
      flush()
      const call = storableJson(given) as AgentCall
      agentCalls.set(call.call_id, { ...agentCalls.get(call.call_id), ...call })
      log.append({ type: 'agent', ...call })
    },
  }

  const eventsAfter = (seq: number): EventBatch | null => {
    const events = log.events.slice(seq).map(({ event }) => event)
    return events.length > 0 ? { messageId, lastSeq: log.events.length, events } : null
  }

  const conclude = (made: MadeAnswer | null, failure: Failure | null): { result: AnswerResult; end: ChatEvent } => {
    flush()
    const isInterrupted = failure === null && (stopReason !== null || made === null)
    const state = failure ? 'failed' : isInterrupted ? 'interrupted' : 'complete'
    const durationMs = elapsedMs()
    const model = made?.model ?? traits.model
    const usage = made?.usage ?? null
    const end: ChatEvent = failure
      ? { type: 'error', content: failure.sentence, code: failure.code }
      : {
          type: 'complete',
          session_id: sessionId,
          message_id: messageId,
          model_used: storable(model ?? ''),
          engine: traits.engine,
          usage,
          duration_ms: durationMs,
          interrupted: isInterrupted,
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
      sources,
      agentCalls: settled(agentCalls.values()),
      reasoning: reasoning === '' ? null : storable(reasoning),
      sentiment: traits.sentiment(),
      inAnalytics: traits.inAnalytics,
      unstored: { messageId, lastSeq: log.events.length + 1, events: [end] },
    }
    return { result, end }
  }

  return {
    begun,
    log,
    content: () => content,
    stop,
    get stopReason() {
      return stopReason
    },
    eventsAfter,
    async make(make) {
      const timer = setTimeout(stop, limits.maxDurationMs, 'too-long' satisfies StopReason)
      try {
        const made = await make(tools)
        return conclude(made, stopReason === 'too-long' ? tooLong : null)
      } catch (error) {
        // Whatever breaks after a stop broke because of it.
        if (stopReason !== null) return conclude(null, stopReason === 'too-long' ? tooLong : null)
        if (!(error instanceof AppError)) serverLog.error({ err: error, message_id: messageId }, 'an answer failed')
        return conclude(null, asFailure(error))
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

function asFailure(error: unknown): Failure {
  if (!(error instanceof AppError)) return unforeseen
  return { sentence: storable(error.message), code: error.code as ChatErrorCode }
}
