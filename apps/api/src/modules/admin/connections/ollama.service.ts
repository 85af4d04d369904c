import type { OllamaPullEvent, Ollama as OllamaResponse } from '@mira/shared'
import type { Ollama } from '../../../engines/remote/ollama.ts'
import { AppError, ConflictError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { ConnectionsService } from './connections.service.ts'

export type OllamaService = ReturnType<typeof createOllamaService>

/** Interval of progress events. */
const PROGRESS_INTERVAL_MS = 250

/** Models of connected Ollama servers. */
export function createOllamaService({
  ollama,
  connections,
  log,
}: {
  ollama: Ollama
  connections: ConnectionsService
  log: Log
}) {
  const pulling = new Set<string>()

  return {
    /** @throws NotFoundError without such a connection. */
    async describe(connectionId: string): Promise<OllamaResponse> {
      const server = await ollama.describe(await connections.placeFor(connectionId))
      const models = server?.models.map(({ name, sizeBytes }) => ({ name, size_bytes: sizeBytes })) ?? []
      return { version: server?.version ?? null, models }
    },

    /**
     * Downloads a model.
     * @returns progress events; aborting the signal stops the download.
     * @throws NotFoundError without such a connection, ConflictError while the same model is downloaded.
     */
    async pull(connectionId: string, model: string): Promise<(signal: AbortSignal) => AsyncIterable<OllamaPullEvent>> {
      const place = await connections.placeFor(connectionId)
      const key = `${connectionId} ${model}`
      if (pulling.has(key)) throw new ConflictError('This model is being fetched already.', { code: 'already_pulling' })
      return async function* (signal) {
        pulling.add(key)
        let reportedAt = 0
        try {
          for await (const { completedBytes, totalBytes } of ollama.pull(place, model, signal)) {
            if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS && completedBytes < totalBytes) continue
            reportedAt = performance.now()
            yield { state: 'pulling', completed_bytes: completedBytes, total_bytes: totalBytes }
          }
          await connections.test(connectionId)
          yield { state: 'done' }
        } catch (error) {
          // The client has left.
          if (signal.aborted) return
          if (!(error instanceof AppError)) log.error({ err: error }, 'a model could not be downloaded by Ollama')
          yield { state: 'failed', detail: error instanceof AppError ? error.message : 'Something went wrong.' }
        } finally {
          pulling.delete(key)
        }
      }
    },

    /** @throws NotFoundError, UnavailableError with the reason. */
    async remove(connectionId: string, model: string): Promise<void> {
      await ollama.remove(await connections.placeFor(connectionId), model)
      await connections.test(connectionId)
    },
  }
}
