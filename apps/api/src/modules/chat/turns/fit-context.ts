import { answerToolNames, type Language, SEARCH_WEB } from '@mira/shared'
import type { Ai } from '../../../engines/ai.ts'
import { memoryText } from '../../../engines/chat/quoted-passages.ts'
import type { AnswerSoFar, AttachedItem, MemoryState, Passage, Tool } from '../../../engines/chat-engine.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import type { SessionSummariesStore } from '../conversations/session-summaries.store.ts'
import { quoteSummary, type Unsummarised } from '../conversations/summary-writer.ts'
import type { WebService } from '../web/web.service.ts'
import { aboutText } from './about-person.ts'
import { type AnswerRequest, mayUse } from './answer-request.ts'
import { dayIn } from './day-in-zone.ts'
import type { Gathered } from './gather-context.ts'
import { fallenOut, fitHistory, type HistoryMessage, halveHistory, historyBudget } from './history.ts'
import { MEMORY_TOOL } from './memory-tool.ts'
import { MAKE_PICTURE_TOOL } from './picture-tool.ts'
import { REMEMBER_TOOL } from './remember-tool.ts'
import { webTools } from './web-tools.ts'

const languageNames: Record<Language, string> = { en: 'English', es: 'Spanish', fr: 'French', de: 'German' }

/** Text before the conversation: the assistant's identity, the user, and the project's and persona's instructions. */
async function systemPrompt(
  { timeZone, language, instructions, engine }: AnswerRequest,
  { about }: Pick<Gathered, 'about'>,
  assistantName: string,
): Promise<string> {
  const own = [
    `You are ${assistantName}, a personal assistant.`,
    `Today is ${dayIn(timeZone)} (time zone ${timeZone}).`,
    `Answer in the language of the person's last message; when it is unclear, in ${languageNames[language]}.`,
    'Be accurate and to the point. Say so when you do not know something.',
  ].join(' ')
  const ofPerson = aboutText(about, await engine.contextTokens())
  return [own, ofPerson, instructions].filter(Boolean).join('\n\n')
}

/** Part of the context that fits into an engine's window. */
export interface Fitted {
  instructions: string
  turns: HistoryMessage[]
  passages: Passage[]
  attached: AttachedItem[]
  tools: Tool[]
  soFar: AnswerSoFar | undefined
  /** Part of the conversation that is neither sent nor summarised yet; null when there is none. */
  unsummarised: Unsummarised | null
}

export interface FitDeps {
  summaries: SessionSummariesStore
  agents: AgentsService
  web: WebService
  ai: Ai
  settings: SettingsReader
}

export type Fit = ReturnType<typeof createFit>

/** Longest result of a call that models receive. */
const MAX_RESULT_CHARACTERS = 8000

/** Makes what chooses the part of all that was gathered that an engine is sent. */
export function createFit({ summaries, agents, web, ai, settings }: FitDeps) {
  const availableTools = async (asked: AnswerRequest, { about }: Gathered): Promise<Tool[]> => [
    ...(asked.canUseAgents
      ? agents
          .tools(asked.userId)
          .filter(({ name }) => mayUse(asked, agents.agentNameOf(name) ?? ''))
          .map(({ name, description, parameters }) => ({ name, description, parameters }))
      : []),
    ...(asked.canSearchMemory ? [MEMORY_TOOL] : []),
    ...(asked.parameters?.use_web || asked.calledTools?.includes(SEARCH_WEB) ? webTools(await web.state()) : []),
    // a picture belongs to an answer that is stored
    ...(!asked.isUnstored && ai.imageEditing() !== null ? [MAKE_PICTURE_TOOL] : []),
    ...(mayRemember(asked, about) ? [REMEMBER_TOOL] : []),
  ]
  const toolsFor = async (asked: AnswerRequest, gathered: Gathered): Promise<Tool[]> => {
    const own: ReadonlySet<string> = new Set(answerToolNames)
    return (await availableTools(asked, gathered)).filter(({ name }) => !own.has(name) || mayUse(asked, name))
  }

  /** Tokens that are left to the conversation beside all else. */
  const roomFor = async (
    asked: AnswerRequest,
    memory: MemoryState,
    fitted: Pick<Fitted, 'tools' | 'passages' | 'attached' | 'soFar'>,
  ) => {
    const contextTokens = await asked.engine.contextTokens()
    const { soFar } = fitted
    const tools = [...fitted.tools, ...(asked.program?.tools ?? [])]
    const said =
      soFar === undefined ? '' : soFar.text + (soFar.called?.result.text.slice(0, MAX_RESULT_CHARACTERS) ?? '')
    const called = asked.program?.turns.length ? JSON.stringify(asked.program.turns) : ''
    const besides = (tools.length > 0 ? JSON.stringify(tools) : '') + memoryText({ memory, ...fitted }) + said + called
    return (instructions: string) => historyBudget(contextTokens, instructions + besides)
  }

  return {
    /** The newest part of the conversation, and a summary of the rest when there is one. */
    async fit(asked: AnswerRequest, gathered: Gathered): Promise<Fitted> {
      const { messages, memory, passages, attached } = gathered
      const fixed = { tools: await toolsFor(asked, gathered), passages, attached, soFar: gathered.soFar }
      const room = await roomFor(asked, memory, fixed)
      const instructions = await systemPrompt(asked, gathered, settings.current().assistant_name)
      const newestOut = fallenOut(messages, room(instructions)).at(-1)
      if (newestOut === undefined) {
        return { ...fixed, instructions, turns: fitHistory(messages, room(instructions)), unsummarised: null }
      }
      const previous = await summaries.findUpTo(newestOut.id)
      const summarised = previous === null ? instructions : `${instructions}\n\n${quoteSummary(previous.content)}`
      // The summary takes its part of the room.
      const out = fallenOut(messages, room(summarised))
      const fresh = out.slice(out.findIndex(({ id }) => id === previous?.untilMessageId) + 1)
      const untilMessageId = fresh.at(-1)?.id
      const { sessionId } = asked.begun
      return {
        ...fixed,
        instructions: summarised,
        turns: fitHistory(messages, room(summarised)),
        unsummarised: untilMessageId === undefined ? null : { sessionId, previous, messages: fresh, untilMessageId },
      }
    },

    /** For an engine that holds less than it said: half of the conversation, then the question with half of the passages. */
    async *tighter(asked: AnswerRequest, { memory }: Gathered, fitted: Fitted): AsyncGenerator<Fitted> {
      const { turns, tools, passages, attached } = fitted
      if (turns.length > 1) {
        // The engine may have told meanwhile how much it really holds.
        const room = await roomFor(asked, memory, fitted)
        yield { ...fitted, turns: fitHistory(halveHistory(turns), room(fitted.instructions)) }
      }
      if (tools.length === 0 && passages.length === 0) return
      const kept = passages.slice(0, Math.floor(passages.length / 2))
      const isKept = (n: number) => kept.some(({ source }) => source.n === n)
      yield {
        ...fitted,
        turns: turns.slice(-1),
        // what tools there are takes more room than a small model may have
        tools: [],
        passages: kept,
        attached: attached.map((item) => ({ ...item, passages: item.passages.filter(isKept), isWhole: false })),
      }
    },
  }
}

/** True when facts may be proposed: the user can be asked, allows it, and may use tools at all. */
function mayRemember(asked: AnswerRequest, { instructions }: Gathered['about']): boolean {
  return (
    asked.canKeepFacts && instructions.uses_facts && !asked.isUnstored && (asked.canUseAgents || asked.canSearchMemory)
  )
}
