import type { MemoryState } from '../../../engines/chat-engine.ts'
import type { Log } from '../../../log.ts'
import { judgeMessage, type MessageKind } from '../../../offline/message-kind/message-kind.ts'
import type { MemoryPassage, PassagesService } from '../../search/index.ts'
import type { AnswerRequest } from './answer-request.ts'
import { fitting } from './passages.ts'
import type { HistoryRow } from './recall.store.ts'
import type { Rephrase } from './rephrase.ts'

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
export interface Lookup {
  memory: MemoryState
  passages: MemoryPassage[]
}

export interface MemoryLookupDeps {
  passages: PassagesService
  rephrase: Rephrase
  memoryTimeoutMs?: number | undefined
  log: Log
}

/** A busy machine takes seconds, and an answer that does not know what the person has added is often a wrong one. */
const MEMORY_TIMEOUT_MS = 5000
/** Longest wait for the memory when the engine has nothing else to answer from. */
const ONLY_MEMORY_TIMEOUT_MS = 10_000
const MAX_PASSAGES = 8
/** Characters of all passages for each token that the model holds: a quarter of its context. */
const CHARACTERS_PER_CONTEXT_TOKEN = 0.75
const MIN_CHARACTERS = 1200

export type MemoryLookup = ReturnType<typeof createMemoryLookup>

/**
 * Makes the function that looks a message up in the person's memory, with what the conversation was about when it comes. It
 * gives what it has in time: an answer without its memory is better than one that waits, or none.
 */
export function createMemoryLookup({ passages, rephrase, memoryTimeoutMs, log }: MemoryLookupDeps) {
  return {
    async find(asked: AnswerRequest, reading: Promise<HistoryRow[]>, signal: AbortSignal): Promise<Lookup> {
      const kind = judgeMessage(asked.content)
      if (kind === 'talk') return { memory: 'unasked', passages: [] }
      const { engine } = asked
      const timeoutMs = engine.name === 'built-in' ? ONLY_MEMORY_TIMEOUT_MS : (memoryTimeoutMs ?? MEMORY_TIMEOUT_MS)
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const search = async () => {
        const history = await reading
        const rephrased = kind === 'follow-up' ? await rephrase(engine, history, asked.content, signal) : []
        const context = [...rephrased, ...topicOf(history, kind)]
        const about = kind === 'follow-up' ? context[0] : undefined
        return passages.find(asked, { text: asked.content, context, about, items: asked.knowledge }, MAX_PASSAGES)
      }
      try {
        const found = await Promise.race([search(), aborted(limit)])
        if (found === null) {
          log.info({ timeout_ms: timeoutMs }, 'an answer did not wait for its memory')
          return { memory: 'silent', passages: [] }
        }
        const mostCharacters = Math.max(MIN_CHARACTERS, (await engine.contextTokens()) * CHARACTERS_PER_CONTEXT_TOKEN)
        return { memory: 'searched', passages: fitting(found, mostCharacters) }
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
