import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatEvent } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { TooManyRequestsError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { isDatabaseConflict, isDatabaseUnavailable } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { storable } from '../../../platform/lib/storable.ts'
import type { Links } from '../conversations/links.ts'
import { createAbandonedAnswers } from './abandoned-answers.ts'
import type { AnswerResult, AnswersStore } from './answers.store.ts'
import type { StartedAnswer } from './questions.store.ts'
import {
  type AnswerRecord,
  type AnswerTraits,
  createAnswerRecord,
  type ProduceEvents,
  type RecordedAnswer,
} from './record.ts'
import type { StoredAnswersStore } from './stored-answers.store.ts'
import { createRemoteAnswers } from './stream.ts'

/** Intervals and limits of generating answers. */
export interface AnswerLimits {
  flushIntervalMs: number
  /** Polling interval for other servers' answers when no notification arrives. */
  pollIntervalMs: number
  sweepIntervalMs: number
  /** Time without a heartbeat after which a server counts as dead. */
  silentMs: number
  /** Time in which pieces of text are joined into one event. */
  joinWindowMs: number
  maxCharacters: number
  maxReasoningCharacters: number
  maxDurationMs: number
  maxPerUser: number
}

export interface AnswersDeps {
  database: Pick<Database, 'listen' | 'notify'>
  store: AnswersStore
  stored: StoredAnswersStore
  /** Unique to this process. */
  serverId: string
  /** True with the embedded database, which only one process uses, so that answers of earlier processes are ended immediately. */
  isOnlyServer: boolean
  events: Pick<Events, 'publish'>
  /** Called when an answer is complete and stored; higher modules react to it. */
  onAnswered(userId: string, answer: { sessionId: string; messageId: string }): void
  links: Links
  log: Log
  limits?: Partial<AnswerLimits> | undefined
}

/** Limits in production; tests override them. */
export const defaultAnswerLimits: AnswerLimits = {
  flushIntervalMs: 200,
  pollIntervalMs: 1000,
  sweepIntervalMs: 5000,
  silentMs: 15_000,
  joinWindowMs: 25,
  maxCharacters: 400_000,
  maxReasoningCharacters: 100_000,
  maxDurationMs: 15 * 60_000,
  maxPerUser: 20,
}

const NEWS_CHANNEL = 'mira_answer_news'
const STOP_CHANNEL = 'mira_answer_stop'
/**
 * Limits writing to 1/FLUSH_PARTS of the time, since new questions wait for the embedded database's only session; readers on
 * other servers still wait at most MAX_FLUSH_WAITS intervals.
 */
const FLUSH_PARTS = 5
const MAX_FLUSH_WAITS = 5
const notStoredEvent: ChatEvent = { type: 'error', content: 'The answer couldn’t be saved.', code: 'internal_error' }
/** A notification between servers holds 7 900 bytes, and an id with its separator takes 37. */
const IDS_PER_NOTIFICATION = 200
const MAX_STOP_WAIT_MS = 1000
const MAX_RETRY_DELAY_MS = 5000
/** Characters to store of an answer that the database refuses as a whole. */
const CUT_CHARACTERS = 20_000
/** Maximum wait for running answers at shutdown, for which the process has five seconds in all. */
const CLOSE_TIMEOUT_MS = 3000

export type Answers = ReturnType<typeof createAnswers>

/**
 * Records answers while they're generated, whether or not anyone is reading. Readers get the events from memory; batches of
 * all running answers also go into the database, where other servers read them and where they outlive this process.
 */
export function createAnswers(deps: AnswersDeps) {
  const { store, stored, database, serverId, events, links, log } = deps
  const limits = { ...defaultAnswerLimits, ...deps.limits }
  const running = new Map<string, AnswerRecord>()
  const completions = new Map<string, Promise<unknown>>()
  /** Ids of answers whose end is being stored. */
  const ending = new Set<string>()
  const storedUpTo = new Map<string, number>()
  const closing = new AbortController()
  let flushing: Promise<void> | undefined
  let sweeping: Promise<void> | undefined
  let isOutage = false
  const limiter = createAnswerLimiter(
    limits.maxPerUser,
    (userId) => [...running.values()].filter(({ startedAnswer }) => startedAnswer.userId === userId).length,
  )
  const remoteAnswers = createRemoteAnswers({ stored, links, pollIntervalMs: limits.pollIntervalMs })

  const notifyServers = (channel: string, ids: string[]) => {
    for (let index = 0; index < ids.length; index += IDS_PER_NOTIFICATION) {
      database.notify(channel, ids.slice(index, index + IDS_PER_NOTIFICATION).join(' ')).catch((error: unknown) => {
        // Not an error: other servers also poll.
        log.debug({ err: error }, 'could not notify other servers of answers')
      })
    }
  }
  const stopListening = [
    database.listen(NEWS_CHANNEL, (payload) => remoteAnswers.wake(payload.split(' '))),
    database.listen(STOP_CHANNEL, (payload) => {
      for (const id of payload.split(' ')) running.get(id)?.stop('stopped')
    }),
  ]

  /** Writes the new events of every running answer. */
  const flush = async () => {
    const answers = [...running.values()]
    const batches = answers.flatMap(
      ({ startedAnswer, eventsAfter }) => eventsAfter(storedUpTo.get(startedAnswer.messageId) ?? 0) ?? [],
    )
    const ids = answers.map(({ startedAnswer }) => startedAnswer.messageId)
    const alive = await store.flush(ids, batches)
    for (const { messageId, lastSeq } of batches) if (running.has(messageId)) storedUpTo.set(messageId, lastSeq)
    notifyServers(
      NEWS_CHANNEL,
      batches.map(({ messageId }) => messageId),
    )
    const aliveIds = new Set(alive.map(({ messageId }) => messageId))
    for (const { messageId, isStopRequested } of alive) if (isStopRequested) running.get(messageId)?.stop('stopped')
    // An answer whose end was stored meanwhile is finished, not deleted.
    for (const id of ids) if (!aliveIds.has(id) && !ending.has(id)) running.get(id)?.stop('deleted')
  }

  const flushWhileRunning = async () => {
    let tookMs = 0
    while (running.size > 0) {
      const { flushIntervalMs } = limits
      await sleep(Math.min(Math.max(flushIntervalMs, tookMs * (FLUSH_PARTS - 1)), flushIntervalMs * MAX_FLUSH_WAITS))
      const startedAt = performance.now()
      try {
        await flush()
        tookMs = performance.now() - startedAt
        isOutage = false
      } catch (error) {
        if (!isOutage)
          log.warn({ err: error }, 'could not store answers; keeping them in memory until the database is back')
        isOutage = true
      }
    }
    // Synchronous with the last check of `running`, so that an answer that begins now starts another loop.
    flushing = undefined
  }

  const isTransient = (error: unknown) => isDatabaseUnavailable(error) || isDatabaseConflict(error)

  /** Stores the end of an answer, retrying while the database is unavailable; false when that failed for good. */
  const storeEnd = async (whole: AnswerResult): Promise<boolean> => {
    let result = whole
    for (let waitMs = limits.flushIntervalMs; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_DELAY_MS)) {
      try {
        await store.finish(result)
        return true
      } catch (error) {
        const willRetry = isTransient(error) && !closing.signal.aborted
        log[willRetry ? 'warn' : 'error']({ err: error, message_id: result.messageId }, 'could not store an answer')
        if (!willRetry) {
          if (closing.signal.aborted || result !== whole) return false
          result = cut(whole)
          continue
        }
        await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }

  const runToEnd = async (answer: AnswerRecord, produceEvents: ProduceEvents): Promise<RecordedAnswer | null> => {
    const { messageId, sessionId, userId } = answer.startedAnswer
    const recorded = await answer.generate(produceEvents)
    const { result, end } = recorded
    result.unstored.events.unshift(...(answer.eventsAfter(storedUpTo.get(messageId) ?? 0)?.events ?? []))
    ending.add(messageId)
    // An answer deleted in the meantime has no row to be stored in.
    const isStored = answer.stopReason === 'deleted' || (await storeEnd(result))
    answer.log.append(isStored ? end : notStoredEvent)
    answer.log.end()
    running.delete(messageId)
    ending.delete(messageId)
    storedUpTo.delete(messageId)
    completions.delete(messageId)
    notifyServers(NEWS_CHANNEL, [messageId])
    if (answer.stopReason === 'deleted') return null
    events.publish(userId, { type: 'chat.updated', session_id: sessionId })
    if (isStored && end.type === 'complete') deps.onAnswered(userId, { sessionId, messageId })
    return isStored ? recorded : null
  }

  const abandoned = createAbandonedAnswers({
    ...deps,
    ...limits,
    cutCharacters: CUT_CHARACTERS,
    isRunningHere: (messageId) => running.has(messageId),
    onEnded({ messageId, sessionId, userId }) {
      notifyServers(NEWS_CHANNEL, [messageId])
      events.publish(userId, { type: 'chat.updated', session_id: sessionId })
    },
  })

  const stopOne = async (messageId: string) => {
    const answer = running.get(messageId)
    if (answer) {
      answer.stop('stopped')
      await Promise.race([completions.get(messageId), sleep(MAX_STOP_WAIT_MS, undefined, { ref: false })])
      return
    }
    notifyServers(STOP_CHANNEL, [messageId])
    const deadline = performance.now() + MAX_STOP_WAIT_MS
    while (performance.now() < deadline && (await store.isRunning(messageId))) await sleep(50)
  }

  return {
    serverId,

    /** Number of answers that this server is generating. */
    count: () => running.size,

    /**
     * Reserves one of the user's concurrent answers, until it runs or is given up.
     * @throws TooManyRequestsError when the user has too many answers in progress
     */
    reserve: limiter.reserve,

    /** Generates and records an answer in the background; resolves to its outcome, null when it wasn't stored. */
    run(
      startedAnswer: StartedAnswer,
      traits: AnswerTraits,
      produceEvents: ProduceEvents,
    ): Promise<RecordedAnswer | null> {
      const { messageId, sessionId, userId } = startedAnswer
      const present = (event: ChatEvent) => links.presentEvent(userId, event)
      const answer = createAnswerRecord(startedAnswer, traits, { limits, log, present })
      running.set(messageId, answer)
      // A resumed answer's earlier events were stored when it was resumed.
      if (traits.before !== undefined) storedUpTo.set(messageId, answer.log.events.length)
      flushing ??= flushWhileRunning()
      const end = runToEnd(answer, produceEvents)
      completions.set(messageId, end)
      events.publish(userId, { type: 'chat.updated', session_id: sessionId, answering: true })
      return end
    },

    /** Encoded events of a user's answer after a position, until its end or until the signal is aborted. */
    read(userId: string, messageId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<string> {
      const answer = running.get(messageId)
      return answer
        ? answer.log.read(afterSeq, signal)
        : remoteAnswers.streamEvents(userId, messageId, afterSeq, signal)
    },

    /** Stops a conversation's running answers on any server; briefly waits for them to end. */
    async stop(sessionId: string): Promise<void> {
      await Promise.all((await store.requestStop(sessionId)).map(stopOne))
    },

    /** Stops this server's answers in conversations that are about to be deleted or trashed. */
    async abandon(sessionIds: string[], reason: 'deleted' | 'stopped' = 'deleted'): Promise<void> {
      const affected = [...running.values()].filter(({ startedAnswer }) => sessionIds.includes(startedAnswer.sessionId))
      for (const answer of affected) answer.stop(reason)
      const ended = Promise.all(affected.map(({ startedAnswer }) => completions.get(startedAnswer.messageId)))
      await Promise.race([ended, sleep(MAX_STOP_WAIT_MS, undefined, { ref: false })])
    },

    /** Text so far of running answers, by message. */
    async partialContents(messageIds: string[]): Promise<Map<string, string>> {
      const remoteIds = messageIds.filter((id) => !running.has(id))
      const contents = remoteIds.length > 0 ? await stored.readPartialContents(remoteIds) : new Map<string, string>()
      for (const id of messageIds) {
        const answer = running.get(id)
        if (answer) contents.set(id, answer.content())
      }
      return contents
    },

    /** Ends answers of dead servers, now and regularly. */
    async start(): Promise<void> {
      await abandoned.sweepFirst()
      sweeping ??= abandoned.sweepRepeatedly(closing.signal)
    },

    /** Stops running answers and stores their text so far. */
    async close(): Promise<void> {
      for (const stop of stopListening) stop()
      for (const answer of running.values()) answer.stop('stopped')
      const ended = Promise.all(completions.values())
      await Promise.race([ended, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
      closing.abort()
      await Promise.all([flushing, sweeping, ...completions.values()])
    },
  }
}

/** An answer cut to its beginning, without sources and calls. */
function cut(result: AnswerResult): AnswerResult {
  const content = storable(cutText(result.content, CUT_CHARACTERS))
  return { ...result, content, reasoning: null, sources: [], agentCalls: [] }
}

/** Limits concurrent answers per user. @param running number of the user's running answers */
function createAnswerLimiter(maxPerUser: number, running: (userId: string) => number) {
  /** Number of reserved answers that don't run yet, by user id. */
  const reserved = new Map<string, number>()

  return {
    reserve(userId: string): Disposable {
      const reservations = reserved.get(userId) ?? 0
      if (running(userId) + reservations >= maxPerUser) {
        throw new TooManyRequestsError('You have many answers in progress. Wait until some of them are complete.', {
          code: 'too_many_answers',
          retryAfterSeconds: 5,
        })
      }
      reserved.set(userId, reservations + 1)
      return {
        [Symbol.dispose]() {
          const remaining = (reserved.get(userId) ?? 1) - 1
          if (remaining > 0) reserved.set(userId, remaining)
          else reserved.delete(userId)
        },
      }
    },
  }
}
