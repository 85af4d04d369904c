import type { FastifyInstance } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../platform/http/access.ts'
import { callerOf } from '../../platform/http/caller-of.ts'
import { serve } from '../../platform/http/serve.ts'
import type { EmbeddingSwitchService } from './indexing/embedding-switch.service.ts'
import type { MemoryService } from './memory.service.ts'

/** /admin/embeddings: the models that prepared the memory for searching by meaning, for administrators. */
export async function embeddingsRoutes(
  app: FastifyInstance,
  { embeddingSwitch }: { embeddingSwitch: EmbeddingSwitchService },
): Promise<void> {
  serve(app, 'GET /admin/embeddings', async () => embeddingSwitch.profiles())

  serve(app, 'POST /admin/embeddings/:id/drop', async (request, reply) => {
    await embeddingSwitch.drop(request.params.id)
    return reply.code(204).send()
  })
}

/** /media/search and /memory: search of the caller's memory. */
export async function memoryRoutes(app: FastifyInstance, { memory }: { memory: MemoryService }): Promise<void> {
  serve(app, 'GET /media/search', async (request) => {
    return memory.search({ ...callerOf(request), isTyping: true }, request.query)
  })

  serve(app, 'POST /memory/opened', async (request, reply) => {
    const { search_id: searchId, result_id: resultId } = request.body
    const countsInAnalytics = !isAnalyticsOff(request)
    await memory.recordOpened({ userId: principalOf(request).user.id, searchId, resultId, countsInAnalytics })
    return reply.code(204).send()
  })
}
