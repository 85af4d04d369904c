import type { AttachedItem, ChatEngine, Passage, Question } from '../../adapters/ai/engine.ts'
import type { Language } from '../../adapters/ai/language.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { AnswerResult, BegunAnswer } from './answers.store.ts'
import type { AttachedReading, AttachmentsService } from './attachments.service.ts'
import type { Attachment } from './attachments.store.ts'
import { dayIn } from './day.ts'
import { fallenOut, fitHistory, type HistoryMessage, halveHistory, historyBudget } from './history.ts'
import { createMemoryLookup, type FoundPassage, type SearchMemory } from './memory-lookup.ts'
import type { HistoryRow, RecallStore } from './recall.store.ts'
import type { AnswerTools, MadeAnswer, MakeAnswer } from './running-answer.ts'
import type { SummariesStore } from './summaries.store.ts'
import { quoteSummary, type Unsummarised } from './summary-writer.ts'
import { type AnswerToolbox, type ChatAgents, createToolCaller, noTools } from './tool-caller.ts'

/** What a person asks, and where they are. */
export interface Asked {
  userId: string
  content: string
  /** Of the person, for texts whose language is unsure. */
  language: Language
  /** IANA name. */
  timeZone: string
  /** Whether the question has pictures, which the engine is to see. */
  hasPictures: boolean
  /** What this and earlier messages are about, the newest first. */
  attached: Attachment[]
  /** Whether the engine sees pictures. */
  seesPictures: boolean
  /** Whether agents may be called for them. */
  canUseAgents: boolean
  /** Whether their memory may be looked into. */
  canSearchMemory: boolean
  /** False when they keep their use out of analytics. */
  inAnalytics: boolean
}

export interface RepliesDeps {
  recall: RecallStore
  summaries: Pick<SummariesStore, 'findUpTo'>
  /** Pictures of messages as data URLs. */
  picturesForModel(userId: string, messageIds: string[]): Promise<Map<string, string[]>>
  attachments: Pick<AttachmentsService, 'read' | 'picturesForModel'>
  agents: ChatAgents
  searchMemory: SearchMemory
  /** Whether a message only greets or thanks. */
  isSmallTalk(text: string): boolean
  /** What passages add to what a model is sent. */
  passagesText(passages: Passage[] | null, attached: AttachedItem[]): string
  /** How long an answer waits for its memory. */
  memoryTimeoutMs?: number | undefined
  /** An id that nothing else has. */
  newId(): string
  log: Log
  assistantName(): string
  guessLanguage(text: string): Language | null
  searchConfiguration(language: Language | null): string
  sentimentOf(messages: string[]): NonNullable<AnswerResult['sentiment']>
}

/** An answer that is ready to be made by an engine. */
export interface Reply {
  make: MakeAnswer
  sentiment(): AnswerResult['sentiment']
  /** What the engine was not sent of the conversation and no summary holds yet; null when there is no such part. */
  unsummarised(): Unsummarised | null
}

export type Replies = ReturnType<typeof createReplies>

/** Characters that a token is at most, for reading enough history. */
const MOST_CHARACTERS_PER_TOKEN = 4
const MOST_JUDGED_MESSAGES = 20
const MOST_RECOLLECTIONS = 5
const languageNames: Record<Language, string> = { en: 'English', es: 'Spanish', fr: 'French', de: 'German' }

/** Puts a question to an engine: with instructions, with as much of the conversation as fits, with a search at hand. */
export function createReplies(deps: RepliesDeps) {
  const { recall, summaries, agents, assistantName, guessLanguage, searchConfiguration, sentimentOf, log } = deps

  const lookUp = createMemoryLookup(deps)

  const readAttached = async (asked: Asked, contextTokens: number): Promise<AttachedReading> => {
    try {
      return await deps.attachments.read(asked, asked.attached, contextTokens)
    } catch (error) {
      log.warn({ err: error }, 'attached items could not be read for an answer')
      return { items: [], passages: [] }
    }
  }

  const instructionsFor = (asked: Asked) => {
    return [
      `You are ${assistantName()}, a personal assistant.`,
      `Today is ${dayIn(asked.timeZone)} (time zone ${asked.timeZone}).`,
      `Answer in the language of the person's last message; when it is unclear, in ${languageNames[asked.language]}.`,
      'Be accurate and to the point. Say so when you do not know something.',
    ].join(' ')
  }

  return {
    prepare(engine: ChatEngine, begun: BegunAnswer, asked: Asked): Reply {
      let judged: string[] | null = null
      let unsummarised: Unsummarised | null = null
      const language = guessLanguage(asked.content) ?? asked.language
      const recollect = (query: string) =>
        recall.search({
          userId: asked.userId,
          text: query,
          searchConfiguration: searchConfiguration(language),
          exceptMessageId: begun.questionId,
          limit: MOST_RECOLLECTIONS,
        })

      let passages: Passage[] | null = null
      let attached: AttachedItem[] = []
      let hasOldOutsideText = false
      // pictures may show words of others as well
      const hasOutsideText = () =>
        asked.hasPictures || hasOldOutsideText || attached.length > 0 || (passages !== null && passages.length > 0)
      const toolboxOf = (tell: AnswerTools['agent']): AnswerToolbox => {
        if (!asked.canUseAgents) return noTools
        const { userId, timeZone, inAnalytics } = asked
        const origin = { sessionId: begun.sessionId, messageId: begun.messageId, inAnalytics }
        return createToolCaller({
          agents,
          caller: { userId, language, timeZone },
          origin,
          newId: deps.newId,
          hasOutsideText,
          tell,
          log,
        })
      }

      const make: MakeAnswer = async (tools) => {
        let instructions = instructionsFor(asked)
        let hasBegun = false
        const toolbox = toolboxOf((call) => {
          hasBegun = true
          tools.agent(call)
        })
        const toolTexts = toolbox.tools.length > 0 ? JSON.stringify(toolbox.tools) : ''
        const budget = async () => {
          const texts = instructions + toolTexts + deps.passagesText(passages, attached)
          return historyBudget(await engine.contextTokens(), texts)
        }
        const history = await recall.readHistory(begun.parentId, (await budget()) * MOST_CHARACTERS_PER_TOKEN)
        hasOldOutsideText = history.some(({ holdsOutsideText }) => holdsOutsideText)
        if (asked.canSearchMemory) {
          const isWork = toolbox.toolFor(asked.content) !== null
          const previous = history.findLast(({ role }) => role === 'user')?.content ?? null
          const contextTokens = await engine.contextTokens()
          const isAllThereIs = engine.name === 'built-in'
          const conversation = { previous, contextTokens, isAllThereIs, signal: tools.signal }
          const reading = await readAttached({ ...asked, language }, contextTokens)
          const found = isWork ? [] : await lookUp({ ...asked, language }, conversation)
          attached = reading.items
          passages = numberTogether(reading.passages, found)
        }
        // before the engine reads them: so it holds for all that goes on after this answer, whatever comes of it
        if (hasOutsideText()) await recall.noteOutside(begun.messageId)
        const images = asked.hasPictures
          ? ((await deps.picturesForModel(asked.userId, [begun.questionId])).get(begun.questionId) ?? [])
          : []
        const shown =
          asked.seesPictures && attached.length > 0
            ? await deps.attachments.picturesForModel(asked.userId, asked.attached, await engine.contextTokens())
            : []
        const messages: HistoryRow[] = [
          ...history,
          { id: begun.questionId, role: 'user', content: asked.content, images: [...images, ...shown] },
        ]
        judged = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))

        const ask = async (turns: HistoryMessage[], box = toolbox): Promise<MadeAnswer | null> => {
          const { timeZone } = asked
          const question: Question = {
            instructions,
            turns,
            language,
            timeZone,
            assistantName: assistantName(),
            recall: recollect,
            passages,
            attached,
            ...box,
          }
          for await (const event of engine.answer(question, tools.signal)) {
            if (event.type === 'end') return { model: event.model, usage: event.usage }
            hasBegun = true
            if (event.type === 'text') tools.text(event.text)
            else if (event.type === 'reasoning') tools.reasoning(event.text)
            else tools.sources(event.sources)
          }
          return null
        }

        const newestOut = fallenOut(messages, await budget()).at(-1)
        if (newestOut !== undefined) {
          const previous = await summaries.findUpTo(newestOut.id)
          if (previous !== null) instructions += `\n\n${quoteSummary(previous.content)}`
          // The summary takes its part of the room.
          const out = fallenOut(messages, await budget())
          const fresh = out.slice(out.findIndex(({ id }) => id === previous?.untilMessageId) + 1)
          const { sessionId } = begun
          const last = fresh.at(-1)
          unsummarised = last ? { sessionId, previous, messages: fresh, untilMessageId: last.id } : null
        }
        const isTooLong = (error: unknown) =>
          error instanceof AppError && error.code === 'context_too_long' && !hasBegun
        const turns = fitHistory(messages, await budget())
        try {
          return await ask(turns)
        } catch (error) {
          if (!isTooLong(error) || (turns.length === 1 && toolbox.tools.length === 0)) throw error
        }
        if (turns.length > 1) {
          try {
            // The engine may have told meanwhile how much it really holds.
            return await ask(fitHistory(halveHistory(turns), await budget()))
          } catch (error) {
            if (!isTooLong(error) || toolbox.tools.length === 0) throw error
          }
        }
        // what tools there are takes more room than a small model may have
        return ask(turns.slice(-1), noTools)
      }

      return {
        make,
        sentiment: () => judged && sentimentOf(judged.slice(-MOST_JUDGED_MESSAGES)),
        unsummarised: () => unsummarised,
      }
    },
  }
}

/** Passages of attached items, then what else the memory holds, numbered on; a place is told once. */
function numberTogether(attached: Passage[], found: FoundPassage[]): Passage[] {
  const placeOf = ({ media_id, snippet, page, timestamp_seconds }: FoundPassage['source']) =>
    JSON.stringify([media_id, page, timestamp_seconds, snippet])
  const known = new Set(attached.map(({ source }) => placeOf(source)))
  const others = found.filter(({ source }) => !known.has(placeOf(source)))
  return [
    ...attached,
    ...others.map(({ source, text }, at) => ({ source: { n: attached.length + at + 1, ...source }, text })),
  ]
}
