import { SEARCH_MEMORY } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { ChatEngine, ChatMessage, MemoryState } from '../../../engines/chat-engine.ts'
import type { Log } from '../../../log.ts'
import { searchConfiguration } from '../../../offline/language/language.ts'
import { asksAboutConversations, judgeMessage, type MessageKind } from '../../../offline/message-kind/message-kind.ts'
import { type PassagesService, understandPhrases } from '../../search/index.ts'
import { withoutThoughts } from '../conversations/titles-and-summaries.ts'
import { type Recalled, type UnnumberedPassage, withConversations } from './passages.ts'
import type { HistoryRow, RecallStore } from './recall.store.ts'
import { isStored, mayUse, type Turn } from './turn.ts'

/** Maximum earlier questions that a follow-up may refer to; still earlier ones are likely about something else. */
const MAX_QUESTIONS = 4
const MAX_SOURCES = 3
const QUESTION_CHARACTERS = 300
const SOURCE_CHARACTERS = 200

/**
 * Texts that a message may refer to, nearest first: the question before it and the sources of its answer; for a
 * follow-up also earlier questions, up to one that makes sense alone.
 */
export function topicOf(history: HistoryRow[], kind: MessageKind, judge = judgeMessage): string[] {
  const questions: string[] = []
  for (const { role, content } of history.toReversed()) {
    if (role !== 'user') continue
    const questionKind = judge(content)
    if (questionKind === 'talk') continue
    questions.push(cutText(content, QUESTION_CHARACTERS))
    if (kind !== 'follow-up' || questionKind !== 'follow-up' || questions.length === MAX_QUESTIONS) break
  }
  const cited = kind === 'follow-up' ? (history.findLast(({ sources = [] }) => sources.length > 0)?.sources ?? []) : []
  return [
    ...questions,
    ...cited.slice(0, MAX_SOURCES).map(({ title, snippet }) => cutText(`${title} ${snippet}`, SOURCE_CHARACTERS)),
  ]
}

/** Results from the user's memory for a message. */
interface Lookup {
  memory: MemoryState
  passages: UnnumberedPassage[]
}

interface MemoryLookupDeps {
  passages: Pick<PassagesService, 'find'>
  recall: Pick<RecallStore, 'findConversations' | 'readNearby'>
  memoryTimeoutMs?: number | undefined
  log: Log
}

/** Several seconds, since a busy machine is slow and an answer without the memory is often wrong. */
const MEMORY_TIMEOUT_MS = 5000
/** Maximum wait for the memory when the engine has nothing else to answer from. */
const ONLY_MEMORY_TIMEOUT_MS = 10_000
const MAX_PASSAGES = 8
/** Only the beginning of a long message is judged and searched for: recognising times takes long, as it tries every word. */
const MAX_QUERY_CHARACTERS = 4000
/** Maximum earlier conversations to use: by default, and for a question about what was said in them. */
const [MAX_CONVERSATIONS, MAX_REQUESTED_CONVERSATIONS] = [3, 6]
/** Minimum share of the question's words in an earlier conversation, unless the question asks about what was said. */
const MIN_WORD_SHARE = 0.3
/** Maximum characters of passages per token of the model's context: about a quarter of it, at three characters per token. */
const CHARACTERS_PER_CONTEXT_TOKEN = 0.75
const MIN_CHARACTERS = 1200

const NOTHING_RECALLED: Recalled = { messages: [], nearby: [] }

export type MemoryLookup = ReturnType<typeof createMemoryLookup>

/**
 * Searches the user's memory for a message, with the conversation's topic if the message refers to it. Gives up after a time
 * limit: an answer without the memory is better than a late one, or none.
 */
export function createMemoryLookup({ passages, recall, memoryTimeoutMs, log }: MemoryLookupDeps) {
  const rephrase = createRephrase({ log })

  /** The user's earlier conversations about a message, best first; the built-in engine searches them itself. */
  const findConversations = async (turn: Turn, isRequested: boolean): Promise<Recalled> => {
    const { userId, content: text, language, timeZone, engine, startedAnswer } = turn
    const mayRead = turn.canReadStored && mayUse(turn, SEARCH_MEMORY) && turn.knowledge === undefined
    if (!mayRead || engine.name === 'built-in') return NOTHING_RECALLED
    const { textWithoutTimes, days = [] } = understandPhrases(text, { now: new Date(), timeZone, language })
    try {
      const conversations = await recall.findConversations({
        userId,
        question: text,
        // Hardly any message contains the words for a time, so they'd make it seem to be about something else.
        text: textWithoutTimes,
        days,
        timeZone,
        searchConfiguration: searchConfiguration(language),
        exceptSessionId: isStored(turn) ? startedAnswer.sessionId : null,
        limit: isRequested ? MAX_REQUESTED_CONVERSATIONS : MAX_CONVERSATIONS,
      })
      const messages = conversations.filter(({ share }) => isRequested || share >= MIN_WORD_SHARE)
      const ids = messages.map(({ messageId }) => messageId)
      return { messages, nearby: await recall.readNearby(userId, ids) }
    } catch (error) {
      log.warn({ err: error }, 'could not search earlier conversations for an answer')
      return NOTHING_RECALLED
    }
  }

  return {
    async find(request: Turn, historyPromise: Promise<HistoryRow[]>, signal: AbortSignal): Promise<Lookup> {
      const turn = { ...request, content: cutText(request.content, MAX_QUERY_CHARACTERS) }
      const kind = judgeMessage(turn.content)
      if (kind === 'talk') return { memory: 'unasked', passages: [] }
      const { engine } = turn
      const timeoutMs = engine.name === 'built-in' ? ONLY_MEMORY_TIMEOUT_MS : (memoryTimeoutMs ?? MEMORY_TIMEOUT_MS)
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const maxCharacters = Math.max(MIN_CHARACTERS, (await engine.contextTokens()) * CHARACTERS_PER_CONTEXT_TOKEN)
      const search = async () => {
        const history = await historyPromise
        const rephrased = kind === 'follow-up' ? await rephrase(engine, history, turn.content, signal) : []
        const context = [...rephrased, ...topicOf(history, kind)]
        const about = kind === 'follow-up' ? context[0] : undefined
        const query = { text: turn.content, context, about, items: turn.knowledge }
        const isRequested = asksAboutConversations(turn.content)
        const [matches, recalled] = await Promise.all([
          passages.find(turn, query, MAX_PASSAGES),
          findConversations(turn, isRequested),
        ])
        return withConversations(matches, recalled, { maxCharacters, isRequested })
      }
      try {
        const passages = await Promise.race([search(), nullOnAbort(limit)])
        if (passages === null) {
          log.info({ timeout_ms: timeoutMs }, 'searching the memory for an answer timed out')
          return { memory: 'silent', passages: [] }
        }
        return { memory: 'searched', passages }
      } catch (error) {
        log.warn({ err: error }, 'could not search the memory for an answer')
        return { memory: 'silent', passages: [] }
      }
    },
  }
}

const nullOnAbort = (signal: AbortSignal) =>
  new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener('abort', () => resolve(null), { once: true })
  })

interface RephraseOptions {
  log: Log
  timeoutMs?: number
}

const REPHRASE_TIMEOUT_MS = 1500
/** Consecutive timeouts after which no model is asked for a while, since every follow-up would wait in vain. */
const MAX_TIMEOUTS = 2
const PAUSE_MS = 60_000
const MAX_SENT_MESSAGES = 4
const MAX_REPHRASED_CHARACTERS = 300
/** Words with the same first letters count as forms of one word. */
const STEM_LETTERS = 5
/** Minimum share of words from the conversation in a rewritten message: an invented text is of no use. */
const MIN_KNOWN_SHARE = 0.5

/**
 * Has the model rewrite a message so that it makes sense alone. The list has one text, or none when the model fails or invents
 * words that aren't in the conversation.
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
    const messages = [...history.slice(-MAX_SENT_MESSAGES), { role: 'user' as const, content: message }]
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const rephrased = await engine.rephrase(messages, AbortSignal.any([signal, limit]))
      timeouts = 0
      const line = withoutThoughts(rephrased ?? '')
        .replace(/\s+/g, ' ')
        .trim()
      const text = cutText(line, MAX_REPHRASED_CHARACTERS).toWellFormed()
      return isMadeOf(text, messages) ? [text] : []
    } catch (error) {
      if (limit.aborted && !signal.aborted && ++timeouts >= MAX_TIMEOUTS) {
        timeouts = 0
        pausedUntil = performance.now() + PAUSE_MS
      }
      log.info({ err: error }, 'could not rephrase a follow-up')
      return []
    }
  }
}

/** True when enough words of a text come from the conversation. */
function isMadeOf(text: string, messages: ChatMessage[]): boolean {
  const knownStems = new Set(messages.flatMap(({ content }) => stemsOf(content)))
  const stems = stemsOf(text)
  return stems.length > 0 && stems.filter((stem) => knownStems.has(stem)).length / stems.length >= MIN_KNOWN_SHARE
}

const stemsOf = (text: string) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, STEM_LETTERS))
