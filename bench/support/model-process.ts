// A model server in a process of its own, as model servers are: an answer of 50 tokens, one every 40 ms after MODEL_LATENCY_MS.
import { fork } from 'node:child_process'
import { startOpenAiServer } from '../../apps/api/test/openai-server.ts'

const TOKENS = Array.from({ length: 50 }, (_, n) => `token${n} `)
const TOKEN_DELAY_MS = 40
const DIMENSIONS = 384

/** Text of every whole answer. */
export const ANSWER = TOKENS.join('')

/** Variables of a server that uses it. */
export const modelEnvironment = (baseUrl: string) => ({
  OPENAI_BASE_URL: baseUrl,
  CHAT_MODEL: 'test-model',
  EMBEDDING_MODEL: 'test-embedding',
})

/** Starts it. @param latencyMs time before the first token. */
export async function startModelProcess(latencyMs = 0): Promise<{ baseUrl: string; stop(): void }> {
  const child = fork(import.meta.filename, { env: { ...process.env, MODEL_LATENCY_MS: String(latencyMs) } })
  const baseUrl = await new Promise<string>((resolve) => child.once('message', (url) => resolve(String(url))))
  return { baseUrl, stop: () => void child.kill() }
}

if (process.argv[1] === import.meta.filename) {
  const server = await startOpenAiServer()
  server.fallback = { text: TOKENS, firstDelayMs: Number(process.env.MODEL_LATENCY_MS), delayMs: TOKEN_DELAY_MS }
  server.embeddings = { dimensions: DIMENSIONS }
  // what is recorded would grow for as long as the run takes
  setInterval(() => {
    server.requests.length = 0
  }, 1000)
  process.send?.(server.baseUrl)
}
