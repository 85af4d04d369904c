import {
  createProjectSchema,
  idParamsSchema,
  pageQuerySchema,
  projectSchema,
  projectsResponseSchema,
  updateProjectSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { ProjectsService } from './projects.service.ts'

/** /projects: what belongs together of the caller's conversations. */
export async function projectsRoutes(
  fastify: FastifyInstance,
  { projects }: { projects: ProjectsService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/projects',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'List the projects',
        description: 'In the order of their names.',
        tags: ['Chat'],
        querystring: pageQuerySchema,
        response: { 200: projectsResponseSchema },
      },
    },
    async (request) => projects.list(principalOf(request).user.id, request.query),
  )

  app.post(
    '/projects',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Make a project',
        description:
          'Its instructions reach the model in each of its conversations, which are answered from its items, or those that its search finds, alone.',
        tags: ['Chat'],
        body: createProjectSchema,
        response: { 201: projectSchema },
        errors: [404, 409],
      },
    },
    async (request, reply) => reply.code(201).send(await projects.add(principalOf(request).user.id, request.body)),
  )

  app.patch(
    '/projects/:id',
    {
      config: { access: 'chat', answersStored: true },
      schema: {
        summary: 'Change a project',
        description: 'What is left out stays.',
        tags: ['Chat'],
        params: idParamsSchema,
        body: updateProjectSchema,
        response: { 200: projectSchema },
        errors: [404, 409],
      },
    },
    async (request) => projects.update(principalOf(request).user.id, request.params.id, request.body),
  )

  app.delete(
    '/projects/:id',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Delete a project',
        description: 'Its conversations stay.',
        tags: ['Chat'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await projects.remove(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )
}
