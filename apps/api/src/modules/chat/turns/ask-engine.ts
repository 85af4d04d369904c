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
import { type AnswerEvent, type AnswerRequest, mayUse } from './answer-request.ts'
import type { Fit, Fitted } from './fit-context.ts'
import type { Gathered } from './gather-context.ts'
import { createMemoryTool } from './memory-tool.ts'
import { createNumbering } from './passages.ts'
import { createPictureTool } from './picture-tool.ts'
import type { RecallStore } from './recall.store.ts'
import { REMEMBER_TOOL } from './remember-tool.ts'
import { type AnswerToolbox, type CallOrigin, createToolbox } from './toolbox.ts'
import { createWebTools } from './web-tools.ts'

/**
 * Joins what is told while something is made into one sequence, in the order of telling: an engine waits for the tools that it
 * calls, and what those tell comes meanwhile. It ends when the making has, and throws what that threw.
 */
export async function* mergeEvents<Event>(
  make: (tell: (event: Event) => void) => Promise<void>,
): AsyncGenerator<Event> {
  const told: Event[] = []
  let wake = () => {}
  let isMade = false
  const making = make((event) => {
    told.push(event)
    wake()
  }).finally(() => {
    isMade = true
    wake()
  })
  // thrown below, when all that was told before is read
  making.catch(() => {})
  while (true) {
    yield* told.splice(0)
    if (told.length > 0) continue
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

/** Makes what puts a question to its engine, with tools at hand, and again with less when it holds less than it said. */
export function createAsk(deps: AskDeps, fitting: Pick<Fit, 'tighter'>) {
  const recall = ({ userId, begun }: AnswerRequest, { language }: Gathered, query: string): Promise<Recollection[]> =>
    deps.recall.search({
      userId,
      text: query,
      searchConfiguration: searchConfiguration(language),
      exceptMessageId: begun.questionId,
      limit: MAX_RECOLLECTIONS,
    })

  const toolboxFor = async (
    asked: AnswerRequest,
    gathered: Gathered,
    { tools, passages }: Fitted,
    tell: (event: AnswerEvent) => void,
  ): Promise<AnswerToolbox> => {
    const { userId, timeZone, begun } = asked
    const caller = { userId, language: gathered.language, timeZone, items: asked.knowledge }
    const { agents, log } = deps
    const contextTokens = await asked.engine.contextTokens()
    const number = createNumbering(passages)
    const offers = (name: string) => tools.some((tool) => tool.name === name)
    return createToolbox({
      tools,
      agents: asked.canUseAgents && tools.length > 0 ? agents : null,
      allowed: asked.allowedTools,
      called: asked.calledTools,
      searchMemory: offers(SEARCH_MEMORY)
        ? createMemoryTool({
            reader: caller,
            number,
            contextTokens,
            knowledge: asked.knowledge,
            passages: deps.passages,
            recall: async (query) =>
              // of its own conversation the model has read more already
              (await recall(asked, gathered, query)).filter(({ sessionId }) => sessionId !== begun.sessionId),
            log,
          })
        : null,
      own: {
        ...(offers(READ_PAGE)
          ? createWebTools({
              web: deps.web,
              contextTokens,
              number,
              said: gathered.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])),
              cited: gathered.messages.flatMap(({ sources = [] }) => sources),
            })
          : {}),
        ...(offers(MAKE_PICTURE)
          ? { [MAKE_PICTURE]: createPictureTool(deps, { userId, messageId: begun.messageId }) }
          : {}),
      },
      caller,
      origin: originOf(asked),
      canAskPerson: !asked.isUnstored,
      canRemember: tools.includes(REMEMBER_TOOL),
      holdsOutsideText: gathered.holdsOutsideText,
      userTexts: gathered.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])),
      allowedCalls: new Set([
        ...gathered.messages.flatMap(({ allowedCalls = [] }) => allowedCalls),
        ...(asked.goesOn?.decided?.isAllowed === true ? [asked.goesOn.decided.call.name] : []),
      ]),
      tell: (call) => tell({ type: 'agent', call }),
      log,
    })
  }

  const questionOf = (asked: AnswerRequest, gathered: Gathered, fitted: Fitted, toolbox: AnswerToolbox): Question => {
    const { instructions, turns, passages, attached, soFar } = fitted
    const { language, memory } = gathered
    return {
      instructions,
      turns,
      language,
      timeZone: asked.timeZone,
      assistantName: deps.settings.current().assistant_name,
      parameters: asked.parameters ?? undefined,
      memory,
      passages,
      attached,
      soFar,
      program: asked.program,
      recall: async (query) =>
        asked.canReadStored && mayUse(asked, SEARCH_MEMORY) ? recall(asked, gathered, query) : [],
      ...toolbox,
      callTool: async (...call) => {
        await asked.untilStored
        return toolbox.callTool(...call)
      },
    }
  }

  const askOnce = (asked: AnswerRequest, gathered: Gathered, fitted: Fitted, signal: AbortSignal) =>
    mergeEvents<AnswerEvent>(async (tell) => {
      const toolbox = await toolboxFor(asked, gathered, fitted, tell)
      const question = questionOf(asked, gathered, fitted, toolbox)
      let hasBegun = false
      try {
        await tellAll(asked.engine, question, signal, (event) => {
          hasBegun = true
          tell(event)
        })
      } catch (error) {
        const isAway = error instanceof EngineError && awayCodes.has(error.code)
        const quoted =
          isAway && question.soFar === undefined && !hasBegun && !signal.aborted ? quoteWithoutModel(question) : null
        if (quoted !== null) {
          tell({ type: 'sources', sources: quoted.sources })
          tell({ type: 'text', text: quoted.text, isQuote: true })
        }
        throw error
      }
    })

  return async function* ask(
    asked: AnswerRequest,
    gathered: Gathered,
    fitted: Fitted,
    signal: AbortSignal,
  ): AsyncGenerator<AnswerEvent> {
    const smaller = fitting.tighter(asked, gathered, fitted)
    for (let attempt = fitted; ; ) {
      let hasBegun = false
      try {
        for await (const event of askOnce(asked, gathered, attempt, signal)) {
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
function originOf({ isUnstored, leavesNoTrace, inAnalytics, begun }: AnswerRequest): CallOrigin | null {
  if (leavesNoTrace) return null
  if (isUnstored) return { from: 'api', inAnalytics }
  return { sessionId: begun.sessionId, messageId: begun.messageId, inAnalytics }
}

/** Tells all that an engine gives. */
async function tellAll(
  engine: ChatEngine,
  question: Question,
  signal: AbortSignal,
  tell: (event: AnswerEvent) => void,
): Promise<void> {
  for await (const event of engine.answer(question, signal)) if (event.type !== 'passages') tell(event)
}
