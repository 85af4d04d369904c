import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { lastMessage, type OpenAiServer, startOpenAiServer } from '../../apps/api/test/openai-server.ts'
import type { Embed } from './ranking-baselines.ts'

export const CHAT_MODEL = 'bench-chat'
export const TRANSCRIPTION_MODEL = 'bench-whisper'
const TEST_EMBEDDING = 'test-embedding'
const DIMENSIONS = 1024
const BATCH_SIZE = 64

/** Passage of the memory in a prompt. */
export interface PromptPassage {
  n: number
  kind: string
  file?: string
  text: string
}

/** Mock model server: answers by rule, records prompts, and embeds with the engine. */
export interface MockModelServer {
  /** Ends with /v1. */
  baseUrl: string
  server: OpenAiServer
  embeddingModel: string | null
  embed: Embed | null
  /** Answers by message; other messages get a neutral one. */
  answers: Map<string, string>
  /** Removes and returns the passages sent with this message; null when the message was not received. */
  takePassages(text: string): PromptPassage[] | null
  close(): Promise<void>
}

/**
 * Starts the server with an embedding engine: `none`, `bag-of-words`, or the base URL of a server that embeds.
 * @param latencyMs delay before each request is forwarded.
 */
export async function startMockModelServer(
  engine: string,
  model: string | undefined,
  latencyMs = 0,
): Promise<MockModelServer> {
  const server = await startOpenAiServer()
  const isRemote = /^https?:/.test(engine)
  if (!isRemote && engine !== 'none' && engine !== 'bag-of-words') throw new Error(`There is no engine “${engine}”.`)
  const embeddingModel = engine === 'none' ? null : isRemote ? (model ?? (await firstModel(engine))) : TEST_EMBEDDING
  server.models = [CHAT_MODEL, TRANSCRIPTION_MODEL, ...(embeddingModel === null ? [] : [embeddingModel])]
  server.embeddings = { dimensions: DIMENSIONS }
  const answers = new Map<string, string>()
  server.defaultResponse = (request) => ({
    text: answers.get(questionOf(lastMessage(request))) ?? 'I have noted that.',
  })
  const front = await startFront(server.baseUrl, isRemote ? engine : null, latencyMs)
  return {
    ...{ baseUrl: front.baseUrl, server, embeddingModel, answers },
    embed: embeddingModel === null ? null : (texts) => embedAll(front.baseUrl, embeddingModel, texts),
    takePassages(text) {
      const isMatch = (message: string) => questionOf(message) === text.trim()
      const match = server.chats().findLast((request) => isMatch(lastMessage(request)))
      if (match === undefined) return null
      server.requests.splice(server.requests.indexOf(match), 1)
      return passagesOf(lastMessage(match))
    },
    async close() {
      await front.close()
      await server.close()
    },
  }
}

const memoryBlock = /<memory>\n(.*?)\n<\/memory>/s

const questionOf = (message: string) => message.replace(memoryBlock, '').trim()

function passagesOf(message: string): PromptPassage[] {
  const lines = memoryBlock.exec(message)?.[1]?.split('\n') ?? []
  return lines.map((line) => JSON.parse(line) as PromptPassage)
}

async function firstModel(baseUrl: string): Promise<string> {
  const { data } = (await (await fetch(`${baseUrl}/models`)).json()) as { data: { id: string }[] }
  if (!data[0]) throw new Error(`${baseUrl} has no model.`)
  return data[0].id
}

async function embedAll(baseUrl: string, model: string, texts: string[]): Promise<number[][]> {
  const vectors: number[][] = []
  for (let offset = 0; offset < texts.length; offset += BATCH_SIZE) {
    const response = await fetch(`${baseUrl}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, input: texts.slice(offset, offset + BATCH_SIZE) }),
    })
    if (!response.ok) throw new Error(`embedding failed with ${response.status}: ${await response.text()}`)
    const { data } = (await response.json()) as { data: { embedding: number[] }[] }
    vectors.push(...data.map(({ embedding }) => embedding))
  }
  return vectors
}

/** Proxy with one URL for both: embedding requests go to the engine, all others to the mock server. */
async function startFront(chatUrl: string, embeddingUrl: string | null, latencyMs: number) {
  const forward = async (incoming: IncomingMessage, response: ServerResponse) => {
    if (latencyMs > 0) await sleep(latencyMs)
    const path = (incoming.url ?? '').replace(/^\/v1/, '')
    const base = embeddingUrl !== null && path === '/embeddings' ? embeddingUrl : chatUrl
    const { host: _, ...headers } = incoming.headers
    const upstream = httpRequest(`${base}${path}`, { method: incoming.method ?? 'GET', headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    incoming.pipe(upstream)
  }
  const http = createServer((incoming, response) => void forward(incoming, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    close: () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}
