import {
  administerPersonaSchema,
  createPersonaSchema,
  idParamsSchema,
  pageQuerySchema,
  personaSchema,
  personasResponseSchema,
  personaToolsSchema,
  updatePersonaSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { PersonasService } from './personas.service.ts'

/** /personas: how the assistant can be: the caller's own personas, and those of everybody. */
export async function personasRoutes(
  fastify: FastifyInstance,
  { personas }: { personas: PersonasService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/personas',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'List the personas',
        description: 'The caller’s own and those shared with everybody, in the order of their names.',
        tags: ['Chat'],
        querystring: pageQuerySchema,
        response: { 200: personasResponseSchema },
      },
    },
    async (request) => personas.list(principalOf(request).user.id, request.query),
  )

  app.get(
    '/personas/tools',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'List what a persona may be allowed to use',
        description:
          'Agents, tools of connected servers and what answers have of their own, as far as the caller may use them.',
        tags: ['Chat'],
        response: { 200: personaToolsSchema },
      },
    },
    async (request) => personas.tools(principalOf(request).user.id),
  )

  app.post(
    '/personas',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Make a persona',
        description: 'Instructions, model, tools, items, a picture and questions to begin with.',
        tags: ['Chat'],
        body: createPersonaSchema,
        response: { 201: personaSchema },
        errors: [404, 409],
      },
    },
    async (request, reply) => reply.code(201).send(await personas.add(principalOf(request).user.id, request.body)),
  )

  app.patch(
    '/personas/:id',
    {
      config: { access: 'chat', answersStored: true },
      schema: {
        summary: 'Change a persona',
        description: 'What is left out stays. One that is shared is changed by /admin/personas.',
        tags: ['Chat'],
        params: idParamsSchema,
        body: updatePersonaSchema,
        response: { 200: personaSchema },
        errors: [404, 409],
      },
    },
    async (request) => personas.update(principalOf(request).user.id, request.params.id, request.body),
  )

  app.delete(
    '/personas/:id',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Delete a persona',
        description: 'Its conversations stay.',
        tags: ['Chat'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      await personas.remove(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.patch(
    '/admin/personas/:id',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'persona.changed' },
      schema: {
        summary: 'Share or change a persona',
        description: 'One of the administrator’s own, or one that is shared. Items stay their owner’s.',
        tags: ['Chat'],
        params: idParamsSchema,
        body: administerPersonaSchema,
        response: { 200: personaSchema },
        errors: [403, 404],
      },
    },
    async (request) => personas.administer(principalOf(request).user.id, request.params.id, request.body),
  )

  app.delete(
    '/admin/personas/:id',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'persona.removed' },
      schema: {
        summary: 'Delete a shared persona',
        description: 'Its conversations stay.',
        tags: ['Chat'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await personas.removeShared(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )
}
