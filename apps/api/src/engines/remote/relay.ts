import { APIConnectionTimeoutError } from 'openai/core/error'
import { EngineError } from '../../errors.ts'
import { say } from '../../sentences.ts'
import type { Relay } from '../engine-types.ts'
import { type Connection, MAX_CALL_MS } from './connection.ts'
import { asEngineError } from './errors.ts'

/** Forwards programs' requests to the server, and its responses back, unchanged. */
export function createRelay(
  connection: Connection,
  chatModel: () => string | null,
  // A model may read a long prompt, or reason silently, for this long; callers may give up earlier.
  { maxSilenceMs = Math.max(MAX_CALL_MS, connection.firstTokenTimeoutMs) }: { maxSilenceMs?: number } = {},
): Relay {
  const { client, address, firstTokenTimeoutMs } = connection

  return {
    async models() {
      // A server that is switched off isn't waited for each time.
      if (!connection.hasListed()) await connection.probeUnlessRecent(connection.probeIntervalMs)
      connection.refresh()
      const defaultModel = chatModel()
      return [
        ...new Set([...connection.models().map(({ id }) => id), ...(defaultModel === null ? [] : [defaultModel])]),
      ]
    },

    async post(path, body, signal) {
      const model = String(body.model)
      const permit = await (body.stream === true ? connection.chats : connection.calls).acquire({ signal })
      // Release the permit on abort, too: nobody may be reading the response any more.
      signal.addEventListener('abort', () => permit[Symbol.dispose](), { once: true })
      const deadline = new AbortController()
      // A response that isn't streamed sends nothing before it's complete.
      const firstByteTimeoutMs =
        path === '/embeddings' ? firstTokenTimeoutMs : body.stream === true ? maxSilenceMs : MAX_CALL_MS
      const timer = setTimeout(() => deadline.abort(), firstByteTimeoutMs)
      try {
        const response = await (await client())
          .post(path, { body, signal: AbortSignal.any([signal, deadline.signal]), maxRetries: 0 })
          .asResponse()
        connection.recordResponse()
        if (response.body === null) permit[Symbol.dispose]()
        return {
          contentType: response.headers.get('content-type') ?? 'application/json',
          body: response.body && limitSilence(response.body, { address, maxSilenceMs, permit }),
        }
      } catch (error) {
        permit[Symbol.dispose]()
        signal.throwIfAborted()
        const failure = deadline.signal.aborted ? new APIConnectionTimeoutError() : error
        throw asEngineError(connection.readFailure(failure, { address, model, variable: 'CHAT_MODEL' }, false), error)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

const END_OF_STREAM = /(^|\n)data: ?\[DONE\]\s*\n\r?\n$/
const END_CHARACTERS = 40

/** Chunks of a response. @throws EngineError when it breaks off or goes silent. */
async function* limitSilence(
  body: ReadableStream<Uint8Array>,
  { address, maxSilenceMs, permit }: { address: string; maxSilenceMs: number; permit: Disposable },
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder('latin1')
  let isSilent = false
  let tail = ''
  try {
    for (;;) {
      const timer = setTimeout(() => {
        isSilent = true
        reader.cancel().catch(() => {})
      }, maxSilenceMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      if (isSilent) {
        throw new EngineError(say('answer_fell_silent', { address }), { code: 'model_timeout' })
      }
      if (done) return
      permit[Symbol.dispose]()
      yield value
      tail = (tail + decoder.decode(value)).slice(-END_CHARACTERS)
      // Some servers keep the connection open after the end of the answer.
      if (END_OF_STREAM.test(tail)) return
    }
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw new EngineError(say('answer_broken_off', { address }), { code: 'answer_cut_off', cause: error })
  } finally {
    permit[Symbol.dispose]()
    // A stream that has ended has nothing to cancel.
    reader.cancel().catch(() => {})
  }
}
