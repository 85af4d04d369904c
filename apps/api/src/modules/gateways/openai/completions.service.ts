import {
  type AnswerStopReason,
  type CodedSentence,
  decodeSse,
  encodeSse,
  type Source,
  SSE_DONE,
  type Usage,
} from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { z } from 'zod'
import type { Caller } from '../../../caller.ts'
import type { Config } from '../../../config.ts'
import type { Ai } from '../../../engines/ai.ts'
import type { Relay, RelayedResponse } from '../../../engines/engine-types.ts'
import { BadRequestError, EngineError, NotFoundError } from '../../../errors.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { AnswerEvent, ChatService } from '../../chat/index.ts'
import { conversationOf, readFormat, readTools, requiresTool, type SentTools } from './conversation-of.ts'
import { type EmbeddingsRequest, embed } from './embeddings.service.ts'
import {
  ASSISTANT_MODEL,
  annotationsOf,
  type CompletionHead,
  type CompletionRequest,
  callsDelta,
  completionChunk,
  type Delta,
  errorBody,
  type FinishedAnswer,
  type FinishReason,
  type ProgramCall,
  usageChunk,
  wholeCompletion,
} from './protocol.ts'
import { relayableCompletion } from './relayed-request.ts'
import { createStopWordFilter, type StopWordFilter } from './stop-words.ts'

interface CompletionsDeps {
  config: Config
  ai: Ai
  chat: ChatService
}

interface AssistantQuestion extends Pick<CompletionRequest, 'messages' | 'n' | 'response_format'>, SentTools {
  isStored: boolean
  /** The stored conversation that the question continues, and the message it follows. */
  continues?: { session_id: string | undefined; parent_id?: string } | undefined
  stops?: string[]
}

/** Ids of a stored question. */
interface StoredQuestion {
  sessionId: string
  questionId: string
}

/** Parts of the assistant's answer, as far as the protocol supports them. */
type AnswerPart =
  | Exclude<AnswerEvent, { type: 'end' }>
  | Omit<Extract<AnswerEvent, { type: 'end' }>, 'model'>
  /** The answer restarts: all text so far was reasoning, and will be sent again as reasoning. */
  | { type: 'again' }

/** Response to a completion request. */
export type CompletionResult =
  | { kind: 'relayed'; answer: RelayedResponse }
  | { kind: 'whole'; body: unknown }
  /** Server-sent events, encoded. */
  | { kind: 'streamed'; events: AsyncIterable<string> }

export type CompletionsService = ReturnType<typeof createCompletionsService>

/** Answers programs that speak the OpenAI protocol: as the assistant, or by relaying to a connected model. */
export function createCompletionsService({ config, ai, chat }: CompletionsDeps) {
  const addressOf = (path: string) => `${config.publicUrl ?? ''}${path}`

  /** Relay by model id, without servers that don't list their models in time. */
  const connectedModels = async (): Promise<Map<string, Relay>> => {
    const listed = await Promise.all(ai.relays().map(async (relay) => ({ relay, models: await relay.models() })))
    const relayOfModel = new Map<string, Relay>()
    for (const { relay, models } of listed)
      for (const id of models) if (!relayOfModel.has(id)) relayOfModel.set(id, relay)
    return relayOfModel
  }

  /** @throws NotFoundError when no connected server has the model. */
  const relayOf = async (model: string): Promise<Relay> => {
    const models = await connectedModels()
    const relay = models.get(model)
    if (relay !== undefined) return relay
    const names = [ASSISTANT_MODEL, ...models.keys()].slice(0, 20).join(', ')
    throw new NotFoundError(`There is no model "${cutText(model, 100)}". Available: ${names}.`, {
      code: 'model_not_found',
    })
  }

  const relayCompletion = async (request: CompletionRequest, signal: AbortSignal): Promise<CompletionResult> => {
    const relay = await relayOf(request.model)
    // Both fields are meant for Mira alone; `store` would make the other server store the conversation.
    const { store: _store, metadata: _metadata, ...body } = request
    return { kind: 'relayed', answer: await relay.post('/chat/completions', relayableCompletion(body), signal) }
  }

  const startStoredAnswer = async (caller: Caller, { messages, continues }: AssistantQuestion, signal: AbortSignal) => {
    const { content, images, turns } = conversationOf({ messages })
    if (turns.length > 0) throw storedToolsError('messages')
    const question = { content, images, has_images: images.length > 0, media_ids: [], mentions: [], ...continues }
    const openStream = await chat.send(caller, question, performance.now())
    const events = chatEvents(openStream(signal))
    const first = await events.next()
    const sessionEvent = first.value?.type === 'session' ? first.value : null
    return {
      stored: sessionEvent && { sessionId: sessionEvent.session_id, questionId: sessionEvent.user_message_id },
      parts: partsOf(events),
    }
  }

  const unstoredAnswerParts = (caller: Caller, question: AssistantQuestion, signal: AbortSignal) => {
    const { turns, ...conversation } = conversationOf(question)
    const offeredTools = readTools(question)
    const format = readFormat(question.response_format)
    const isPlain = offeredTools.tools.length === 0 && turns.length === 0 && format === undefined
    const program = isPlain ? undefined : { ...offeredTools, turns, format }
    return chat.answerProgram(caller, { ...conversation, program }, signal)
  }

  /** The assistant's answer as a stream. @throws the errors of `complete`. */
  const answer = async (
    caller: Caller,
    question: AssistantQuestion,
    signal: AbortSignal,
  ): Promise<{ stored: StoredQuestion | null; deltas: AsyncGenerator<Delta, FinishedAnswer> }> => {
    requireAnswerable(question)
    const stopping = new AbortController()
    const answerSignal = AbortSignal.any([signal, stopping.signal])
    const { stored, parts } = question.isStored
      ? await startStoredAnswer(caller, question, answerSignal)
      : { stored: null, parts: unstoredAnswerParts(caller, question, answerSignal) }
    const stops = createStopWordFilter(question.stops ?? [])
    return { stored, deltas: deltasOf(parts, { stops, stop: () => stopping.abort(), addressOf }) }
  }

  /** Id of the embedding model that runs on this server, if it's in use. */
  const localModels = (): string[] => {
    const { state, engine, model } = ai.checks().embedding
    return state !== 'off' && engine === 'local' && model !== undefined ? [model] : []
  }

  return {
    /** Ids of all models: the assistant, the connected models, then the one on this server. */
    models: async () => [...new Set([ASSISTANT_MODEL, ...(await connectedModels()).keys(), ...localModels()])],

    relayOf,

    answer,

    embed: (request: EmbeddingsRequest, signal: AbortSignal) => embed({ ai, relayOf }, request, signal),

    /**
     * Answers a conversation. An answer in a stored conversation continues after the client disconnects; any other ends
     * with the signal.
     * @throws NotFoundError for an unknown model or conversation, BadRequestError for options that the assistant doesn't
     *   support, EngineError, and the errors of sending a message.
     */
    async complete(caller: Caller, request: CompletionRequest, signal: AbortSignal): Promise<CompletionResult> {
      if (request.model !== ASSISTANT_MODEL) return relayCompletion(request, signal)
      requireNoFunctions(request)
      const session_id = sessionIdOf(request)
      const { messages, tools, tool_choice, parallel_tool_calls, n, response_format } = request
      const stops = [request.stop ?? []].flat()
      const isStored = request.store === true || session_id !== undefined
      const sentTools = { tools, tool_choice, parallel_tool_calls }
      const question = { messages, ...sentTools, n, response_format, stops, isStored, continues: { session_id } }
      const { stored, deltas } = await answer(caller, question, signal)
      const head: CompletionHead = {
        id: `chatcmpl-${newId()}`,
        created: Math.floor(Date.now() / 1000),
        model: request.model,
        ...(stored === null ? {} : { metadata: { session_id: stored.sessionId } }),
      }
      if (!request.stream) {
        for (let next = await deltas.next(); ; next = await deltas.next()) {
          if (next.done) return { kind: 'whole', body: wholeCompletion(head, next.value) }
        }
      }
      // Waits for the first event, so that an error before it gets its own HTTP status.
      const first = await deltas.next()
      const wantsUsage = request.stream_options?.include_usage === true
      return { kind: 'streamed', events: encode(head, first, deltas, wantsUsage) }
    },
  }
}

/** @throws BadRequestError for options that only connected models support. */
function requireAnswerable({ isStored, tool_choice, n, response_format }: AssistantQuestion): void {
  if (isStored && requiresTool(tool_choice)) throw storedToolsError('tool_choice')
  if (isStored && readFormat(response_format) !== undefined) {
    throw new BadRequestError(
      'Answers in a stored conversation are text: for another format, don’t store the conversation.',
      {
        errors: [{ path: 'response_format', message: 'not supported in a stored conversation' }],
      },
    )
  }
  if (n !== null && n !== undefined && n !== 1) {
    throw new BadRequestError('The assistant gives one answer: leave out `n`.', {
      errors: [{ path: 'n', message: 'must be 1' }],
    })
  }
}

/** @throws BadRequestError, since a program whose functions are never called would do nothing and not say so. */
function requireNoFunctions({ functions }: CompletionRequest): void {
  if (!functions?.length) return
  throw new BadRequestError('The assistant calls functions only as `tools`: send them there.', {
    code: 'functions_not_supported',
    errors: [{ path: 'functions', message: 'must be sent as tools' }],
  })
}

function storedToolsError(path: string): BadRequestError {
  return new BadRequestError(
    'In a stored conversation the assistant calls only its own tools. To use yours, send the whole conversation without storing it.',
    { code: 'tools_not_supported', errors: [{ path, message: 'not supported in a stored conversation' }] },
  )
}

/** @throws BadRequestError */
function sessionIdOf({ metadata }: CompletionRequest): string | undefined {
  const sessionId = metadata?.session_id
  if (sessionId === undefined || sessionId === null) return undefined
  if (z.uuid().safeParse(sessionId).success) return String(sessionId)
  throw new BadRequestError('metadata.session_id must be the id of a conversation.')
}

interface DeltaOptions {
  stops: StopWordFilter
  /** Ends the answer; nothing more is sent. */
  stop(): void
  addressOf(path: string): string
}

/** Yields the deltas of an answer, and returns the whole answer. */
async function* deltasOf(
  parts: AsyncIterable<AnswerPart>,
  { stops, stop, addressOf }: DeltaOptions,
): AsyncGenerator<Delta, FinishedAnswer> {
  let [content, reasoning] = ['', '']
  let sources: Source[] = []
  let calls: ProgramCall[] = []
  let usage: Usage | null = null
  let stopReason: AnswerStopReason | undefined
  const textDelta = (text: string): Delta[] => {
    content += text
    return text === '' ? [] : [{ content: text }]
  }
  for await (const part of parts) {
    if (part.type === 'text') yield* textDelta(stops.add(part.text))
    else if (part.type === 'reasoning') {
      reasoning += part.text
      yield { reasoning_content: part.text }
    } else if (part.type === 'rethink' || part.type === 'again') {
      const thoughts = reasoning + content + stops.end()
      reasoning = part.type === 'rethink' ? thoughts : ''
      content = ''
    } else if (part.type === 'sources') sources = part.sources
    else if (part.type === 'calls') {
      calls = part.calls.map((call) => ({ ...call, id: `call_${newId().replaceAll('-', '')}` }))
    } else if (part.type === 'end') {
      usage = part.usage
      stopReason = part.stopReason
    }
    if (stops.hasStopped) {
      stop()
      break
    }
  }
  yield* textDelta(stops.end())
  const citedSources = sources.filter(({ n }) => content.includes(`[${n}]`))
  const finishReason: FinishReason = calls.length > 0 ? 'tool_calls' : (stopReason ?? 'stop')
  return {
    content,
    reasoning,
    annotations: annotationsOf(content, citedSources, addressOf),
    calls,
    usage,
    finishReason,
  }
}

/** A streamed answer; an error ends it with the protocol's error event. */
async function* encode(
  head: CompletionHead,
  first: IteratorResult<Delta, FinishedAnswer>,
  rest: AsyncGenerator<Delta, FinishedAnswer>,
  wantsUsage: boolean,
): AsyncGenerator<string> {
  const event = (data: unknown) => encodeSse({ data: JSON.stringify(data) })
  yield event(completionChunk(head, { role: 'assistant', content: '' }))
  try {
    let next = first
    for (; !next.done; next = await rest.next()) yield event(completionChunk(head, next.value))
    const { annotations, calls, usage, finishReason } = next.value
    if (calls.length > 0) yield event(completionChunk(head, callsDelta(calls)))
    yield event(completionChunk(head, annotations.length > 0 ? { annotations } : {}, finishReason))
    if (wantsUsage) yield event(usageChunk(head, usage))
    yield encodeSse({ data: SSE_DONE })
  } catch (error) {
    yield event(errorBody(error))
  }
}

/** The events of a stored answer. */
async function* chatEvents(encoded: AsyncIterable<string>) {
  for await (const { data } of decodeSse(encoded)) {
    if (data !== SSE_DONE) yield JSON.parse(data) as StoredEvent
  }
}

/** Chat events that are used here. */
type StoredEvent =
  | { type: 'session'; session_id: string; user_message_id: string }
  | { type: 'chunk' | 'reasoning'; content: string }
  | { type: 'sources'; sources: Source[] }
  | { type: 'complete'; usage: Usage | null; stop_reason?: AnswerStopReason }
  | { type: 'error'; content: string; code: string; told?: CodedSentence[] }
  | { type: 'agent' }

/** Parts of an answer after its first event. */
async function* partsOf(events: AsyncIterable<StoredEvent>): AsyncGenerator<AnswerPart> {
  for await (const event of events) {
    if (event.type === 'chunk') yield { type: 'text', text: event.content }
    else if (event.type === 'reasoning') yield { type: 'reasoning', text: event.content }
    else if (event.type === 'sources') yield { type: 'sources', sources: event.sources }
    else if (event.type === 'complete') yield { type: 'end', usage: event.usage, stopReason: event.stop_reason }
    else if (event.type === 'session') yield { type: 'again' }
    else if (event.type === 'error') throw new EngineError(event.content, { code: event.code, sentences: event.told })
  }
}
