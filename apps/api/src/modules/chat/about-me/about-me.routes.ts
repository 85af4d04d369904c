import {
  createFactSchema,
  factSchema,
  factsQuerySchema,
  factsResponseSchema,
  idParamsSchema,
  instructionsSchema,
  updateFactSchema,
  updateInstructionsSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { AboutMeService } from './about-me.service.ts'

/** /me/instructions and /me/facts: what the assistant keeps in mind of the caller. */
export async function aboutMeRoutes(fastify: FastifyInstance, { aboutMe }: { aboutMe: AboutMeService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/me/instructions',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Read what holds in every conversation of the caller',
        tags: ['My data'],
        response: { 200: instructionsSchema },
      },
    },
    async (request) => aboutMe.instructions(principalOf(request).user.id),
  )

  app.patch(
    '/me/instructions',
    {
      config: { access: 'user', answersStored: true },
      schema: {
        summary: 'Change what holds in every conversation of the caller',
        description: 'What is left out stays; an empty text takes it back. It holds from the next answer on.',
        tags: ['My data'],
        body: updateInstructionsSchema,
        response: { 200: instructionsSchema },
      },
    },
    async (request) => aboutMe.updateInstructions(principalOf(request).user.id, request.body),
  )

  app.get(
    '/me/facts',
    {
      config: { access: 'user' },
      schema: {
        summary: 'List the remembered facts',
        description: 'The newest first. `query` is looked for in their texts.',
        tags: ['My data'],
        querystring: factsQuerySchema,
        response: { 200: factsResponseSchema },
      },
    },
    async (request) => aboutMe.facts(principalOf(request).user.id, request.query),
  )

  app.post(
    '/me/facts',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Have a fact remembered',
        description: 'The same text again answers 200 with the fact that is there.',
        tags: ['My data'],
        body: createFactSchema,
        response: { 200: factSchema, 201: factSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      const { fact, isNew } = await aboutMe.addFact(principalOf(request).user.id, request.body)
      return reply.code(isNew ? 201 : 200).send(fact)
    },
  )

  app.patch(
    '/me/facts/:id',
    {
      config: { access: 'user', answersStored: true },
      schema: {
        summary: 'Change a remembered fact',
        tags: ['My data'],
        params: idParamsSchema,
        body: updateFactSchema,
        response: { 200: factSchema },
      },
    },
    async (request) => aboutMe.updateFact(principalOf(request).user.id, request.params.id, request.body),
  )

  app.delete(
    '/me/facts/:id',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Forget a remembered fact',
        tags: ['My data'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await aboutMe.removeFact(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )
}
