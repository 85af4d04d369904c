import { SEARCH_MEMORY } from '@mira/shared'
import type { ChatEngine, ChatMessage, MemoryState } from '../../../engines/chat-engine.ts'
import type { Log } from '../../../log.ts'
import { searchConfiguration } from '../../../offline/language/language.ts'
import { asksOfTalks, judgeMessage, type MessageKind } from '../../../offline/message-kind/message-kind.ts'
import { type PassagesService, understandPhrases } from '../../search/index.ts'
import { withoutThoughts } from '../conversations/writers.ts'
import { fitting, passageOfTalk, type UnnumberedPassage } from './passages.ts'
import type { HistoryRow, RecallStore } from './recall.store.ts'
import { isStored, mayUse, type Turn } from './turn.ts'

/** A conversation that went on for longer is about something else by now. */
const MAX_QUESTIONS = 4
const MAX_SOURCES = 3
const QUESTION_CHARACTERS = 300
const SOURCE_CHARACTERS = 200

/**
 * Texts that a message may refer to, the nearest first: the question before it and the sources of its answer; for a
 * follow-up also earlier questions, up to one that makes sense alone.
 */
export function topicOf(history: HistoryRow[], kind: MessageKind, judge = judgeMessage): string[] {
  const questions: string[] = []
  const before = history.flatMap(({ role, content }) => {
    return role === 'user' ? [{ content, kind: judge(content) }] : []
  })
  for (const question of before.toReversed()) {
    if (question.kind === 'talk') continue
    questions.push(question.content.slice(0, QUESTION_CHARACTERS))
    if (kind !== 'follow-up' || question.kind !== 'follow-up' || questions.length === MAX_QUESTIONS) break
  }
  const cited = kind === 'follow-up' ? (history.findLast(({ sources = [] }) => sources.length > 0)?.sources ?? []) : []
  return [
    ...questions,
    ...cited.slice(0, MAX_SOURCES).map(({ title, snippet }) => `${title} ${snippet}`.slice(0, SOURCE_CHARACTERS)),
  ]
}

/** Results from the sender's memory for a message. */
interface Lookup {
  memory: MemoryState
  passages: UnnumberedPassage[]
}

interface MemoryLookupDeps {
  passages: Pick<PassagesService, 'find'>
  recall: Pick<RecallStore, 'findTalks'>
  memoryTimeoutMs?: number | undefined
  log: Log
}

/** A busy machine takes seconds, and an answer without the memory is often wrong. */
const MEMORY_TIMEOUT_MS = 5000
/** Longest wait for the memory when the engine has nothing else to answer from. */
const ONLY_MEMORY_TIMEOUT_MS = 10_000
const MAX_PASSAGES = 8
/** A longer message is judged and looked up by its beginning: times are looked for at each word. */
const READ_CHARACTERS = 4000
/** Earlier conversations beside them, and how much of the question each holds at least; more for a question about what was said. */
const [MAX_TALKS, MAX_TALKS_ASKED] = [3, 6]
const MIN_SHARE_OF_TALK = 0.3
/** Characters of all passages for each token that the model holds: a quarter of its context. */
const CHARACTERS_PER_CONTEXT_TOKEN = 0.75
const MIN_CHARACTERS = 1200

export type MemoryLookup = ReturnType<typeof createMemoryLookup>

/**
 * Searches the user's memory for a message, with the conversation's topic where the message refers to it. It doesn't wait
 * longer than the limit: an answer without the memory is better than one that is late, or none.
 */
export function createMemoryLookup({ passages, recall, memoryTimeoutMs, log }: MemoryLookupDeps) {
  const rephrase = createRephrase({ log })

  /** The user's earlier conversations about a message, best first; the built-in engine looks for them itself. */
  const findTalks = async (turn: Turn, isAsked: boolean): Promise<UnnumberedPassage[]> => {
    const { userId, content: text, language, timeZone, engine, startedAnswer } = turn
    const isOpen = turn.canReadStored && mayUse(turn, SEARCH_MEMORY) && turn.knowledge === undefined
    if (!isOpen || engine.name === 'built-in') return []
    const { days = [] } = understandPhrases(text, { now: new Date(), timeZone, language })
    try {
      const talks = await recall.findTalks({
        ...{ userId, text, days, timeZone },
        searchConfiguration: searchConfiguration(language),
        exceptSessionId: isStored(turn) ? startedAnswer.sessionId : null,
        limit: isAsked ? MAX_TALKS_ASKED : MAX_TALKS,
      })
      return talks.filter(({ share }) => isAsked || share >= MIN_SHARE_OF_TALK).map(passageOfTalk)
    } catch (error) {
      log.warn({ err: error }, 'earlier conversations could not be searched for an answer')
      return []
    }
  }

  return {
    async find(request: Turn, reading: Promise<HistoryRow[]>, signal: AbortSignal): Promise<Lookup> {
      const turn = { ...request, content: request.content.slice(0, READ_CHARACTERS) }
      const kind = judgeMessage(turn.content)
      if (kind === 'talk') return { memory: 'unasked', passages: [] }
      const { engine } = turn
      const timeoutMs = engine.name === 'built-in' ? ONLY_MEMORY_TIMEOUT_MS : (memoryTimeoutMs ?? MEMORY_TIMEOUT_MS)
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const search = async () => {
        const history = await reading
        const rephrased = kind === 'follow-up' ? await rephrase(engine, history, turn.content, signal) : []
        const context = [...rephrased, ...topicOf(history, kind)]
        const about = kind === 'follow-up' ? context[0] : undefined
        const query = { text: turn.content, context, about, items: turn.knowledge }
        const isAsked = asksOfTalks(turn.content)
        const [found, talks] = await Promise.all([passages.find(turn, query, MAX_PASSAGES), findTalks(turn, isAsked)])
        return isAsked ? [...talks, ...found] : [...found, ...talks]
      }
      try {
        const passages = await Promise.race([search(), aborted(limit)])
        if (passages === null) {
          log.info({ timeout_ms: timeoutMs }, 'an answer did not wait for its memory')
          return { memory: 'silent', passages: [] }
        }
        const maxCharacters = Math.max(MIN_CHARACTERS, (await engine.contextTokens()) * CHARACTERS_PER_CONTEXT_TOKEN)
        return { memory: 'searched', passages: fitting(passages, maxCharacters) }
      } catch (error) {
        log.warn({ err: error }, 'the memory could not be searched for an answer')
        return { memory: 'silent', passages: [] }
      }
    },
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener('abort', () => resolve(null), { once: true })
  })

interface RephraseOptions {
  log: Log
  timeoutMs?: number
}

const REPHRASE_TIMEOUT_MS = 1500
/** After this many timeouts in a row a model isn't asked for a while: everybody would wait for nothing. */
const MAX_TIMEOUTS = 2
const PAUSE_MS = 60_000
const READ_MESSAGES = 4
const MAX_CHARACTERS = 300
/** Words mostly differ after these letters in their forms only. */
const COMPARED_LETTERS = 5
/** Part of its words that the conversation must hold: a model that makes things up is of no help. */
const MIN_SHARE = 0.5

/**
 * Has the model rewrite a message so that it makes sense alone: one text, or none when it can't, or when the text isn't made
 * of the conversation's words.
 */
export function createRephrase({ log, timeoutMs = REPHRASE_TIMEOUT_MS }: RephraseOptions) {
  let timeouts = 0
  let pausedUntil = 0

  return async (
    engine: ChatEngine,
    history: ChatMessage[],
    message: string,
    signal: AbortSignal,
  ): Promise<string[]> => {
    if (history.length === 0 || performance.now() < pausedUntil) return []
    const messages = [...history.slice(-READ_MESSAGES), { role: 'user' as const, content: message }]
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const rephrased = await engine.rephrase(messages, AbortSignal.any([signal, limit]))
      timeouts = 0
      const text =
        rephrased === null ? '' : withoutThoughts(rephrased).replace(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS)
      return isMadeOf(text, messages) ? [text.toWellFormed()] : []
    } catch (error) {
      if (limit.aborted && !signal.aborted && ++timeouts >= MAX_TIMEOUTS) {
        timeouts = 0
        pausedUntil = performance.now() + PAUSE_MS
      }
      log.info({ err: error }, 'a follow-up was looked up as it is')
      return []
    }
  }
}

/** True when a text only uses words from the conversation. */
function isMadeOf(text: string, messages: ChatMessage[]): boolean {
  const knownStems = new Set(messages.flatMap(({ content }) => stemsOf(content)))
  const stems = stemsOf(text)
  return stems.length > 0 && stems.filter((stem) => knownStems.has(stem)).length / stems.length >= MIN_SHARE
}

const stemsOf = (text: string) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, COMPARED_LETTERS))
