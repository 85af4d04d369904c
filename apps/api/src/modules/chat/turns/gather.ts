import { type Language, SEARCH_MEMORY, type Source } from '@mira/shared'
import type {
  AttachedItem,
  ChatEngine,
  MemoryState,
  PartialAnswer,
  Passage,
  Tool,
} from '../../../engines/chat-engine.ts'
import type { Log } from '../../../log.ts'
import { guessLanguage } from '../../../offline/language/language.ts'
import { sentimentOf } from '../../../offline/language/sentiment.ts'
import type { AboutMeService } from '../about-me/about-me.service.ts'
import type { KnownAboutUser } from '../about-me/about-me.store.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import type { AttachedReading, AttachmentsService } from '../attachments/attachments.service.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import type { AnswerResult } from './answers.store.ts'
import type { MemoryLookup } from './memory-lookup.ts'
import { numberPassage, passageKey, type UnnumberedPassage } from './passages.ts'
import type { HistoryRow, RecallStore } from './recall.store.ts'
import { mayUse, type Turn } from './turn.ts'

/** Everything that an answer may use. */
export interface Gathered {
  /** Language of the question, or else the user's. */
  language: Language
  /** The branch being continued, oldest first, and the question with its pictures. */
  messages: HistoryRow[]
  memory: MemoryState
  /** Passages of attached items, then of the memory; numbered from 1. */
  passages: Passage[]
  attached: AttachedItem[]
  /** The user's instructions and facts. */
  about: KnownAboutUser
  /** Finished part of a resumed answer. */
  soFar?: PartialAnswer | undefined
  /** True when any of this was written by others, and may therefore contain requests in the user's name. */
  hasOutsideText: boolean
  sentiment: AnswerResult['sentiment']
}

export interface GatherDeps {
  recall: RecallStore
  attachments: AttachmentsService
  pictures: PicturesService
  memoryLookup: MemoryLookup
  aboutMe: AboutMeService
  agents: AgentsService
  log: Log
}

/** Maximum facts to read for an answer; those that fit are sent. */
const MAX_FACTS = 200
/** For callers who may not read stored facts about the user. */
const NOTHING_ABOUT: KnownAboutUser = {
  instructions: { about_me: '', how_to_answer: '', uses_facts: false },
  facts: [],
}
/** Upper bound of the characters in a token, for reading enough history. */
const MAX_CHARACTERS_PER_TOKEN = 4
const MAX_SENTIMENT_MESSAGES = 20
/** Tool of the only agent whose requests are about the memory. */
const FILES_TOOL: Tool['name'] = 'files'

/** Upper bound for the part of a conversation that fits into the engine's context. */
export async function maxHistoryCharacters(engine: Pick<ChatEngine, 'contextTokens'>): Promise<number> {
  return (await engine.contextTokens()) * MAX_CHARACTERS_PER_TOKEN
}

/** Reads everything that an answer may use, in parallel. */
export function createGather(deps: GatherDeps) {
  const { recall, attachments, pictures, memoryLookup, aboutMe, agents, log } = deps

  const readAttached = async (turn: Turn, contextTokens: number): Promise<AttachedReading> => {
    if (!turn.canSearchMemory) return { items: [], passages: [] }
    try {
      return await attachments.read(turn, turn.attached, contextTokens)
    } catch (error) {
      log.warn({ err: error }, 'could not read attached items for an answer')
      return { items: [], passages: [] }
    }
  }

  const readPictures = async ({ startedAnswer, userId, hasPictures, unstored }: Turn): Promise<string[]> => {
    if (unstored !== undefined || !hasPictures) return unstored?.pictures ?? []
    return (await pictures.dataUrlsForModel(userId, [startedAnswer.questionId])).get(startedAnswer.questionId) ?? []
  }

  const readAttachedPictures = async (
    { userId, seesPictures, attached }: Turn,
    contextTokens: number,
  ): Promise<string[]> =>
    seesPictures && attached.length > 0 ? attachments.picturesForModel(userId, attached, contextTokens) : []

  /** True when the message is meant for an agent that doesn't need the memory. */
  const isForAgent = ({ canUseAgents, content, ...caller }: Turn): boolean => {
    const tool = canUseAgents ? agents.toolFor(content, { ...caller, now: new Date() }) : null
    return tool !== null && tool !== FILES_TOOL
  }

  return async (request: Turn, signal: AbortSignal): Promise<Gathered> => {
    const language = guessLanguage(request.content) ?? request.language
    const turn: Turn = { ...request, language }
    const { startedAnswer, engine, content, hasPictures, canSearchMemory, resumed } = turn
    const contextTokens = await engine.contextTokens()
    const knownHistory = turn.unstored?.history ?? startedAnswer.history
    const historyPromise = knownHistory
      ? Promise.resolve(knownHistory)
      : recall.readHistory(startedAnswer.parentId, await maxHistoryCharacters(engine))
    const [history, attachedReading, images, attachedPictures, lookup, about] = await Promise.all([
      historyPromise,
      readAttached(turn, contextTokens),
      readPictures(turn),
      readAttachedPictures(turn, contextTokens),
      !mayLookUp(turn) || resumed !== undefined || isForAgent(turn)
        ? null
        : memoryLookup.find(turn, historyPromise, signal),
      turn.canReadStored ? aboutMe.contextForAnswer(turn.userId, MAX_FACTS) : NOTHING_ABOUT,
    ])
    const question: HistoryRow = {
      id: startedAnswer.questionId,
      role: 'user',
      content,
      images: [...images, ...attachedPictures],
      isForeign: turn.isForeign === true,
    }
    const messages = [...history, question]
    // A resumed answer's passages are already numbered.
    const passages = resumed
      ? resumed.sources.map(asPassage)
      : numberTogether(attachedReading.passages, lookup?.passages ?? [], turn.timeZone)
    const userTexts = messages.flatMap((message) => (message.role === 'user' ? [message.content] : []))
    return {
      language,
      messages,
      memory: lookup?.memory ?? (canSearchMemory ? 'unasked' : 'closed'),
      passages,
      attached: attachedReading.items,
      about,
      // Pictures may contain text by others.
      hasOutsideText:
        hasPictures ||
        turn.isForeign === true ||
        resumed !== undefined ||
        attachedReading.items.length > 0 ||
        passages.length > 0 ||
        (turn.program?.turns.length ?? 0) > 0 ||
        history.some((message) => message.hasOutsideText),
      sentiment: sentimentOf(userTexts.slice(-MAX_SENTIMENT_MESSAGES)),
    }
  }
}

/** True when the memory may be searched. The knowledge of a project or persona needs no search tool. */
function mayLookUp(turn: Turn): boolean {
  return turn.canSearchMemory && (mayUse(turn, SEARCH_MEMORY) || turn.knowledge !== undefined)
}

/** A source that the answer already cites, as a passage. */
function asPassage(source: Source): Passage {
  return { source, text: source.snippet, certainty: 'found' }
}

/** Numbers the passages of attached items, then those of the memory, without duplicates. */
function numberTogether(attached: Passage[], passages: UnnumberedPassage[], timeZone: string): Passage[] {
  const attachedKeys = new Set(attached.map(({ source }) => passageKey(source)))
  const others = passages.filter(({ source }) => !attachedKeys.has(passageKey(source)))
  return [...attached, ...others.map((passage, index) => numberPassage(passage, attached.length + index + 1, timeZone))]
}
