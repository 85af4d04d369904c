import { agentSchema, agentsStatusSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { ZodTypeProvider } from '../../http/zod.ts'
import type { AgentsService } from './agents.service.ts'

/** /agents: which agents there are and how they do. */
export async function agentsRoutes(fastify: FastifyInstance, { agents }: { agents: AgentsService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/agents/available',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'List the agents',
        tags: ['Agents'],
        response: { 200: z.array(agentSchema) },
      },
    },
    async () => agents.available(),
  )

  app.get(
    '/agents/status',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Read how the agents do',
        description: 'Counts everyone’s calls, but for those of people who keep their use out of analytics.',
        tags: ['Agents'],
        response: { 200: agentsStatusSchema },
      },
    },
    async () => agents.status(),
  )
}
