// A mock model server in a separate process; its answers have 50 tokens, one every 40 ms after MODEL_LATENCY_MS.
import { fork } from 'node:child_process'
import { startOpenAiServer } from '../../apps/api/test/openai-server.ts'

const TOKENS = Array.from({ length: 50 }, (_, n) => `token${n} `)
const TOKEN_DELAY_MS = 40
const DIMENSIONS = 384

/** Text of every complete answer. */
export const ANSWER = TOKENS.join('')

/** Environment variables of a server that uses it. */
export const modelEnvironment = (baseUrl: string) => ({
  OPENAI_BASE_URL: baseUrl,
  CHAT_MODEL: 'test-model',
  EMBEDDING_MODEL: 'test-embedding',
})

/** Starts the model server. @param latencyMs time before the first token. */
export async function startModelProcess(latencyMs = 0): Promise<{ baseUrl: string; stop(): void }> {
  const child = fork(import.meta.filename, { env: { ...process.env, MODEL_LATENCY_MS: String(latencyMs) } })
  const baseUrl = await new Promise<string>((resolve) => child.once('message', (url) => resolve(String(url))))
  return { baseUrl, stop: () => void child.kill() }
}

if (process.argv[1] === import.meta.filename) {
  const server = await startOpenAiServer()
  server.defaultResponse = { text: TOKENS, firstDelayMs: Number(process.env.MODEL_LATENCY_MS), delayMs: TOKEN_DELAY_MS }
  server.embeddings = { dimensions: DIMENSIONS }
  // recorded requests would pile up during the run
  setInterval(() => {
    server.requests.length = 0
  }, 1000)
  process.send?.(server.baseUrl)
}
