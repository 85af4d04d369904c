import type { FastifyInstance } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { abortOnDisconnect } from '../../../platform/http/caller-of.ts'
import { serve } from '../../../platform/http/serve.ts'
import { presentExistingItem } from '../upload/known-item.ts'
import type { PagesService } from './pages.service.ts'

const statuses = { done: 201, processing: 202, known: 200 } as const

/** POST /pages: saves a web page. */
export async function pagesRoutes(app: FastifyInstance, { pages }: { pages: PagesService }): Promise<void> {
  serve(app, 'POST /pages', async (request, reply) => {
    const owner = { userId: principalOf(request).user.id, countsInAnalytics: !isAnalyticsOff(request) }
    const { item, outcome } = await pages.save(owner, request.body, abortOnDisconnect(reply))
    return reply.code(statuses[outcome]).send(outcome === 'known' ? presentExistingItem(request, item) : item)
  })
}
