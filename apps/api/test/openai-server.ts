import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, plainCompletion, streamAnswer } from './openai-answers.ts'
import { answerCaption, type CaptionBehaviour, hasPictures } from './openai-captions.ts'
import { answerEmbeddings, type EmbeddingBehaviour } from './openai-embeddings.ts'
import { answerImageEdit, answerImageGeneration, type ImageEditBehaviour } from './openai-image-edits.ts'
import { answerRerank, type RerankBehaviour } from './openai-rerank.ts'
import { answerSpeech, type SpeechBehaviour } from './openai-speech.ts'
import { answerTranscription, type TranscriptionBehaviour } from './openai-transcriptions.ts'
import { type RecordedRequest, readBody, sendError, sendJson, type WireError } from './openai-wire.ts'

/** A model for chat and images, and one each for embeddings, transcription and speech. */
const MODELS = ['test-model', 'test-embedding', 'test-whisper', 'test-tts']

/** An OpenAI-compatible server over real HTTP with scripted responses. */
export interface OpenAiServer {
  /** Ends with /v1. */
  baseUrl: string
  /** All requests, oldest first. */
  requests: RecordedRequest[]
  /** Only the streamed chat requests, oldest first. */
  chats(): RecordedRequest[]
  /** Ids of GET /v1/models, or whole entries. */
  models: (string | Record<string, unknown>)[]
  /** Error of GET /v1/models instead of its list. */
  modelsError: WireError | undefined
  /** Default response to chat requests. */
  defaultResponse: Answer | ((request: RecordedRequest) => Answer)
  /** Response to requests without streaming (titles, summaries). */
  completionText: string
  /** Failure of those requests: an error, or a request that never ends. */
  completionFailure: WireError | 'hang' | undefined
  /** Response to images in requests without streaming: their captions. */
  captions: CaptionBehaviour
  embeddings: EmbeddingBehaviour
  rerank: RerankBehaviour
  transcriptions: TranscriptionBehaviour
  imageEdits: ImageEditBehaviour
  speech: SpeechBehaviour
  /** Answers the next streamed chat requests, one each. */
  next(...answers: Answer[]): void
  /** Answers every streamed chat request whose last user message contains these words; the newest rule wins. */
  when(words: string, answer: Answer | ((request: RecordedRequest) => Answer)): void
  /** Clears rules, queued answers and records. */
  reset(): void
  /** Breaks every connection and stops listening; `listen` starts again on the same port. */
  stop(): Promise<void>
  listen(): Promise<void>
  close(): Promise<void>
}

/** Text of the last message of a role. */
export function lastMessage(request: RecordedRequest, role = 'user'): string {
  const content = request.body.messages?.findLast((message) => message.role === role)?.content
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join(' ') : ''
}

/** System prompt, user message and tools of a chat request. */
export function promptOf({ chats }: Pick<OpenAiServer, 'chats'>, index = 0) {
  const request = chats()[index]
  if (request === undefined) throw new Error(`The model got no request ${index}.`)
  return {
    system: lastMessage(request, 'system'),
    user: lastMessage(request),
    tools: JSON.stringify(request.body.tools ?? []),
  }
}

const echo = (request: RecordedRequest): Answer => ({ text: `You said: ${lastMessage(request)}` })

/** Tool results since the last user message, as sent to the model. */
export function toolResults(request: RecordedRequest): string[] {
  const messages = request.body.messages ?? []
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user')
  return messages.slice(lastQuestion + 1).flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []))
}

/** Starts the server on `port` or a free port of 127.0.0.1; by default it repeats the last user message. */
export async function startOpenAiServer(options: { port?: number } = {}): Promise<OpenAiServer> {
  let queue: Answer[] = []
  let rules: { words: string; answer: Answer | ((request: RecordedRequest) => Answer) }[] = []
  let port = options.port ?? 0

  const server: OpenAiServer = {
    baseUrl: '',
    requests: [],
    chats: () => server.requests.filter(({ path, body }) => path === '/v1/chat/completions' && body.stream === true),
    models: [...MODELS],
    modelsError: undefined,
    defaultResponse: echo,
    completionText: 'A short title',
    completionFailure: undefined,
    captions: {},
    embeddings: {},
    rerank: {},
    transcriptions: {},
    imageEdits: {},
    speech: {},
    next: (...answers) => void queue.push(...answers),
    when: (words, answer) => void rules.unshift({ words, answer }),
    reset() {
      queue = []
      rules = []
      server.requests.length = 0
      server.models = [...MODELS]
      server.modelsError = undefined
      server.defaultResponse = echo
      server.completionText = 'A short title'
      server.completionFailure = undefined
      server.captions = {}
      server.embeddings = {}
      server.rerank = {}
      server.transcriptions = {}
      server.imageEdits = {}
      server.speech = {}
    },
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
    listen: () =>
      new Promise((resolve, reject) => {
        http.once('error', reject)
        http.listen(port, '127.0.0.1', () => {
          port = (http.address() as AddressInfo).port
          server.baseUrl = `http://127.0.0.1:${port}/v1`
          resolve()
        })
      }),
    close: () => (http.listening ? server.stop() : Promise.resolve()),
  }

  const chooseAnswer = (request: RecordedRequest): Answer => {
    const queued = queue.shift()
    if (queued) return queued
    const question = lastMessage(request)
    const chosen = rules.find(({ words }) => question.includes(words))?.answer ?? server.defaultResponse
    return typeof chosen === 'function' ? chosen(request) : chosen
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request: RecordedRequest = {
      method: incoming.method ?? '',
      path: (incoming.url ?? '').split('?')[0] ?? '',
      authorization: incoming.headers.authorization,
      body: await readBody(incoming),
      receivedAt: Date.now(),
      abandonedAt: undefined,
      answeredAt: undefined,
    }
    server.requests.push(request)
    response.on('close', () => {
      if (response.writableFinished) request.answeredAt = Date.now()
      else request.abandonedAt = Date.now()
    })
    switch (`${request.method} ${request.path}`) {
      case 'GET /v1/models':
        if (server.modelsError) return sendError(response, server.modelsError)
        return sendJson(response, { object: 'list', data: server.models.map(modelEntry) })
      case 'POST /v1/chat/completions':
        if (request.body.stream) return streamAnswer(request, response, chooseAnswer(request))
        if (server.completionFailure === 'hang') return
        if (server.completionFailure) return sendError(response, server.completionFailure)
        return hasPictures(request)
          ? answerCaption(request, response, server.captions)
          : sendJson(response, plainCompletion(request, server.completionText))
      case 'POST /v1/responses':
        return sendJson(response, { id: 'resp_theirs', object: 'response', status: 'completed', output: [] })
      case 'POST /v1/embeddings':
        return answerEmbeddings(request, response, server.embeddings)
      case 'POST /v1/rerank':
        return answerRerank(request, response, server.rerank)
      case 'POST /v1/audio/transcriptions':
        return answerTranscription(request, response, server.transcriptions)
      case 'POST /v1/audio/speech':
        return answerSpeech(request, response, server.speech)
      case 'POST /v1/images/edits':
        return answerImageEdit(request, response, server.imageEdits)
      case 'POST /v1/images/generations':
        return answerImageGeneration(request, response, server.imageEdits)
      default:
        return sendError(response, { status: 404, message: `No such path: ${request.path}` })
    }
  }

  const http = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await server.listen()
  return server
}

function modelEntry(model: string | Record<string, unknown>): Record<string, unknown> {
  return typeof model === 'string' ? { id: model, object: 'model', created: 0, owned_by: 'test' } : model
}
