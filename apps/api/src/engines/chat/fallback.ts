import { EngineError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { say } from '../../sentences.ts'
import type { ChatEngine, EngineEvent, Question } from '../chat-engine.ts'

/** Codes of failures that concern one server, so that another server may succeed. */
const serverSpecificCodes = new Set([
  'model_unreachable',
  'model_key_refused',
  'model_not_found',
  'model_rate_limited',
  'model_timeout',
  'model_error',
])

/**
 * Chats with the first of several engines, or with the next one when an engine fails before writing or doing anything.
 * @param engines in order of preference; at least one.
 */
export function withFallback({ engines, log }: { engines(): ChatEngine[]; log: Log }): ChatEngine {
  const first = (): ChatEngine => {
    const [engine] = engines()
    if (engine === undefined) throw new EngineError(say('no_model_server', {}), { code: 'model_unreachable' })
    return engine
  }

  const answer = async function* (question: Question, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const order = engines()
    for (const [index, engine] of order.entries()) {
      let hasStarted = false
      const watchedQuestion: Question = {
        ...question,
        callTool(...call) {
          hasStarted = true
          return question.callTool(...call)
        },
      }
      try {
        for await (const event of engine.answer(watchedQuestion, signal)) {
          hasStarted = true
          yield event
        }
        return
      } catch (error) {
        const isServerSpecific = error instanceof EngineError && serverSpecificCodes.has(error.code)
        if (hasStarted || !isServerSpecific || index === order.length - 1) throw error
        log.warn({ code: error.code }, 'a model server failed: trying the next one')
      }
    }
  }

  return {
    get name() {
      return engines()[0]?.name ?? 'remote'
    },
    model: () => engines()[0]?.model() ?? null,
    contextTokens: () => first().contextTokens(),
    answer,
    title: (...args) => first().title(...args),
    summarise: (...args) => first().summarise(...args),
    rephrase: (...args) => first().rephrase(...args),
  }
}
