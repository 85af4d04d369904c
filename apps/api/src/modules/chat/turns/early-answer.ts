import type { MakeAnswer } from './answer.ts'
import type { BegunAnswer, QuestionIds } from './questions.store.ts'
import type { MadeEvents } from './record.ts'
import type { AnswerEvent, Turn } from './turn.ts'

/** An answer that is turn for while its question is being stored: it is given up unless it is taken. */
export interface EarlyAnswer extends Disposable {
  /** True when the question was stored as foreseen. */
  isFor(startedAnswer: BegunAnswer): boolean
  /** Events of the answer. Call this once the question is stored. */
  take: MadeEvents
}

/** Input for foreseeing a question's position. */
export interface ForeseenPlace {
  userId: string
  ids: QuestionIds
  /** Name of a new conversation. */
  sessionName: string
  /** Undefined continues the branch that is shown; null begins another one next to the first message. */
  parentId: string | null | undefined
  /** Null for a conversation that begins. */
  stored: { sessionName: string; currentMessageId: string | null } | null
}

/** Future position of a question; null when it's only known once the question is stored. */
export function foresee({ userId, ids, sessionName, parentId, stored }: ForeseenPlace): BegunAnswer | null {
  if (stored === null) return { ...ids, userId, sessionName, parentId: null, history: [] }
  if (parentId === null) return { ...ids, userId, sessionName: stored.sessionName, parentId: null, history: [] }
  if (parentId !== undefined) return null
  return { ...ids, userId, sessionName: stored.sessionName, parentId: stored.currentMessageId }
}

const MAX_KNOWN_MESSAGES = 1000

/** The turn of a message that is to be stored; it ends when this is disposed of. */
export interface MessageTurn extends Disposable {
  /** True when this server hasn't received the message before. */
  isFirst: boolean
  /** Until the same message that was sent before is stored, or refused. */
  afterSame: Promise<void> | undefined
}

/**
 * Makes the function that lets a message that is sent twice be stored once before the other looks for it: this server does not
 * ask the model for it again, not even for a moment. Another server may, and leaves it as soon as it knows.
 */
export function createMessageTurns(): (message: { userId: string; clientId: string | null }) => MessageTurn {
  const messages = new Map<string, Promise<void>>()
  return ({ userId, clientId }) => {
    if (clientId === null) return { isFirst: true, afterSame: undefined, [Symbol.dispose]() {} }
    const key = `${userId} ${clientId}`
    const afterSame = messages.get(key)
    const ended = Promise.withResolvers<void>()
    const [oldest] = messages.keys()
    if (afterSame === undefined && oldest !== undefined && messages.size >= MAX_KNOWN_MESSAGES) messages.delete(oldest)
    messages.set(key, ended.promise)
    return { isFirst: afterSame === undefined, afterSame, [Symbol.dispose]: () => ended.resolve() }
  }
}

/**
 * Events requested ahead: the gathered context, the unsummarised part and the model's first output. The producer then
 * continues by itself.
 */
const ASKED_AHEAD = 3

/**
 * Has the model turn at once. Nothing that it tells goes anywhere, and no tool is called, until the answer is taken; one
 * that is not leaves nothing behind.
 */
export function askEarly(makeAnswer: MakeAnswer, turn: Turn): EarlyAnswer {
  const stopping = new AbortController()
  const stored = Promise.withResolvers<void>()
  // rejected for those who await it
  stored.promise.catch(() => {})
  const answerEvents = makeAnswer({ ...turn, untilStored: stored.promise }, stopping.signal)
  const ahead = Array.from({ length: ASKED_AHEAD }, () => answerEvents.next())
  // thrown again by take
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
