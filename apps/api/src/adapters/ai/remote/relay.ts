import OpenAI from 'openai'
import type { Relay } from '../relay.ts'
import type { Connection } from './connection.ts'
import { asEngineError } from './errors.ts'

/** Passes requests of programs on to the server, as they are, and its answers back. */
export function createRelay(connection: Connection, chatModel: () => string | null): Relay {
  const { client, address, firstTokenTimeoutMs } = connection

  return {
    async models() {
      if (!connection.hasListed()) await connection.probe()
      connection.refresh()
      const named = chatModel()
      return [...new Set([...connection.models().map(({ id }) => id), ...(named === null ? [] : [named])])]
    },

    async post(path, body, signal) {
      const model = String(body.model)
      const deadline = new AbortController()
      const timer = setTimeout(() => deadline.abort(), firstTokenTimeoutMs)
      try {
        const response = await client
          .post(path, { body, signal: AbortSignal.any([signal, deadline.signal]), maxRetries: 0 })
          .asResponse()
        connection.answered()
        return { contentType: response.headers.get('content-type') ?? 'application/json', body: response.body }
      } catch (error) {
        signal.throwIfAborted()
        const timedOut = deadline.signal.aborted ? new OpenAI.APIConnectionTimeoutError() : error
        throw asEngineError(connection.readFailure(timedOut, { address, model, variable: 'CHAT_MODEL' }, false), error)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
