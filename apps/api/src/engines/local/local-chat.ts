import { EngineError } from '../../errors.ts'
import { createBuiltin } from '../../offline/builtin/builtin.ts'
import { say } from '../../sentences.ts'
import { withCitations } from '../chat/citations.ts'
import { withPassages } from '../chat/quoted-passages.ts'
import { GO_ON } from '../chat/tool-rounds.ts'
import type { ChatEngine, EngineEvent, Question } from '../chat-engine.ts'
import type { LocalModelInfo } from './catalogue.ts'
import type { LocalRunner } from './local-runner.ts'

/** Ordered text pieces, written while another task reads them. */
interface ChatPieces extends AsyncIterable<string> {
  add(piece: string): void
  /** Nothing follows. */
  end(): void
}

/** Makes the way of pieces from who writes them to the one who reads them. */
function createChatPieces(): ChatPieces {
  const unread: string[] = []
  let isOver = false
  let news = Promise.withResolvers<void>()
  const report = () => {
    news.resolve()
    news = Promise.withResolvers()
  }
  return {
    add(piece) {
      unread.push(piece)
      report()
    },
    end() {
      isOver = true
      report()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const { promise } = news
        yield* unread.splice(0)
        if (unread.length > 0) continue
        if (isOver) return
        await promise
      }
    },
  }
}

/** More would fill memory and take minutes to read on a small machine. */
export const CHAT_CONTEXT_TOKENS = 4_096
const MAX_ANSWER_TOKENS = 1_024
const TIMEOUT_MS = 15 * 60_000

/**
 * Chats with a small model on this machine. It knows no tools: what a sentence surely asks one for, the built-in engine does,
 * as it does without any model. It answers one question after the other, in the order in which they came.
 */
export function createLocalChat({ runner, model }: { runner: LocalRunner; model: LocalModelInfo }): ChatEngine {
  const builtin = createBuiltin()

  const write = async function* (question: Question, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const { instructions, turns, parameters = {} } = withPassages(question)
    const goingOn =
      question.soFar === undefined
        ? []
        : [
            { role: 'assistant' as const, content: question.soFar.text.toWellFormed() },
            { role: 'user' as const, content: GO_ON },
          ]
    const pieces = createChatPieces()
    const maxNewTokens = Math.min(parameters.max_tokens ?? MAX_ANSWER_TOKENS, MAX_ANSWER_TOKENS)
    const running = runner.run(
      'writeAnswer',
      (toRun) => ({
        model: toRun,
        messages: [
          { role: 'system' as const, content: instructions.toWellFormed() },
          ...turns.map(({ role, content }) => ({ role, content: content.toWellFormed() })),
          ...goingOn,
        ],
        contextTokens: CHAT_CONTEXT_TOKENS,
        maxNewTokens,
        temperature: parameters.temperature ?? undefined,
      }),
      { signal, timeoutMs: TIMEOUT_MS, onPart: pieces.add },
    )
    running.then(pieces.end, pieces.end)
    for await (const text of pieces) if (!signal.aborted) yield { type: 'text', text }
    if (signal.aborted) {
      await running.catch(() => {})
      return
    }
    const { result } = await running
    if (result.isTooLong) {
      throw new EngineError(say('context_too_long', { model: model.id }), { code: 'context_too_long' })
    }
    if (result.outputTokens === 0) {
      throw new EngineError(say('answer_empty', { model: model.id }), { code: 'empty_answer' })
    }
    const usage = { input_tokens: result.inputTokens, output_tokens: result.outputTokens }
    const stopReason = result.outputTokens >= maxNewTokens ? 'length' : undefined
    yield { type: 'end', model: model.id, usage, stopReason }
  }

  return {
    name: 'local',
    model: () => model.id,
    contextTokens: async () => CHAT_CONTEXT_TOKENS,
    async *answer(question, signal) {
      const lastMessage = question.turns.at(-1)?.content ?? ''
      if (
        question.soFar?.called !== undefined ||
        (question.soFar === undefined && question.toolFor(lastMessage) !== null)
      )
        yield* builtin.answer(question, signal)
      else yield* withCitations(write(question, signal), question.passages, question.soFar?.sources)
    },
    // each would hold up the next answer for as long as an answer takes
    title: async () => null,
    summarise: async () => null,
    rephrase: async () => null,
  }
}
