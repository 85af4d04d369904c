import type { AnswerStopReason, ChatParameters, Usage } from '@mira/shared'
import type OpenAI from 'openai'
import type { APIError } from 'openai/core/error'
import { EngineError } from '../../errors.ts'
import { createThinkingSplitter, type WrittenPiece } from '../../platform/lib/thinking.ts'
import { say } from '../../sentences.ts'
import { withCitations } from '../chat/citations.ts'
import { withPassages } from '../chat/quoted-passages.ts'
import { createTextCallReader } from '../chat/text-calls.ts'
import { createToolCallCollector } from '../chat/tool-calls.ts'
import { answerInRounds, type Round, type RoundRequest } from '../chat/tool-rounds.ts'
import { rephrasingPrompt, summaryPrompt, titlePrompt } from '../chat/write-text.ts'
import type { ChatEngine, ChatMessage, EngineEvent, Question } from '../chat-engine.ts'
import { readAnswerStream } from './answer-stream.ts'
import { pause, retryWaitMs, type Watch, watchStream } from './call.ts'
import type { Connection } from './connection.ts'
import { createEcho, pagesIn, readDelta } from './deltas.ts'
import {
  asEngineError,
  isMalformedCall,
  lacksTools,
  type RemoteRequest,
  refusesFormat,
  refusesSchema,
  refusesTools,
  refusesUsageReport,
  serverMessageOf,
  toolsRefusedError,
} from './errors.ts'
import { askWithQuirks, createQuirks } from './quirks.ts'
import type { ModelRole } from './role.ts'
import { asWireTool, toolsNamedIn } from './tool-schema.ts'

const DEFAULT_CONTEXT_TOKENS = 8192
/** A longer context is slow and expensive, and seldom helps. */
const MAX_CONTEXT_TOKENS = 65_536
/** After this many refused tools, all are left out. */
const MAX_TOOLS_LEFT_OUT = 5
const TITLE_TIMEOUT_MS = 20_000
const SUMMARY_TIMEOUT_MS = 60_000
const REPHRASING_TIMEOUT_MS = 20_000

/** Chat engine on a role's model, which also writes titles and summaries. */
export function createRemoteChat(connection: Connection, role: ModelRole): ChatEngine {
  const { client, address, log, firstTokenTimeoutMs, idleTimeoutMs, retryDelayMs } = connection
  let reportsUsage = true
  const quirks = createQuirks()
  const modelsWithoutTools = new Set<string>()
  /** Models whose servers omit the opening tag of their reasoning. */
  const modelsWithoutOpeningThinkTag = new Set<string>()
  /** `model tool` pairs whose schema the server refused. */
  const refusedTools = new Set<string>()
  /** Actual context lengths (tokens) by model, learnt from refusals. */
  const learnedContext = new Map<string, number>()

  const answer = async function* (question: Question, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const model = await role.requireModel()
    const options = wireParameters(question.parameters ?? {}, connection.isOpenAi)
    const ask = (request: RoundRequest) => askOnce(model, request, options, signal)
    const rounds = { question: withPassages(question), signal, contextTokens: await contextTokens(), ask }
    // Numbers in brackets are data rather than citations if a program requests a format.
    if (question.program?.format !== undefined) yield* answerInRounds(rounds)
    else yield* withCitations(answerInRounds(rounds), question.passages, question.soFar)
  }

  /** One round, with retries; null when aborted. */
  const askOnce = async function* (
    model: string,
    roundRequest: RoundRequest,
    options: WireParameters,
    signal: AbortSignal,
  ): AsyncGenerator<EngineEvent, Round | null> {
    let request = {
      ...roundRequest,
      tools: roundRequest.hasClientTools
        ? roundRequest.tools
        : roundRequest.tools.filter(({ name }) => !refusedTools.has(`${model} ${name}`)),
    }
    let omittedTools = 0
    const hasPictures = request.messages.some(({ content }) => Array.isArray(content))
    const remoteRequest: RemoteRequest = { address, model, variable: role.modelVariable, hasPictures }
    const fail = (error: EngineError): EngineError => {
      role.recordFailure(error)
      return error
    }
    if (roundRequest.mustCall && modelsWithoutTools.has(model)) throw toolsRefusedError(model, null)
    for (let attempt = 0; ; attempt++) {
      const permit = await connection.chats.acquire({ signal }).catch((error: unknown) => {
        if (signal.aborted) return null
        throw error
      })
      if (permit === null) return null
      const watch = watchStream(signal, firstTokenTimeoutMs, idleTimeoutMs, () => permit[Symbol.dispose]())
      try {
        const round = yield* streamOnce(model, request, options, watch)
        if (signal.aborted) return null
        role.recordSuccess()
        return round
      } catch (error) {
        if (signal.aborted) return null
        if (error instanceof MalformedCallError && attempt === 0) continue
        const malformed = reportedCallOf(error, watch.hasStarted)
        if (malformed !== null) {
          // The author of a program's own tools can mend what a refusal names.
          if (roundRequest.hasClientTools && (malformed.status ?? 500) < 500) throw toolsRefusedError(model, malformed)
          if (attempt === 0) continue
          const canOmitTools = request.tools.length > 0 && !roundRequest.hasClientTools && !roundRequest.mustCall
          if (!canOmitTools)
            throw fail(asEngineError(connection.readFailure(malformed, remoteRequest, false), malformed))
          request = { ...request, tools: [] }
          continue
        }
        if (error instanceof EngineError) throw fail(error)
        if (watch.hasTimedOut) throw fail(timeoutError(address, watch, firstTokenTimeoutMs))
        if (!watch.hasStarted && refusesFormat(error, request)) {
          throw fail(asEngineError(connection.readFailure(error, remoteRequest, false), error))
        }
        const isAboutTools = !watch.hasStarted && offersTools(model, request) && refusesTools(error, roundRequest)
        // A refusal about tools may quote their definitions, whose words must not be taken for those of a quirk.
        const quotesTool = refusesSchema(error) || toolsNamedIn(serverMessageOf(error), request.tools).length > 0
        const hidesQuirks = watch.hasStarted || (isAboutTools && quotesTool)
        const quirk = hidesQuirks ? null : quirks.learn(error, bodyOf(model, request, options))
        if (quirk !== null) {
          log.info({ model, quirk }, "request adapted to a quirk of the model's server")
          attempt--
          continue
        }
        if (isAboutTools) {
          const isAboutModel = lacksTools(error)
          if (roundRequest.hasClientTools && (roundRequest.mustCall || !isAboutModel))
            throw toolsRefusedError(model, error)
          // Leave out only the tools that the refusal names: the model may support the others.
          const namedTools =
            isAboutModel || omittedTools >= MAX_TOOLS_LEFT_OUT
              ? []
              : toolsNamedIn(serverMessageOf(error), request.tools)
          if (!roundRequest.hasClientTools && namedTools.length === 0 && !refusesSchema(error))
            modelsWithoutTools.add(model)
          for (const { name } of namedTools) refusedTools.add(`${model} ${name}`)
          omittedTools += namedTools.length
          request = {
            ...request,
            tools: namedTools.length > 0 ? request.tools.filter((tool) => !namedTools.includes(tool)) : [],
          }
          log.info({ model, tools: namedTools.map(({ name }) => name) }, 'retrying without refused tools')
          attempt--
          continue
        }
        if (reportsUsage && !watch.hasStarted && refusesUsageReport(error, request)) {
          reportsUsage = false
          attempt--
          continue
        }
        const failure = connection.readFailure(error, remoteRequest, watch.hasStarted)
        if (failure.contextTokens !== null) learnedContext.set(model, failure.contextTokens)
        const waitMs = watch.hasStarted ? null : retryWaitMs(failure, attempt, retryDelayMs)
        if (waitMs === null) throw fail(asEngineError(failure, error))
        log.info({ code: failure.code, wait_ms: waitMs }, 'retrying a request to the model server')
        permit[Symbol.dispose]()
        if (!(await pause(waitMs, signal))) return null
      } finally {
        watch.end()
        permit[Symbol.dispose]()
      }
    }
  }

  const offersTools = (model: string, { tools }: RoundRequest) => tools.length > 0 && !modelsWithoutTools.has(model)

  const bodyOf = (
    model: string,
    request: RoundRequest,
    options: WireParameters,
  ): OpenAI.ChatCompletionCreateParamsStreaming => ({
    model,
    messages: request.messages,
    ...options,
    stream: true,
    ...(reportsUsage ? { stream_options: { include_usage: true } } : {}),
    ...(offersTools(model, request) ? { tools: request.tools.map(asWireTool) } : {}),
    ...(offersTools(model, request) && request.mustCall ? { tool_choice: 'required' as const } : {}),
    ...(request.format === undefined ? {} : { response_format: request.format as OpenAI.ResponseFormatJSONSchema }),
  })

  const streamOnce = async function* (
    model: string,
    request: RoundRequest,
    options: WireParameters,
    watch: Watch,
  ): AsyncGenerator<EngineEvent, Round | null> {
    const response = await (await client()).chat.completions
      .create({ ...quirks.apply(bodyOf(model, request, options)), stream: true }, { signal: watch.signal })
      .asResponse()
    let answeringModel = model
    let usage: Usage | null = null
    let text = ''
    let finishReason: string | null = null
    let hasThought = false
    const splitter = createThinkingSplitter({ beginsThinking: modelsWithoutOpeningThinkTag.has(model) })
    const callReader = createTextCallReader(request.tools)
    const collector = createToolCallCollector(request.newCallId)
    const emitText = function* (delta: string): Generator<EngineEvent> {
      if (delta === '') return
      if (text === '' && request.continuesText) yield { type: 'text', text: '\n\n' }
      text += delta
      yield { type: 'text', text: delta }
    }
    const report = function* (pieces: WrittenPiece[]): Generator<EngineEvent> {
      for (const piece of pieces) {
        if (piece.type === 'text') yield* emitText(callReader.add(piece.text))
        else if (piece.type === 'reasoning') {
          hasThought = true
          yield piece
        } else {
          modelsWithoutOpeningThinkTag.add(model)
          hasThought = true
          text = ''
          // Keep text written before a tool call.
          if (!request.continuesText) yield piece
        }
      }
    }
    const echo = createEcho()
    let pageCount = 0
    let isDone = false
    try {
      for await (const event of readAnswerStream(response)) {
        if (event.type === 'done') {
          isDone = true
          break
        }
        if (event.type === 'alive') {
          if (finishReason === null) watch.touch(false)
          continue
        }
        const chunk = event.chunk as Partial<OpenAI.ChatCompletionChunk>
        if (chunk.model) answeringModel = chunk.model
        usage = readUsage(chunk.usage) ?? usage
        const urls = pagesIn(chunk as Parameters<typeof pagesIn>[0])
        if (urls.length > pageCount) yield { type: 'pages', urls }
        pageCount = Math.max(pageCount, urls.length)
        // The chunk with the usage report has no choices, and the first delta of some servers has no content.
        const choice = chunk.choices?.[0]
        // A server that doesn't stream sends a whole message.
        const delta = choice?.delta ?? (choice as { message?: unknown } | undefined)?.message
        const { content, reasoning, toolCalls } = readDelta(delta)
        echo.add(delta)
        if (finishReason === null) watch.touch(content !== '' || reasoning !== '' || toolCalls !== undefined)
        hasThought ||= reasoning !== ''
        if (reasoning !== '') yield { type: 'reasoning', text: reasoning }
        if (content !== '') yield* report(splitter.add(content))
        collector.add(toolCalls)
        finishReason = readFinishReason(choice) ?? finishReason
        if (finishReason !== null) watch.settle()
      }
    } catch (error) {
      if (text === '' && isMalformedCall(error)) throw new MalformedCallError(answeringModel, error)
      // A complete answer counts, however its connection ends.
      if (finishReason === null || error instanceof EngineError) throw error
    }
    if (watch.hasTimedOut) throw timeoutError(address, watch, firstTokenTimeoutMs)
    if (watch.signal.aborted && finishReason === null) return null
    const rest = splitter.end()
    if (splitter.isAssumed) modelsWithoutOpeningThinkTag.delete(model)
    yield* report(rest)
    yield* emitText(callReader.end())
    const textCalls = callReader.calls().map((call) => ({ ...call, id: request.newCallId('') }))
    if (
      finishReason === null &&
      usage === null &&
      !(isDone && (text !== '' || collector.count + textCalls.length > 0))
    ) {
      throw text !== '' || collector.count > 0
        ? new EngineError(say('answer_broken_off', { address }), { code: 'answer_cut_off' })
        : new EngineError(say('answer_ended_empty', { address }), { code: 'empty_answer' })
    }
    if (finishReason !== null && FAILED_REASONS.test(finishReason)) {
      throw new EngineError(say('answer_stopped', { address, reason: finishReason }), { code: 'answer_cut_off' })
    }
    const calls = [...collector.calls(), ...textCalls]
    const stopReason = readStopReason(finishReason)
    if (text === '' && calls.length === 0) {
      if (MALFORMED_CALL.test(finishReason ?? '')) throw new MalformedCallError(answeringModel)
      throw emptyAnswerError(answeringModel, stopReason, hasThought)
    }
    return { model: answeringModel, usage, text, calls, stopReason, echo: echo.fields() }
  }

  const contextTokens = async () => {
    const model = role.model()
    // Ollama lists the tag that may be left out.
    const listed = connection.models().find(({ id }) => id === model || id === `${model}:latest`)
    const contextTokens = listed?.contextTokens ?? DEFAULT_CONTEXT_TOKENS
    return Math.min(learnedContext.get(model ?? '') ?? contextTokens, MAX_CONTEXT_TOKENS)
  }

  /** A background text (title, summary), in one call. */
  const write = async (system: string, user: string, signal: AbortSignal, timeoutMs: number) => {
    using _permit = await connection.calls.acquire({ signal })
    const callSignal = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const body = {
      model: await role.requireModel(),
      messages: [
        { role: 'system' as const, content: system },
        { role: 'user' as const, content: user },
      ],
    }
    const { content } = await askWithQuirks(quirks, body, { client: await client(), signal: callSignal })
    return content === '' ? null : content
  }

  const title = (question: string, answer: string, signal: AbortSignal) => {
    const { system, user } = titlePrompt(question, answer)
    return write(system, user, signal, TITLE_TIMEOUT_MS)
  }

  const summarise = async (previous: string | null, messages: ChatMessage[], signal: AbortSignal) => {
    const { system, user } = summaryPrompt(previous, messages, await contextTokens())
    return write(system, user, signal, SUMMARY_TIMEOUT_MS)
  }

  const rephrase = (messages: ChatMessage[], signal: AbortSignal) => {
    const { system, user } = rephrasingPrompt(messages)
    return write(system, user, signal, REPHRASING_TIMEOUT_MS)
  }

  return { name: 'remote', model: role.model, contextTokens, answer, title, summarise, rephrase }
}

type WireParameters = Pick<
  OpenAI.ChatCompletionCreateParams,
  'temperature' | 'top_p' | 'max_tokens' | 'max_completion_tokens' | 'reasoning_effort'
>

/** OpenAI's newer models refuse the older name of the token limit, which all other servers know. */
function wireParameters({ max_tokens, use_web: _own, ...rest }: ChatParameters, isOpenAi: boolean): WireParameters {
  if (max_tokens === undefined) return rest
  return isOpenAi ? { ...rest, max_completion_tokens: max_tokens } : { ...rest, max_tokens }
}

/** Finish reasons of DeepSeek, Zhipu, vLLM, OpenRouter and others for a failed answer. */
const FAILED_REASONS = /^(error|abort(ed)?|network_error|insufficient_system_resource|engine_overloaded)$/i
/** Google's finish reasons for a malformed call. */
const MALFORMED_CALL = /malformed_|unexpected_tool_call/i

/** Finish reason of a choice; some servers send an empty reason, or the word null, with every chunk. */
function readFinishReason(choice: { finish_reason?: unknown } | undefined): string | null {
  const reason = choice?.finish_reason
  return typeof reason === 'string' && reason !== '' && reason !== 'null' ? reason : null
}

/** Stop reason from the finish reasons of OpenAI, vLLM, Google, Anthropic and others. */
function readStopReason(finishReason: string | null): AnswerStopReason | undefined {
  if (finishReason === null) return undefined
  if (MALFORMED_CALL.test(finishReason)) return undefined
  if (/length|max_?tokens|model_context_window/i.test(finishReason)) return 'length'
  return /filter|safety|refusal|recitation|blocklist|prohibited|spii|sensitive/i.test(finishReason)
    ? 'content_filter'
    : undefined
}

function emptyAnswerError(model: string, stopReason: AnswerStopReason | undefined, hasThought: boolean): EngineError {
  if (stopReason === 'content_filter')
    return new EngineError(say('answer_declined', { model }), { code: 'empty_answer' })
  if (stopReason === 'length' && hasThought)
    return new EngineError(say('answer_only_thoughts', { model }), { code: 'only_thoughts' })
  return new EngineError(say('answer_empty', { model }), { code: 'empty_answer' })
}

/** An answer that consists only of a malformed call; a retry mostly succeeds. */
class MalformedCallError extends EngineError {
  /** @param cause the server's report of it, if any. */
  constructor(model: string, cause?: unknown) {
    super(say('answer_empty', { model }), { code: 'empty_answer', cause })
  }
}

/** A server's report of a malformed call, before any text of the answer; null for other errors. */
function reportedCallOf(error: unknown, hasStarted: boolean): APIError | null {
  const report = error instanceof MalformedCallError ? error.cause : hasStarted ? null : error
  return isMalformedCall(report) ? report : null
}

function timeoutError(address: string, watch: Watch, waitMs: number): EngineError {
  const sentence = watch.hasStarted
    ? say('answer_fell_silent', { address })
    : say('answer_not_begun', { address, seconds: Math.ceil(waitMs / 1000) })
  return new EngineError(sentence, { code: 'model_timeout' })
}

/** Usage in the fields of OpenAI's chat completions, or of its Responses API, which MLX and others use. */
function readUsage(usage: unknown): Usage | null {
  const { prompt_tokens, completion_tokens, input_tokens, output_tokens } = (usage ?? {}) as Record<string, unknown>
  const [input, output] = [prompt_tokens ?? input_tokens, completion_tokens ?? output_tokens]
  return Number.isInteger(input) && Number.isInteger(output)
    ? { input_tokens: input as number, output_tokens: output as number }
    : null
}
