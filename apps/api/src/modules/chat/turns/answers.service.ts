import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatEvent } from '@mira/shared'
import { TooManyRequestsError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { isDatabaseConflict, isDatabaseUnavailable } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { storable } from '../../../platform/lib/storable.ts'
import type { Links } from '../conversations/links.ts'
import { createAbandonedAnswers } from './abandoned-answers.ts'
import type { AnswerResult, AnswersStore } from './answers.store.ts'
import type { BegunAnswer } from './questions.store.ts'
import {
  type AnswerRecord,
  type AnswerTraits,
  createAnswerRecord,
  type MadeEvents,
  type RecordedAnswer,
} from './record.ts'
import type { StoredAnswersStore } from './stored-answers.store.ts'
import { createAnswersElsewhere } from './stream.ts'

/** Intervals and limits of generating answers. */
export interface AnswerLimits {
  flushIntervalMs: number
  /** Without a notification, answers of other servers are looked at this often. */
  pollIntervalMs: number
  sweepIntervalMs: number
  /** A server that was silent for this long is taken for dead. */
  silentMs: number
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
  /** One of this process alone. */
  serverId: string
  /** The embedded database belongs to one process: answers that another one left are ended at once. */
  isOnlyServer: boolean
  events: Pick<Events, 'publish'>
  /** Hook for higher modules: an answer is complete and stored. */
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
 * Spends at most 1/FLUSH_PARTS of the time writing, but lets readers on other servers wait for at most MAX_FLUSH_WAITS
 * intervals: an embedded database has one session, which new questions wait for.
 */
const FLUSH_PARTS = 5
const MAX_FLUSH_WAITS = 5
const notStored: ChatEvent = { type: 'error', content: 'The answer could not be stored.', code: 'internal_error' }
/** A notification holds 7 900 bytes, an id 37. */
const IDS_PER_NOTIFICATION = 200
const LONGEST_STOP_WAIT_MS = 1000
const LONGEST_RETRY_WAIT_MS = 5000
/** Characters stored of an answer that the database refuses as a whole. */
const CUT_CHARACTERS = 20_000
/** The process has five seconds to end. */
const CLOSE_TIMEOUT_MS = 3000

export type Answers = ReturnType<typeof createAnswers>

/**
 * Records answers as they are made, whether or not anyone listens: their events go to readers from memory, and of all
 * running answers together into the database, where other servers read them and where they outlive this process.
 */
export function createAnswers(deps: AnswersDeps) {
  const { store, stored, database, serverId, events, links, log } = deps
  const limits = { ...defaultAnswerLimits, ...deps.limits }
  const running = new Map<string, AnswerRecord>()
  const ends = new Map<string, Promise<unknown>>()
  /** Answers being generated, and those whose end is being stored. */
  const ending = new Set<string>()
  const storedUpTo = new Map<string, number>()
  const closing = new AbortController()
  let flushing: Promise<void> | undefined
  let sweeping: Promise<void> | undefined
  let isOutage = false
  const capacity = createAnswerRoom(
    limits.maxPerUser,
    (userId) => [...running.values()].filter(({ startedAnswer }) => startedAnswer.userId === userId).length,
  )
  const elsewhere = createAnswersElsewhere({ stored, links, pollIntervalMs: limits.pollIntervalMs })

  const tellOthers = (channel: string, ids: string[]) => {
    for (let index = 0; index < ids.length; index += IDS_PER_NOTIFICATION) {
      database.notify(channel, ids.slice(index, index + IDS_PER_NOTIFICATION).join(' ')).catch((error: unknown) => {
        // Other servers poll, too.
        log.debug({ err: error }, 'other servers could not be told of answers')
      })
    }
  }
  const stopListening = [
    database.listen(NEWS_CHANNEL, (payload) => elsewhere.hear(payload.split(' '))),
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
    tellOthers(
      NEWS_CHANNEL,
      batches.map(({ messageId }) => messageId),
    )
    const aliveIds = new Set(alive.map(({ messageId }) => messageId))
    for (const { messageId, isStopRequested } of alive) if (isStopRequested) running.get(messageId)?.stop('stopped')
    // One whose end was stored meanwhile is finished, not deleted.
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
        if (!isOutage) log.warn({ err: error }, 'answers cannot be stored right now; they are kept until they can')
        isOutage = true
      }
    }
    // Synchronous with the last check of running answers: an answer that begins now starts another round.
    flushing = undefined
  }

  const mayPass = (error: unknown) => isDatabaseUnavailable(error) || isDatabaseConflict(error)

  /** Stores the end of an answer, however long the database is away; false when it could not be stored. */
  const storeEnd = async (whole: AnswerResult): Promise<boolean> => {
    let result = whole
    for (let waitMs = limits.flushIntervalMs; ; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_WAIT_MS)) {
      try {
        await store.finish(result)
        return true
      } catch (error) {
        const isTemporary = mayPass(error) && !closing.signal.aborted
        log[isTemporary ? 'warn' : 'error']({ err: error, message_id: result.messageId }, 'an answer is not stored yet')
        if (!isTemporary) {
          if (closing.signal.aborted || result !== whole) return false
          result = cut(whole)
          continue
        }
        await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }

  const runToEnd = async (answer: AnswerRecord, produceEvents: MadeEvents): Promise<RecordedAnswer | null> => {
    const { messageId, sessionId, userId } = answer.startedAnswer
    const recorded = await answer.take(produceEvents)
    const { result, end } = recorded
    result.unstored.events.unshift(...(answer.eventsAfter(storedUpTo.get(messageId) ?? 0)?.events ?? []))
    ending.add(messageId)
    // An answer deleted in the meantime has no row to be stored in.
    const isStored = answer.stopReason === 'deleted' || (await storeEnd(result))
    answer.log.append(isStored ? end : notStored)
    answer.log.end()
    running.delete(messageId)
    ending.delete(messageId)
    storedUpTo.delete(messageId)
    ends.delete(messageId)
    tellOthers(NEWS_CHANNEL, [messageId])
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
    ended({ messageId, sessionId, userId }) {
      tellOthers(NEWS_CHANNEL, [messageId])
      events.publish(userId, { type: 'chat.updated', session_id: sessionId })
    },
  })

  const stopOne = async (messageId: string) => {
    const answer = running.get(messageId)
    if (answer) {
      answer.stop('stopped')
      await Promise.race([ends.get(messageId), sleep(LONGEST_STOP_WAIT_MS, undefined, { ref: false })])
      return
    }
    tellOthers(STOP_CHANNEL, [messageId])
    const deadline = performance.now() + LONGEST_STOP_WAIT_MS
    while (performance.now() < deadline && (await store.isRunning(messageId))) await sleep(50)
  }

  return {
    serverId,

    /** Number of answers that this server is generating. */
    count: () => running.size,

    /**
     * Keeps room for an answer that is about to begin, until it runs or is given up.
     * @throws TooManyRequestsError when many answers are generated for the user at once.
     */
    reserveRoom: capacity.reserve,

    /** Records an answer while it is made in the background; its outcome, null when that is not stored. */
    run(startedAnswer: BegunAnswer, traits: AnswerTraits, produceEvents: MadeEvents): Promise<RecordedAnswer | null> {
      const { messageId, sessionId, userId } = startedAnswer
      const present = (event: ChatEvent) => links.presentEvent(userId, event)
      const answer = createAnswerRecord(startedAnswer, traits, { limits, log, present })
      running.set(messageId, answer)
      // earlier events are stored when it begins again
      if (traits.before !== undefined) storedUpTo.set(messageId, answer.log.events.length)
      flushing ??= flushWhileRunning()
      const end = runToEnd(answer, produceEvents)
      ends.set(messageId, end)
      events.publish(userId, { type: 'chat.updated', session_id: sessionId, answering: true })
      return end
    },

    /** Encoded events of a user's answer after a position, until its end or until the signal is aborted. */
    read(userId: string, messageId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<string> {
      const answer = running.get(messageId)
      return answer ? answer.log.read(afterSeq, signal) : elsewhere.follow(userId, messageId, afterSeq, signal)
    },

    /** Stops the answers that are made in a conversation, on any server; waits a moment for their ends. */
    async stop(sessionId: string): Promise<void> {
      await Promise.all((await store.requestStop(sessionId)).map(stopOne))
    },

    /** Stops what this server makes in conversations that are about to be deleted. */
    async abandon(sessionIds: string[], reason: 'deleted' | 'stopped' = 'deleted'): Promise<void> {
      const affected = [...running.values()].filter(({ startedAnswer }) => sessionIds.includes(startedAnswer.sessionId))
      for (const answer of affected) answer.stop(reason)
      const ended = Promise.all(affected.map(({ startedAnswer }) => ends.get(startedAnswer.messageId)))
      await Promise.race([ended, sleep(LONGEST_STOP_WAIT_MS, undefined, { ref: false })])
    },

    /** The text so far of answers that are being made, by message. */
    async contentsSoFar(messageIds: string[]): Promise<Map<string, string>> {
      const others = messageIds.filter((id) => !running.has(id))
      const contents = others.length > 0 ? await stored.readPartialContents(others) : new Map<string, string>()
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

    /** Ends running answers where they are and stores them. */
    async close(): Promise<void> {
      for (const stop of stopListening) stop()
      for (const answer of running.values()) answer.stop('stopped')
      const ended = Promise.all(ends.values())
      await Promise.race([ended, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
      closing.abort()
      await Promise.all([flushing, sweeping, ...ends.values()])
    },
  }
}

/** The beginning of an answer, without sources and calls. */
function cut(result: AnswerResult): AnswerResult {
  const content = storable(result.content.slice(0, CUT_CHARACTERS))
  return { ...result, content, reasoning: null, sources: [], agentCalls: [] }
}

/** Limits the answers generated for a user at once. @param running number that is running for them now */
function createAnswerRoom(maxPerUser: number, running: (userId: string) => number) {
  /** Answers that are about to begin, by user id. */
  const reserved = new Map<string, number>()

  return {
    /**
     * Keeps room for an answer that is about to begin, until it runs or is given up.
     * @throws TooManyRequestsError when many answers are generated for the user at once.
     */
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
