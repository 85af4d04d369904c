import { answerToolNames, type Language, SEARCH_WEB } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { Ai } from '../../../engines/ai.ts'
import { memoryText } from '../../../engines/chat/quoted-passages.ts'
import type {
  AttachedItem,
  ChatMessage,
  MemoryState,
  PartialAnswer,
  Passage,
  Tool,
} from '../../../engines/chat-engine.ts'
import { isoDayIn } from '../../../platform/lib/time-zone-offset.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { KnownAboutUser } from '../about-me/about-me.store.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import type { SessionSummariesStore, Unsummarised } from '../conversations/session-summaries.store.ts'
import { quoteSummary } from '../conversations/titles-and-summaries.ts'
import type { WebService } from '../web/web.service.ts'
import type { Gathered } from './gather.ts'
import { MAKE_PICTURE_TOOL, MEMORY_TOOL } from './own-tools.ts'
import { REMEMBER_TOOL } from './remember-tool.ts'
import { isStored, mayUse, type Turn } from './turn.ts'
import { webTools } from './web-tools.ts'

/** English averages 4 characters per token, other languages fewer: a cautious estimate. */
const CHARACTERS_PER_TOKEN = 3
/** Roles and separators of one message, in tokens. */
const TOKENS_PER_MESSAGE = 8
/** Tokens of a picture in the size sent; most models count fewer. */
const TOKENS_PER_PICTURE = 1_600
const MAX_MESSAGES = 400
/** Share of the context reserved for the answer, with its minimum and maximum in tokens. */
const ANSWER_SHARE = 0.25
const [ANSWER_MIN_TOKENS, ANSWER_MAX_TOKENS] = [256, 4096]

/** Tokens left for the conversation after the instructions and an answer. */
export function historyBudget(contextTokens: number, instructions: string): number {
  const answer = Math.min(Math.max(contextTokens * ANSWER_SHARE, ANSWER_MIN_TOKENS), ANSWER_MAX_TOKENS)
  return Math.max(0, Math.floor(contextTokens - answer - estimateTokens(instructions)))
}

/** Cautious estimate: too high rather than too low. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE
}

/**
 * Newest messages that fit the budget, in the form that models accept: always including the last, without empty messages,
 * starting with a user's message, and with alternating roles (adjacent messages of one role are merged).
 */
export function fitHistory(messages: ChatMessage[], budgetTokens: number): ChatMessage[] {
  return alternateRoles(newestThatFit(messages, budgetTokens))
}

/** Messages before the newest part that fits the budget, without empty messages. */
export function omittedHistory<Message extends ChatMessage>(messages: Message[], budgetTokens: number): Message[] {
  const [first] = newestThatFit(messages, budgetTokens)
  const before = messages.slice(0, first ? messages.indexOf(first) : 0)
  return before.filter(({ content }) => content.trim() !== '')
}

function newestThatFit<Message extends ChatMessage>(messages: Message[], budgetTokens: number): Message[] {
  const last = messages.at(-1)
  if (!last) return []
  let remainingTokens = budgetTokens - estimateTokens(last.content) - (last.images?.length ?? 0) * TOKENS_PER_PICTURE
  const fitted = [last]
  for (const message of messages.slice(0, -1).reverse()) {
    if (message.content.trim() === '' && message.calls === undefined) continue
    remainingTokens -= tokensOf(message)
    if (remainingTokens < 0 || fitted.length === MAX_MESSAGES) break
    fitted.unshift(message)
  }
  while (fitted.length > 1 && fitted[0]?.role === 'assistant') fitted.shift()
  return fitted
}

/** Newer half of a history, by length, for a model with a smaller window than reported. */
export function halveHistory(messages: ChatMessage[]): ChatMessage[] {
  const tokens = messages.reduce((sum, message) => sum + tokensOf(message), 0)
  return fitHistory(messages, Math.floor(tokens / 2))
}

function tokensOf({ content, calls = [] }: ChatMessage): number {
  return estimateTokens(content) + (calls.length > 0 ? estimateTokens(JSON.stringify(calls)) : 0)
}

function alternateRoles(messages: ChatMessage[]): ChatMessage[] {
  const turns: ChatMessage[] = []
  for (const { role, content, images, calls } of messages) {
    const last = turns.at(-1)
    // Text before and after a call stays in separate messages.
    if (calls !== undefined) turns.push({ role, content, calls })
    else if (last?.role === role && last.calls === undefined) {
      last.content += `\n\n${content}`
      if (images) last.images = [...(last.images ?? []), ...images]
    } else turns.push({ role, content, ...(images && images.length > 0 ? { images } : {}) })
  }
  return turns
}

const languageNames: Record<Language, string> = { en: 'English', es: 'Spanish', fr: 'French', de: 'German' }

/** Share of the context window for text about the user. */
const ABOUT_SHARE = 1 / 8
const ABOUT_CHARACTERS_PER_TOKEN = 3
const ABOUT_MAX_CHARACTERS = 12_000
/** Maximum share of the text about the user for each of the two instructions, so that there's room for the facts. */
const ABOUT_TEXT_SHARE = 1 / 3

const MAX_ZONES = 500
/** Cached, since creating a format takes far longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** The date in a time zone (IANA name), in English. */
export function dayIn(timeZone: string, time: Date = new Date()): string {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone })
    if (formats.size < MAX_ZONES) formats.set(timeZone, format)
  }
  return format.format(time)
}

/** Text before the conversation: the assistant's identity, the user, and the project's and persona's instructions. */
async function systemPrompt(
  { timeZone, language, instructions, engine }: Turn,
  { about }: Pick<Gathered, 'about'>,
  assistantName: string,
): Promise<string> {
  const identity = [
    `You are ${assistantName}, a personal assistant.`,
    `Today is ${dayIn(timeZone)} (time zone ${timeZone}).`,
    `Answer in the language of the person's last message; when it is unclear, in ${languageNames[language]}.`,
    'Be accurate and to the point. Say so when you do not know something.',
  ].join(' ')
  const aboutUser = aboutText(about, await engine.contextTokens(), timeZone)
  return [identity, aboutUser, instructions].filter(Boolean).join('\n\n')
}

/** Part of the context that fits into an engine's window. */
export interface FittedContext {
  instructions: string
  turns: ChatMessage[]
  passages: Passage[]
  attached: AttachedItem[]
  tools: Tool[]
  soFar: PartialAnswer | undefined
  /** Part of the conversation that's neither sent nor summarised; null when there is none. */
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

/** Maximum length of a call's result that models receive. */
const MAX_RESULT_CHARACTERS = 8000

/** Selects the part of the gathered context that fits into the engine's window. */
export function createFit({ summaries, agents, web, ai, settings }: FitDeps) {
  const availableTools = async (turn: Turn, { about }: Gathered): Promise<Tool[]> => [
    ...(turn.canUseAgents
      ? agents
          .tools(turn.userId)
          .filter(({ readsMemory }) => turn.canSearchMemory || !readsMemory)
          .filter(({ name }) => mayUse(turn, agents.agentNameOf(name) ?? ''))
          .map(({ name, description, parameters }) => ({ name, description, parameters }))
      : []),
    ...(turn.canSearchMemory ? [MEMORY_TOOL] : []),
    ...(turn.parameters?.use_web || turn.requestedTools?.includes(SEARCH_WEB) ? webTools(await web.state()) : []),
    // A picture belongs to a stored answer.
    ...(isStored(turn) && ai.imageEditing() !== null ? [MAKE_PICTURE_TOOL] : []),
    ...(mayRemember(turn, about) ? [REMEMBER_TOOL] : []),
  ]
  const toolsFor = async (turn: Turn, gathered: Gathered): Promise<Tool[]> => {
    const answerTools: ReadonlySet<string> = new Set(answerToolNames)
    return (await availableTools(turn, gathered)).filter(({ name }) => !answerTools.has(name) || mayUse(turn, name))
  }

  /** Function from instructions to the tokens left for the conversation. */
  const createBudget = async (
    turn: Turn,
    memory: MemoryState,
    fitted: Pick<FittedContext, 'tools' | 'passages' | 'attached' | 'soFar'>,
  ) => {
    const contextTokens = await turn.engine.contextTokens()
    const { soFar } = fitted
    const tools = [...fitted.tools, ...(turn.program?.tools ?? [])]
    const resumedText =
      soFar === undefined ? '' : soFar.text + cutText(soFar.resumedCall?.result.text ?? '', MAX_RESULT_CHARACTERS)
    const programCalls = turn.program?.turns.length ? JSON.stringify(turn.program.turns) : ''
    const otherText =
      (tools.length > 0 ? JSON.stringify(tools) : '') + memoryText({ memory, ...fitted }) + resumedText + programCalls
    return (instructions: string) => historyBudget(contextTokens, instructions + otherText)
  }

  return {
    /** Newest part of the conversation that fits, and the summary of the rest, if any. */
    async fit(turn: Turn, gathered: Gathered): Promise<FittedContext> {
      const { messages, memory, passages, attached } = gathered
      const fixed = { tools: await toolsFor(turn, gathered), passages, attached, soFar: gathered.soFar }
      const budgetWith = await createBudget(turn, memory, fixed)
      const instructions = await systemPrompt(turn, gathered, settings.current().assistant_name)
      const lastOmitted = omittedHistory(messages, budgetWith(instructions)).at(-1)
      if (lastOmitted === undefined) {
        return { ...fixed, instructions, turns: fitHistory(messages, budgetWith(instructions)), unsummarised: null }
      }
      const previous = await summaries.findUpTo(lastOmitted.id)
      const summarised = previous === null ? instructions : `${instructions}\n\n${quoteSummary(previous.content)}`
      // The summary itself uses up some of the budget.
      const omitted = omittedHistory(messages, budgetWith(summarised))
      const unsummarised = omitted.slice(omitted.findIndex(({ id }) => id === previous?.untilMessageId) + 1)
      const untilMessageId = unsummarised.at(-1)?.id
      const { sessionId } = turn.startedAnswer
      return {
        ...fixed,
        instructions: summarised,
        turns: fitHistory(messages, budgetWith(summarised)),
        unsummarised:
          untilMessageId === undefined ? null : { sessionId, previous, messages: unsummarised, untilMessageId },
      }
    },

    /** Smaller fits for an engine that overstated its window: half of the conversation, then the question with half the passages. */
    async *smallerFits(turn: Turn, { memory }: Gathered, fitted: FittedContext): AsyncGenerator<FittedContext> {
      const { turns, tools, passages, attached } = fitted
      if (turns.length > 1) {
        // The engine may have reported its real window in the meantime.
        const budgetWith = await createBudget(turn, memory, fitted)
        yield { ...fitted, turns: fitHistory(halveHistory(turns), budgetWith(fitted.instructions)) }
      }
      if (tools.length === 0 && passages.length === 0) return
      const keptPassages = passages.slice(0, Math.floor(passages.length / 2))
      const isKept = (n: number) => keptPassages.some(({ source }) => source.n === n)
      yield {
        ...fitted,
        turns: turns.slice(-1),
        // Tool descriptions may exceed a small model's window.
        tools: [],
        passages: keptPassages,
        attached: attached.map((item) => ({ ...item, passages: item.passages.filter(isKept), isWhole: false })),
      }
    },
  }
}

/** True when facts may be proposed: the user can be asked, allows it, and may use tools. */
function mayRemember(turn: Turn, { instructions }: Gathered['about']): boolean {
  return turn.canKeepFacts && instructions.uses_facts && isStored(turn) && (turn.canUseAgents || turn.canSearchMemory)
}

/**
 * Text about the user that precedes the conversation; may be empty. Unlike passages of the memory, only the user wrote it.
 */
export function aboutText({ instructions, facts }: KnownAboutUser, contextTokens: number, timeZone: string): string {
  const maxCharacters = Math.min(
    ABOUT_MAX_CHARACTERS,
    Math.floor(contextTokens * ABOUT_CHARACTERS_PER_TOKEN * ABOUT_SHARE),
  )
  const max = Math.floor(maxCharacters * ABOUT_TEXT_SHARE)
  const { about_me, how_to_answer, uses_facts } = instructions
  const texts = [
    about_me && `What the person says about themselves:\n${cut(about_me, max)}`,
    how_to_answer && `How the person wishes to be answered, wherever that fits:\n${cut(how_to_answer, max)}`,
  ].filter(Boolean)
  const lines = uses_facts ? fittingFacts(facts, maxCharacters - texts.join('').length, timeZone) : []
  if (lines.length > 0) {
    texts.push(
      [
        'What the person had you remember: their own statements, the newest first, each with the day on which it was kept. Use them where they matter, and do not recite them.',
        ...lines,
      ].join('\n'),
    )
  }
  return texts.join('\n\n')
}

/** Newest facts that fit, one per line. */
function fittingFacts(facts: KnownAboutUser['facts'], maxCharacters: number, timeZone: string): string[] {
  const lines: string[] = []
  let remainingCharacters = maxCharacters
  for (const { text, createdAt } of facts) {
    // Quoted, so that a fact can't pass for several facts, or for anything but a statement.
    const line = `- ${isoDayIn(timeZone, createdAt)}: ${JSON.stringify(text)}`
    remainingCharacters -= line.length
    if (remainingCharacters < 0) break
    lines.push(line)
  }
  return lines
}

function cut(text: string, max: number): string {
  return text.length > max ? `${cutText(text, max)}…` : text
}
