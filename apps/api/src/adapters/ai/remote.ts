import { setTimeout as sleep } from 'node:timers/promises'
import type { Check, Usage } from '@mira/shared'
import OpenAI from 'openai'
import { EngineError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { ChatEngine, EngineEvent, Question, Tool, Turn } from './engine.ts'
import {
  type Asked,
  asEngineError,
  fetchWithPlainErrors,
  readFailure,
  refusesTools,
  refusesUsageReport,
} from './remote-errors.ts'
import { summaryPrompt } from './summary.ts'
import { createThinkingSplitter, type WrittenPiece } from './thinking.ts'
import { createToolCallCollector } from './tool-calls.ts'
import { answerInRounds, type Round, type RoundRequest } from './tool-rounds.ts'

export interface RemoteOptions {
  /** Ends with /v1 for most servers; OpenAI's own without it. */
  baseUrl: string | undefined
  apiKey: string | undefined
  /** Without it the first model that can chat is taken. */
  chatModel: string | undefined
  log: Log
  /** Time from the request to the first sign of an answer. */
  firstTokenTimeoutMs?: number
  /** Time that may pass without a token once the answer has begun. */
  idleTimeoutMs?: number
  /** Wait before the first retry; the second waits twice as long. */
  retryDelayMs?: number
  probeTimeoutMs?: number
  probeIntervalMs?: number
}

/** A server that speaks the OpenAI protocol. */
export interface RemoteServer {
  chat: ChatEngine
  /** Whether it can chat, as far as is known; asks again in the background when that is old. */
  checkChat(): Check
}

interface RemoteModel {
  id: string
  contextTokens: number | null
}

const OPENAI_BASE_URL = 'https://api.openai.com/v1'
const MAX_RETRIES = 2
/** A server that wants to be left alone for longer gets its wish: the person is told instead. */
const LONGEST_RETRY_WAIT_MS = 20_000
const DEFAULT_CONTEXT_TOKENS = 8192
/** More is slow and dear, and seldom helps. */
const MOST_CONTEXT_TOKENS = 65_536
const TITLE_TIMEOUT_MS = 20_000
const SUMMARY_TIMEOUT_MS = 60_000
const TITLE_SOURCE_CHARACTERS = 1500
/** Failures that come again until somebody mends the server or its settings. */
const lastingTroubles = new Set<string>(['model_unreachable', 'model_key_refused', 'model_not_found', 'model_timeout'])
const otherModels =
  /embed|rerank|whisper|transcri|tts|speech|audio|dall-e|image|moderation|realtime|diffusion|clip|babbage|davinci|sora|gpt-3.5-turbo-instruct/i

/** Talks to a server through the `openai` package; it is asked once for its models, and again every so often. */
export function createRemote(options: RemoteOptions): RemoteServer {
  const { apiKey, chatModel, log } = options
  const { firstTokenTimeoutMs = 60_000, idleTimeoutMs = 60_000, retryDelayMs = 500 } = options
  const { probeTimeoutMs = 5_000, probeIntervalMs = 30_000 } = options
  const baseURL = options.baseUrl ?? OPENAI_BASE_URL
  const address = new URL(baseURL).origin
  const client = new OpenAI({
    baseURL,
    // The package insists on one; servers at home need none.
    apiKey: apiKey ?? 'none',
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: Math.max(firstTokenTimeoutMs, idleTimeoutMs) * 2,
    logLevel: 'off',
    fetch: fetchWithPlainErrors,
  })

  let models: RemoteModel[] = []
  let trouble: string | null = `The model server at ${address} has not answered yet.`
  /** Why the last call failed, when that is for an administrator to mend; being listed does not prove a model works. */
  let callTrouble: string | null = null
  let probedAt = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | undefined
  let reportsUsage = true
  const modelsWithoutTools = new Set<string>()
  /** What models really hold, as they said while refusing. */
  const learnedContext = new Map<string, number>()

  const probe = () => {
    probing ??= listModels(client, probeTimeoutMs)
      .then((listed) => {
        models = listed
        trouble = null
      })
      .catch((error: unknown) => {
        const failure = readFailure(error, { address, model: chatModel ?? '' }, false)
        // Some servers chat but do not list; the call itself will tell.
        const isUp = error instanceof OpenAI.APIError && (error.status === 404 || error.status === 405)
        trouble = isUp ? null : failure.sentence
        log.debug({ err: error }, 'the model server could not be asked for its models')
      })
      .finally(() => {
        probedAt = performance.now()
        probing = undefined
      })
    return probing
  }

  const chosenModel = () => chatModel ?? models.find(({ id }) => !otherModels.test(id))?.id ?? null

  /** @throws EngineError when no model is named and the server names none. */
  const requireModel = async (): Promise<string> => {
    if (chosenModel() === null) await probe()
    const model = chosenModel()
    if (model !== null) return model
    throw trouble === null
      ? new EngineError(noModelSentence(address), { code: 'model_not_found' })
      : new EngineError(trouble, { code: 'model_unreachable' })
  }

  const answer = async function* (question: Question, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const model = await requireModel()
    const ask = (request: RoundRequest) => askOnce(model, request, signal)
    yield* answerInRounds({ question, signal, contextTokens: await contextTokens(), ask })
  }

  /** One round, tried again where that may help; null when it was stopped. */
  const askOnce = async function* (
    model: string,
    request: RoundRequest,
    signal: AbortSignal,
  ): AsyncGenerator<EngineEvent, Round | null> {
    const hasPictures = request.messages.some(({ content }) => Array.isArray(content))
    const asked: Asked = { address, model, hasPictures }
    for (let attempt = 0; ; attempt++) {
      const watch = watchStream(signal, firstTokenTimeoutMs, idleTimeoutMs)
      try {
        const round = yield* streamOnce(model, request, watch)
        if (signal.aborted) return null
        trouble = null
        callTrouble = null
        return round
      } catch (error) {
        if (signal.aborted) return null
        if (error instanceof EngineError) {
          if (lastingTroubles.has(error.code)) callTrouble = error.message
          throw error
        }
        if (watch.isHanging) {
          const hanging = hangingError(address, watch)
          callTrouble = hanging.message
          throw hanging
        }
        if (offersTools(model, request) && !watch.hasBegun && refusesTools(error, request.messages)) {
          modelsWithoutTools.add(model)
          log.info({ model }, 'the model is asked without tools: its server refuses them')
          attempt--
          continue
        }
        if (reportsUsage && !watch.hasBegun && refusesUsageReport(error)) {
          reportsUsage = false
          attempt--
          continue
        }
        const failure = readFailure(error, asked, watch.hasBegun)
        if (failure.contextTokens !== null) learnedContext.set(model, failure.contextTokens)
        const waitMs = failure.retryAfterMs ?? retryDelayMs * 2 ** attempt
        const mayRetry = failure.isWorthRetrying && !watch.hasBegun && attempt < MAX_RETRIES
        if (!mayRetry || waitMs > LONGEST_RETRY_WAIT_MS) {
          if (lastingTroubles.has(failure.code)) callTrouble = failure.sentence
          throw asEngineError(failure, error)
        }
        log.info({ code: failure.code, wait_ms: waitMs }, 'the model server is asked again')
        if (!(await pause(waitMs, signal))) return null
      } finally {
        watch.end()
      }
    }
  }

  const offersTools = (model: string, { tools }: RoundRequest) => tools.length > 0 && !modelsWithoutTools.has(model)

  const streamOnce = async function* (
    model: string,
    request: RoundRequest,
    watch: Watch,
  ): AsyncGenerator<EngineEvent, Round | null> {
    const stream = await client.chat.completions.create(
      {
        model,
        messages: request.messages,
        stream: true,
        ...(reportsUsage ? { stream_options: { include_usage: true } } : {}),
        ...(offersTools(model, request) ? { tools: request.tools.map(asWireTool) } : {}),
      },
      { signal: watch.signal },
    )
    let answeringModel = model
    let usage: Usage | null = null
    let text = ''
    let finishReason: string | null = null
    const splitter = createThinkingSplitter()
    const collector = createToolCallCollector(request.newCallId)
    const tell = function* (pieces: WrittenPiece[]): Generator<EngineEvent> {
      for (const piece of pieces) {
        if (piece.type === 'text') {
          if (text === '' && request.continuesText) yield { type: 'text', text: '\n\n' }
          text += piece.text
        }
        yield piece
      }
    }
    for await (const chunk of stream) {
      if (chunk.model) answeringModel = chunk.model
      usage = readUsage(chunk.usage) ?? usage
      // The last chunk of a usage report has no choices, and the first delta of some servers no content.
      const choice = chunk.choices?.[0]
      const { content, reasoning, toolCalls } = readDelta(choice?.delta)
      watch.touch(content !== '' || reasoning !== '' || toolCalls !== undefined)
      if (reasoning !== '') yield { type: 'reasoning', text: reasoning }
      if (content !== '') yield* tell(splitter.add(content))
      collector.add(toolCalls)
      finishReason = choice?.finish_reason ?? finishReason
    }
    // The package ends quietly when the signal is aborted.
    if (watch.isHanging) throw hangingError(address, watch)
    if (watch.signal.aborted) return null
    yield* tell(splitter.end())
    if (finishReason === null && usage === null) {
      throw text !== '' || collector.count > 0
        ? new EngineError(`The model server at ${address} broke off in the middle of the answer.`, {
            code: 'answer_cut_off',
          })
        : new EngineError(`The model server at ${address} ended without an answer.`, { code: 'empty_answer' })
    }
    const calls = collector.calls()
    if (text === '' && calls.length === 0) {
      throw new EngineError(
        finishReason === 'content_filter'
          ? `The model "${answeringModel}" declined to answer this.`
          : `The model "${answeringModel}" gave an empty answer. Try again, or ask in other words.`,
        { code: 'empty_answer' },
      )
    }
    return { model: answeringModel, usage, text, calls }
  }

  const contextTokens = async () => {
    const model = chosenModel()
    const told = models.find(({ id }) => id === model)?.contextTokens ?? DEFAULT_CONTEXT_TOKENS
    return Math.min(learnedContext.get(model ?? '') ?? told, MOST_CONTEXT_TOKENS)
  }

  /** A text that nobody waits for, in one call. */
  const write = async (system: string, user: string, signal: AbortSignal, timeoutMs: number) => {
    const completion = await client.chat.completions.create(
      {
        model: await requireModel(),
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
      },
      { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) },
    )
    return completion.choices?.[0]?.message?.content ?? null
  }

  const title = (question: string, answered: string, signal: AbortSignal) =>
    write(
      'Write a title of at most six words for the conversation below, in its language. Answer with the title alone: no quotes, no full stop.',
      `Person: ${question.slice(0, TITLE_SOURCE_CHARACTERS)}\n\nAssistant: ${answered.slice(0, TITLE_SOURCE_CHARACTERS)}`,
      signal,
      TITLE_TIMEOUT_MS,
    )

  const summarise = async (previous: string | null, messages: Turn[], signal: AbortSignal) => {
    const { system, user } = summaryPrompt(previous, messages, await contextTokens())
    return write(system, user, signal, SUMMARY_TIMEOUT_MS)
  }

  const checkChat = (): Check => {
    if (performance.now() - probedAt > probeIntervalMs) void probe()
    const model = chosenModel()
    const known = { engine: 'remote', ...(model ? { model } : {}) }
    const reason = callTrouble ?? trouble
    if (reason !== null) return { state: 'error', ...known, reason }
    if (model === null) return { state: 'error', ...known, reason: noModelSentence(address) }
    return { state: 'ok', ...known }
  }

  return { chat: { name: 'remote', model: chosenModel, contextTokens, answer, title, summarise }, checkChat }
}

function noModelSentence(address: string): string {
  return `The model server at ${address} lists no model that can chat. Set CHAT_MODEL.`
}

function hangingError(address: string, watch: Watch): EngineError {
  const sentence = watch.hasBegun
    ? `The model server at ${address} fell silent in the middle of the answer.`
    : `The model server at ${address} did not begin to answer in time.`
  return new EngineError(sentence, { code: 'model_timeout' })
}

async function listModels(client: OpenAI, timeoutMs: number): Promise<RemoteModel[]> {
  const page = await client.models.list({ signal: AbortSignal.timeout(timeoutMs) })
  return (page.data ?? []).map((entry) => ({ id: entry.id, contextTokens: toldContext(entry) }))
}

/** The context of a model in tokens, in the words of llama.cpp, vLLM and others; null when it is not told. */
function toldContext(entry: object): number | null {
  const { meta, max_model_len, context_length, context_window } = entry as Record<string, unknown>
  const { n_ctx, n_ctx_train } = (typeof meta === 'object' && meta !== null ? meta : {}) as Record<string, unknown>
  const told = [n_ctx, n_ctx_train, max_model_len, context_length, context_window].find(
    (one): one is number => typeof one === 'number' && one > 0,
  )
  return told ?? null
}

function readUsage(usage: OpenAI.CompletionUsage | null | undefined): Usage | null {
  const { prompt_tokens, completion_tokens } = usage ?? {}
  return Number.isInteger(prompt_tokens) && Number.isInteger(completion_tokens)
    ? { input_tokens: prompt_tokens as number, output_tokens: completion_tokens as number }
    : null
}

/** What one chunk brings. */
function readDelta(delta: object | null | undefined): { content: string; reasoning: string; toolCalls: unknown } {
  const { content, reasoning_content, reasoning, tool_calls } = (delta ?? {}) as Record<string, unknown>
  // Reasoning has no field in the protocol; servers use one of these.
  const thoughts = [reasoning_content, reasoning].find((one) => typeof one === 'string' && one !== '')
  return {
    content: typeof content === 'string' ? content : '',
    reasoning: typeof thoughts === 'string' ? thoughts : '',
    toolCalls: tool_calls ?? undefined,
  }
}

function asWireTool({ name, description, parameters }: Tool): OpenAI.ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters } }
}

interface Watch {
  signal: AbortSignal
  /** Whether a token (also one of reasoning) has come. */
  readonly hasBegun: boolean
  readonly isHanging: boolean
  /** Something came. */
  touch(isToken: boolean): void
  end(): void
}

/** Aborts one attempt when the person stops it, or when the server keeps silent for too long. */
function watchStream(stopped: AbortSignal, firstTokenTimeoutMs: number, idleTimeoutMs: number): Watch {
  const controller = new AbortController()
  let hasBegun = false
  let isHanging = false
  const hang = () => {
    isHanging = true
    controller.abort()
  }
  const stop = () => controller.abort()
  if (stopped.aborted) stop()
  stopped.addEventListener('abort', stop, { once: true })
  let timer = setTimeout(hang, firstTokenTimeoutMs)
  return {
    signal: controller.signal,
    get hasBegun() {
      return hasBegun
    },
    get isHanging() {
      return isHanging
    },
    touch(isToken) {
      if (hasBegun || !isToken) {
        timer.refresh()
        return
      }
      hasBegun = true
      clearTimeout(timer)
      timer = setTimeout(hang, idleTimeoutMs)
    },
    end() {
      clearTimeout(timer)
      stopped.removeEventListener('abort', stop)
      controller.abort()
    },
  }
}

/** Waits; false when the signal came first. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal })
    return true
  } catch {
    return false
  }
}
