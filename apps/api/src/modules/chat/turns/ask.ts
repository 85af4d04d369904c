import { MAKE_PICTURE, READ_PAGE, SEARCH_MEMORY } from '@mira/shared'
import type { Ai } from '../../../engines/ai.ts'
import type { ChatEngine, Question, Recollection } from '../../../engines/chat-engine.ts'
import { AppError, EngineError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { quoteWithoutModel } from '../../../offline/builtin/builtin.ts'
import { searchConfiguration } from '../../../offline/language/language.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { PassagesService } from '../../search/index.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import type { WebService } from '../web/web.service.ts'
import type { Fit, Fitted } from './fit.ts'
import type { Gathered } from './gather.ts'
import { createMemoryTool, createPictureTool } from './own-tools.ts'
import { createNumbering } from './passages.ts'
import type { RecallStore } from './recall.store.ts'
import { REMEMBER_TOOL } from './remember-tool.ts'
import { type AnswerToolbox, type CallOrigin, createToolbox } from './toolbox.ts'
import { type AnswerEvent, isStored, mayUse, type Turn } from './turn.ts'
import { createWebTools } from './web-tools.ts'

/**
 * Merges the events that `make` emits into one sequence, in order: an engine waits for the tools that it calls, while
 * these emit events of their own. It ends when `make` does, and throws its error.
 */
export async function* mergeEvents<Event>(
  make: (emit: (event: Event) => void) => Promise<void>,
): AsyncGenerator<Event> {
  const pending: Event[] = []
  let wake = () => {}
  let isMade = false
  const making = make((event) => {
    pending.push(event)
    wake()
  }).finally(() => {
    isMade = true
    wake()
  })
  // thrown below, once the earlier events are read
  making.catch(() => {})
  while (true) {
    yield* pending.splice(0)
    if (pending.length > 0) continue
    if (isMade) break
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  await making
}

export interface AskDeps {
  recall: RecallStore
  agents: AgentsService
  web: WebService
  ai: Ai
  pictures: PicturesService
  passages: PassagesService
  settings: SettingsReader
  log: Log
}

const MAX_RECOLLECTIONS = 5
/** Failures of the model's server, not of the question: the memory can still be quoted. */
const awayCodes: ReadonlySet<string> = new Set([
  ...['model_unreachable', 'model_timeout', 'model_rate_limited', 'model_error'],
  ...['model_key_refused', 'model_not_found'],
])

/** Asks the engine, with tools; again with less context when it holds less than it reported. */
export function createAsk(deps: AskDeps, fitting: Pick<Fit, 'tighter'>) {
  const recall = ({ userId, startedAnswer }: Turn, { language }: Gathered, query: string): Promise<Recollection[]> =>
    deps.recall.search({
      userId,
      text: query,
      searchConfiguration: searchConfiguration(language),
      exceptMessageId: startedAnswer.questionId,
      limit: MAX_RECOLLECTIONS,
    })

  const toolboxFor = async (
    turn: Turn,
    gathered: Gathered,
    { tools, passages }: Fitted,
    emit: (event: AnswerEvent) => void,
  ): Promise<AnswerToolbox> => {
    const { userId, timeZone, startedAnswer, canSearchMemory, canReadStored } = turn
    const reader = { userId, canSearchMemory, canReadStored }
    const caller = { ...reader, language: gathered.language, timeZone, items: turn.knowledge }
    const { agents, log } = deps
    const contextTokens = await turn.engine.contextTokens()
    const userTexts = gathered.messages.flatMap(({ role, content, isForeign }) =>
      role === 'user' && isForeign !== true ? [content] : [],
    )
    const number = createNumbering(passages)
    const offers = (name: string) => tools.some((tool) => tool.name === name)
    return createToolbox({
      tools,
      agents: turn.canUseAgents && tools.length > 0 ? agents : null,
      allowed: turn.allowedTools,
      requestedTools: turn.calledTools,
      searchMemory: offers(SEARCH_MEMORY)
        ? createMemoryTool({
            reader: caller,
            number,
            contextTokens,
            knowledge: turn.knowledge,
            passages: deps.passages,
            recall: async (query) =>
              // the model has already read more of its own conversation
              (await recall(turn, gathered, query)).filter(({ sessionId }) => sessionId !== startedAnswer.sessionId),
            log,
          })
        : null,
      own: {
        ...(offers(READ_PAGE)
          ? createWebTools({
              web: deps.web,
              contextTokens,
              number,
              userTexts,
              cited: gathered.messages.flatMap(({ sources = [] }) => sources),
            })
          : {}),
        ...(offers(MAKE_PICTURE)
          ? { [MAKE_PICTURE]: createPictureTool(deps, { userId, messageId: startedAnswer.messageId }) }
          : {}),
      },
      caller,
      origin: originOf(turn),
      canAskPerson: isStored(turn),
      canRemember: tools.includes(REMEMBER_TOOL),
      holdsOutsideText: gathered.holdsOutsideText,
      holdsFacts:
        gathered.about.facts.length > 0 ||
        gathered.about.instructions.about_me !== '' ||
        gathered.messages.some(({ holdsReminders }) => holdsReminders) ||
        // of a project or a persona; those of a program are its own
        (turn.instructions !== '' && turn.kind !== 'program'),
      userTexts,
      allowedCalls: new Set([
        ...gathered.messages.flatMap(({ allowedCalls = [] }) => allowedCalls),
        ...(turn.resumed?.decided?.isAllowed === true ? [turn.resumed.decided.call.name] : []),
      ]),
      emit: (call) => emit({ type: 'agent', call }),
      log,
    })
  }

  const questionOf = (turn: Turn, gathered: Gathered, fitted: Fitted, toolbox: AnswerToolbox): Question => {
    const { instructions, turns, passages, attached, soFar } = fitted
    const { language, memory } = gathered
    return {
      instructions,
      turns,
      language,
      timeZone: turn.timeZone,
      assistantName: deps.settings.current().assistant_name,
      parameters: turn.parameters ?? undefined,
      memory,
      passages,
      attached,
      soFar,
      program: turn.program,
      recall: async (query) => (turn.canReadStored && mayUse(turn, SEARCH_MEMORY) ? recall(turn, gathered, query) : []),
      ...toolbox,
      callTool: async (...call) => {
        await turn.untilStored
        return toolbox.callTool(...call)
      },
    }
  }

  const askOnce = (turn: Turn, gathered: Gathered, fitted: Fitted, signal: AbortSignal) =>
    mergeEvents<AnswerEvent>(async (emit) => {
      const toolbox = await toolboxFor(turn, gathered, fitted, emit)
      const question = questionOf(turn, gathered, fitted, toolbox)
      let hasBegun = false
      try {
        await tellAll(turn.engine, question, signal, (event) => {
          hasBegun = true
          emit(event)
        })
      } catch (error) {
        const isAway = error instanceof EngineError && awayCodes.has(error.code)
        const quote =
          isAway && question.soFar === undefined && !hasBegun && !signal.aborted ? quoteWithoutModel(question) : null
        if (quote !== null) {
          emit({ type: 'sources', sources: quote.sources })
          emit({ type: 'text', text: quote.text, isQuote: true })
        }
        throw error
      }
    })

  return async function* ask(
    turn: Turn,
    gathered: Gathered,
    fitted: Fitted,
    signal: AbortSignal,
  ): AsyncGenerator<AnswerEvent> {
    const smaller = fitting.tighter(turn, gathered, fitted)
    for (let attempt = fitted; ; ) {
      let hasBegun = false
      try {
        for await (const event of askOnce(turn, gathered, attempt, signal)) {
          hasBegun = true
          yield event
        }
        return
      } catch (error) {
        if (hasBegun || !(error instanceof AppError) || error.code !== 'context_too_long') throw error
        const next = await smaller.next()
        if (next.done) throw error
        attempt = next.value
      }
    }
  }
}

/** Origin of an answer's calls, for their record; null when none is recorded. */
function originOf({ kind, inAnalytics, startedAnswer }: Turn): CallOrigin | null {
  if (kind === 'temporary') return null
  if (kind === 'program') return { from: 'api', inAnalytics }
  return { sessionId: startedAnswer.sessionId, messageId: startedAnswer.messageId, inAnalytics }
}

/** Emits the engine's events. */
async function tellAll(
  engine: ChatEngine,
  question: Question,
  signal: AbortSignal,
  emit: (event: AnswerEvent) => void,
): Promise<void> {
  for await (const event of engine.answer(question, signal)) if (event.type !== 'passages') emit(event)
}
