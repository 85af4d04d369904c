import { EngineError } from '../../errors.ts'
import { createBuiltin } from '../../offline/builtin/builtin.ts'
import { say } from '../../sentences.ts'
import { withCitations } from '../chat/citations.ts'
import { withPassages } from '../chat/quoted-passages.ts'
import { CONTINUE_PROMPT } from '../chat/tool-rounds.ts'
import type { ChatEngine, EngineEvent, Question } from '../chat-engine.ts'
import type { LocalModelInfo } from './catalogue.ts'
import type { LocalRunner } from './local-runner.ts'

/** Queue of text pieces with one writer and one reader. */
interface ChatPieces extends AsyncIterable<string> {
  add(piece: string): void
  end(): void
}

function createChatPieces(): ChatPieces {
  const unread: string[] = []
  let hasEnded = false
  let change = Promise.withResolvers<void>()
  const notifyReader = () => {
    change.resolve()
    change = Promise.withResolvers()
  }
  return {
    add(piece) {
      unread.push(piece)
      notifyReader()
    },
    end() {
      hasEnded = true
      notifyReader()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const { promise } = change
        yield* unread.splice(0)
        if (unread.length > 0) continue
        if (hasEnded) return
        await promise
      }
    },
  }
}

/** A larger context would fill memory and take minutes to read on a small machine. */
export const CHAT_CONTEXT_TOKENS = 4_096
const MAX_ANSWER_TOKENS = 1_024
const TIMEOUT_MS = 15 * 60_000

/**
 * Chats with a small model on this machine. The model calls no tools: a message that certainly asks for a tool is answered by
 * the built-in engine, as it would be without a model. Questions are answered one at a time, in order of arrival.
 */
export function createLocalChat({ runner, model }: { runner: LocalRunner; model: LocalModelInfo }): ChatEngine {
  const builtin = createBuiltin()

  const write = async function* (question: Question, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const { instructions, turns, parameters = {} } = withPassages(question)
    const continuation =
      question.soFar === undefined
        ? []
        : [
            { role: 'assistant' as const, content: question.soFar.text.toWellFormed() },
            { role: 'user' as const, content: CONTINUE_PROMPT },
          ]
    const pieces = createChatPieces()
    const maxNewTokens = Math.min(parameters.max_tokens ?? MAX_ANSWER_TOKENS, MAX_ANSWER_TOKENS)
    const running = runner.run(
      'writeAnswer',
      (modelToRun) => ({
        model: modelToRun,
        messages: [
          { role: 'system' as const, content: instructions.toWellFormed() },
          ...turns.map(({ role, content }) => ({ role, content: content.toWellFormed() })),
          ...continuation,
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
        question.soFar?.resumedCall !== undefined ||
        (question.soFar === undefined && question.toolFor(lastMessage) !== null)
      )
        yield* builtin.answer(question, signal)
      else yield* withCitations(write(question, signal), question.passages, question.soFar)
    },
    // Not written, since each of these texts takes as long as an answer, and the next answer would wait for it.
    title: async () => null,
    summarise: async () => null,
    rephrase: async () => null,
  }
}
