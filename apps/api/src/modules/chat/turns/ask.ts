import { MAKE_PICTURE, READ_PAGE, SEARCH_MEMORY } from '@mira/shared'
import type { Ai } from '../../../engines/ai.ts'
import type { Question, RecalledPassage } from '../../../engines/chat-engine.ts'
import { AppError, EngineError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { quoteWithoutModel } from '../../../offline/builtin/builtin.ts'
import { searchConfiguration } from '../../../offline/language/language.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { PassagesService } from '../../search/index.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import type { WebService } from '../web/web.service.ts'
import type { Fit, FittedContext } from './fit.ts'
import type { Gathered } from './gather.ts'
import { createMemoryTool, createPictureTool } from './own-tools.ts'
import { createNumbering } from './passages.ts'
import type { RecallStore } from './recall.store.ts'
import { REMEMBER_TOOL } from './remember-tool.ts'
import { type AnswerToolbox, type CallOrigin, createToolbox } from './toolbox.ts'
import { type AnswerEvent, isStored, mayUse, type Turn } from './turn.ts'
import { createWebTools } from './web-tools.ts'

/**
 * Turns the events that `produce` emits into a sequence, since an engine waits for the tools that it calls, while they emit
 * their own events. Ends when `produce` does, and rethrows its error.
 */
export async function* mergeEvents<Event>(
  produce: (emit: (event: Event) => void) => Promise<void>,
): AsyncGenerator<Event> {
  const pending: Event[] = []
  let wake = () => {}
  let isDone = false
  const producing = produce((event) => {
    pending.push(event)
    wake()
  }).finally(() => {
    isDone = true
    wake()
  })
  // Rethrown below, once the earlier events are read.
  producing.catch(() => {})
  while (true) {
    yield* pending.splice(0)
    if (pending.length > 0) continue
    if (isDone) break
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  await producing
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

/** Maximum earlier messages that one search returns. */
const MAX_RECOLLECTIONS = 5
/** Errors of the model's server rather than of the question: the memory can still be quoted. */
const unavailableCodes: ReadonlySet<string> = new Set([
  ...['model_unreachable', 'model_timeout', 'model_rate_limited', 'model_error'],
  ...['model_key_refused', 'model_not_found'],
])

/** Asks the engine, with tools; retries with less context when its window is smaller than it reported. */
export function createAsk(deps: AskDeps, fitting: Pick<Fit, 'smallerFits'>) {
  const recall = (
    { userId, startedAnswer }: Turn,
    { language }: Gathered,
    query: { text: string; exceptSessionId: string | null; from?: Date | undefined; to?: Date | undefined },
  ): Promise<RecalledPassage[]> =>
    deps.recall.search({
      ...query,
      userId,
      searchConfiguration: searchConfiguration(language),
      exceptMessageId: startedAnswer.questionId,
      limit: MAX_RECOLLECTIONS,
    })

  const toolboxFor = async (
    turn: Turn,
    gathered: Gathered,
    { tools, passages }: FittedContext,
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
    const numberPassage = createNumbering(passages, timeZone)
    const isOffered = (name: string) => tools.some((tool) => tool.name === name)
    return createToolbox({
      tools,
      agents: turn.canUseAgents && tools.length > 0 ? agents : null,
      allowed: turn.allowedTools,
      requestedTools: turn.requestedTools,
      searchMemory: isOffered(SEARCH_MEMORY)
        ? createMemoryTool({
            reader: caller,
            numberPassage,
            contextTokens,
            knowledge: turn.knowledge,
            passages: deps.passages,
            recall: async (query) => {
              // The model reads this conversation anyway.
              const exceptSessionId = isStored(turn) ? startedAnswer.sessionId : null
              const messages = await recall(turn, gathered, { ...query, exceptSessionId })
              const ids = messages.map(({ messageId }) => messageId)
              return { messages, nearby: await deps.recall.readNearby(userId, ids) }
            },
            log,
          })
        : null,
      own: {
        ...(isOffered(READ_PAGE)
          ? createWebTools({
              web: deps.web,
              contextTokens,
              numberPassage,
              userTexts,
              cited: gathered.messages.flatMap(({ sources = [] }) => sources),
            })
          : {}),
        ...(isOffered(MAKE_PICTURE)
          ? { [MAKE_PICTURE]: createPictureTool(deps, { userId, messageId: startedAnswer.messageId }) }
          : {}),
      },
      caller,
      origin: originOf(turn),
      canAskUser: isStored(turn),
      canRemember: tools.includes(REMEMBER_TOOL),
      hasOutsideText: gathered.hasOutsideText,
      hasFacts:
        gathered.about.facts.length > 0 ||
        gathered.about.instructions.about_me !== '' ||
        gathered.messages.some(({ hasReminders }) => hasReminders) ||
        // A project's or persona's instructions may contain facts about the user; a calling program sends its own.
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

  const questionOf = (turn: Turn, gathered: Gathered, fitted: FittedContext, toolbox: AnswerToolbox): Question => {
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
      recall: async (text) =>
        turn.canReadStored && mayUse(turn, SEARCH_MEMORY)
          ? recall(turn, gathered, { text, exceptSessionId: null })
          : [],
      ...toolbox,
      callTool: async (...call) => {
        await turn.untilStored
        return toolbox.callTool(...call)
      },
    }
  }

  const askOnce = (turn: Turn, gathered: Gathered, fitted: FittedContext, signal: AbortSignal) =>
    mergeEvents<AnswerEvent>(async (emit) => {
      const toolbox = await toolboxFor(turn, gathered, fitted, emit)
      const question = questionOf(turn, gathered, fitted, toolbox)
      let hasBegun = false
      try {
        for await (const event of turn.engine.answer(question, signal)) {
          if (event.type === 'passages' || event.type === 'pages') continue
          hasBegun = true
          emit(event)
        }
      } catch (error) {
        const isUnavailable = error instanceof EngineError && unavailableCodes.has(error.code)
        const quote =
          isUnavailable && question.soFar === undefined && !hasBegun && !signal.aborted
            ? quoteWithoutModel(question)
            : null
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
    fitted: FittedContext,
    signal: AbortSignal,
  ): AsyncGenerator<AnswerEvent> {
    const smallerFits = fitting.smallerFits(turn, gathered, fitted)
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
        const next = await smallerFits.next()
        if (next.done) throw error
        attempt = next.value
      }
    }
  }
}

/** Origin of an answer's calls, for their record; null when they aren't recorded. */
function originOf({ kind, countsInAnalytics, startedAnswer }: Turn): CallOrigin | null {
  if (kind === 'temporary') return null
  if (kind === 'program') return { from: 'api', countsInAnalytics }
  return { sessionId: startedAnswer.sessionId, messageId: startedAnswer.messageId, countsInAnalytics }
}
