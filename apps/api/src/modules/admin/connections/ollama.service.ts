import type { Ollama as OllamaAnswer, OllamaPullEvent } from '@mira/shared'
import type { Ollama, OllamaPlace } from '../../../engines/remote/ollama.ts'
import { AppError, ConflictError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'

export interface OllamaDeps {
  ollama: Ollama
  /** Address of a connection. @throws NotFoundError */
  placeOf(connectionId: string): Promise<OllamaPlace>
  /** Asks a connection for its models, so that what is new can be picked at once. */
  askAgain(connectionId: string): Promise<unknown>
  log: Log
}

export type OllamaService = ReturnType<typeof createOllamaService>

/** No more often is it told how far a model is. */
const TELL_EVERY_MS = 250

/** The models of connected Ollamas: listed with their sizes, fetched, removed. */
export function createOllamaService({ ollama, placeOf, askAgain, log }: OllamaDeps) {
  const pulling = new Set<string>()

  return {
    /** @throws NotFoundError for a connection that is not there. */
    async describe(connectionId: string): Promise<OllamaAnswer> {
      const found = await ollama.describe(await placeOf(connectionId))
      const models = found?.models.map(({ name, sizeBytes }) => ({ name, size_bytes: sizeBytes })) ?? []
      return { version: found?.version ?? null, models }
    },

    /**
     * Begins to fetch a model; what is given tells how it goes, and the fetching ends with the signal.
     * @throws NotFoundError for a connection that is not there, ConflictError while the same is fetched.
     */
    async pull(connectionId: string, model: string): Promise<(signal: AbortSignal) => AsyncIterable<OllamaPullEvent>> {
      const place = await placeOf(connectionId)
      const key = `${connectionId} ${model}`
      if (pulling.has(key)) throw new ConflictError('This model is being fetched already.', { code: 'already_pulling' })
      return async function* (signal) {
        pulling.add(key)
        let toldAt = 0
        try {
          for await (const { completedBytes, totalBytes } of ollama.pull(place, model, signal)) {
            if (performance.now() - toldAt < TELL_EVERY_MS && completedBytes < totalBytes) continue
            toldAt = performance.now()
            yield { state: 'pulling', completed_bytes: completedBytes, total_bytes: totalBytes }
          }
          await askAgain(connectionId)
          yield { state: 'done' }
        } catch (error) {
          // whoever left has stopped it
          if (signal.aborted) return
          if (!(error instanceof AppError)) log.error({ err: error }, 'a model could not be fetched by Ollama')
          yield { state: 'failed', detail: error instanceof AppError ? error.message : 'Something went wrong.' }
        } finally {
          pulling.delete(key)
        }
      }
    },

    /** @throws NotFoundError, UnavailableError whose sentence says what is wrong. */
    async remove(connectionId: string, model: string): Promise<void> {
      await ollama.remove(await placeOf(connectionId), model)
      await askAgain(connectionId)
    },
  }
}
