import { type Language, SEARCH_MEMORY, type Source } from '@mira/shared'
import type { AnswerSoFar, AttachedItem, ChatEngine, MemoryState, Passage, Tool } from '../../../engines/chat-engine.ts'
import type { Log } from '../../../log.ts'
import { guessLanguage } from '../../../offline/language/language.ts'
import { sentimentOf } from '../../../offline/language/sentiment.ts'
import type { AboutMeService } from '../about-me/about-me.service.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import type { AttachedReading, AttachmentsService } from '../attachments/attachments.service.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import { type AboutPerson, MAX_TOLD_FACTS } from './about-person.ts'
import { type AnswerRequest, mayUse } from './answer-request.ts'
import type { AnswerResult } from './answers.store.ts'
import type { MemoryLookup } from './memory-lookup.ts'
import { numbered, passageKey, type UnnumberedPassage } from './passages.ts'
import type { HistoryRow, RecallStore } from './recall.store.ts'

/** All that an answer may rest on. */
export interface Gathered {
  /** Language of the question, else of the person. */
  language: Language
  /** The branch that is gone on with, oldest first, and the question with its pictures. */
  messages: HistoryRow[]
  memory: MemoryState
  /** Passages of attached items, then of the memory; numbered from 1. */
  passages: Passage[]
  attached: AttachedItem[]
  /** The user's instructions and facts. */
  about: AboutPerson
  /** Finished part of a resumed answer. */
  soFar?: AnswerSoFar | undefined
  /** True when any of it was written by others: it may ask for something in the user's name. */
  holdsOutsideText: boolean
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

/** For callers who may not read what is stored about the user. */
const NOTHING_ABOUT: AboutPerson = { instructions: { about_me: '', how_to_answer: '', uses_facts: false }, facts: [] }
/** Characters that a token is at most, for reading enough history. */
const MAX_CHARACTERS_PER_TOKEN = 4
const MAX_JUDGED_MESSAGES = 20
/** Its questions are about the memory, unlike those that other tools are made for. */
const FILES_TOOL: Tool['name'] = 'files'

/** Upper bound for the part of a conversation that fits into the engine's context. */
export async function mostHistoryCharacters(engine: Pick<ChatEngine, 'contextTokens'>): Promise<number> {
  return (await engine.contextTokens()) * MAX_CHARACTERS_PER_TOKEN
}

/** Makes the function that reads what an answer may rest on, as much of it at once as can be. */
export function createGather(deps: GatherDeps) {
  const { recall, attachments, pictures, memoryLookup, aboutMe, agents, log } = deps

  const readAttached = async (asked: AnswerRequest, contextTokens: number): Promise<AttachedReading> => {
    if (!asked.canSearchMemory) return { items: [], passages: [] }
    try {
      return await attachments.read(asked, asked.attached, contextTokens)
    } catch (error) {
      log.warn({ err: error }, 'attached items could not be read for an answer')
      return { items: [], passages: [] }
    }
  }

  const readPictures = async ({ begun, userId, hasPictures }: AnswerRequest): Promise<string[]> =>
    hasPictures ? ((await pictures.forModel(userId, [begun.questionId])).get(begun.questionId) ?? []) : []

  const readShown = async (
    { userId, seesPictures, attached }: AnswerRequest,
    contextTokens: number,
  ): Promise<string[]> =>
    seesPictures && attached.length > 0 ? attachments.picturesForModel(userId, attached, contextTokens) : []

  /** True when the message asks for an agent that answers without the memory. */
  const isWork = ({ canUseAgents, content, ...caller }: AnswerRequest): boolean => {
    const tool = canUseAgents ? agents.toolFor(content, { ...caller, now: new Date() }) : null
    return tool !== null && tool !== FILES_TOOL
  }

  return async (given: AnswerRequest, signal: AbortSignal): Promise<Gathered> => {
    const { begun, engine, content, hasPictures, canSearchMemory } = given
    const language = guessLanguage(content) ?? given.language
    const asked = { ...given, language }
    const contextTokens = await engine.contextTokens()
    const reading = begun.history
      ? Promise.resolve(begun.history)
      : recall.readHistory(begun.parentId, await mostHistoryCharacters(engine))
    const [history, ofAttached, images, shown, lookup, about] = await Promise.all([
      reading,
      readAttached(asked, contextTokens),
      readPictures(asked),
      readShown(asked, contextTokens),
      !mayLookUp(given) || given.goesOn !== undefined || isWork(asked)
        ? null
        : memoryLookup.find(asked, reading, signal),
      given.canReadStored ? aboutMe.known(given.userId, MAX_TOLD_FACTS) : NOTHING_ABOUT,
    ])
    const question: HistoryRow = { id: begun.questionId, role: 'user', content, images: [...images, ...shown] }
    const messages = [...history, question]
    // an answer that goes on has its numbers already
    const passages = given.goesOn
      ? given.goesOn.sources.map(asPassage)
      : numberTogether(ofAttached.passages, lookup?.passages ?? [])
    const said = messages.flatMap((message) => (message.role === 'user' ? [message.content] : []))
    return {
      language,
      messages,
      memory: lookup?.memory ?? (canSearchMemory ? 'unasked' : 'closed'),
      passages,
      attached: ofAttached.items,
      about,
      // pictures may show words of others as well
      holdsOutsideText:
        hasPictures ||
        given.goesOn !== undefined ||
        ofAttached.items.length > 0 ||
        passages.length > 0 ||
        (given.program?.turns.length ?? 0) > 0 ||
        history.some((message) => message.holdsOutsideText),
      sentiment: sentimentOf(said.slice(-MAX_JUDGED_MESSAGES)),
    }
  }
}

/** True when the memory may be searched. The knowledge of a project or persona needs no search tool. */
function mayLookUp(asked: AnswerRequest): boolean {
  return asked.canSearchMemory && (mayUse(asked, SEARCH_MEMORY) || asked.knowledge !== undefined)
}

/** Quoted part of a source that the answer already cites. */
function asPassage(source: Source): Passage {
  return { source, text: source.snippet, certainty: 'found' }
}

/** Passages of attached items, then what else the memory holds, numbered on; a place is told once. */
function numberTogether(attached: Passage[], found: UnnumberedPassage[]): Passage[] {
  const known = new Set(attached.map(({ source }) => passageKey(source)))
  const others = found.filter(({ source }) => !known.has(passageKey(source)))
  return [...attached, ...others.map((passage, at) => numbered(passage, attached.length + at + 1))]
}
