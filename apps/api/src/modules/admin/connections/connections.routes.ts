import {
  type ChatModel,
  chatModelSchema,
  connectionParamsSchema,
  connectionSchema,
  newConnectionSchema,
  updateConnectionSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { ConnectionsService } from './connections.service.ts'

interface ConnectionsRoutesOptions {
  connections: ConnectionsService
  /** Models available to conversations. */
  chatModels(): Promise<Omit<ChatModel, 'is_default'>[]>
  /** The one that answers where nobody picked one; null when that is no model of a connection. */
  defaultModel(): string | null
}

const WRITTEN = 'Key and headers are kept encrypted; they are written, and never read.'

/** /admin/connections: model servers, for administrators; /models: what people pick of their models. */
export async function connectionsRoutes(
  fastify: FastifyInstance,
  { connections, chatModels, defaultModel }: ConnectionsRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/models',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'List the models that may be picked for a conversation',
        description: 'Of all connections, each once: the first connection that has it answers.',
        tags: ['Chat'],
        response: { 200: z.array(chatModelSchema) },
      },
    },
    async () => {
      const models = await chatModels()
      const answering = defaultModel()
      return models.map((model) => ({ ...model, is_default: model.id === answering }))
    },
  )

  app.get(
    '/admin/connections',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the connected model servers',
        description: 'The one that the environment describes comes first; it is changed there.',
        tags: ['Admin'],
        response: { 200: z.array(connectionSchema) },
      },
    },
    () => connections.list(),
  )

  app.post(
    '/admin/connections',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'connection.added' },
      schema: {
        summary: 'Connect a model server',
        description: `It holds at once, on every server, and is asked for its models before this answers. ${WRITTEN}`,
        tags: ['Admin'],
        body: newConnectionSchema,
        response: { 201: connectionSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      const made = await connections.add(request.body)
      reply.code(201)
      return made
    },
  )

  app.patch(
    '/admin/connections/:id',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'connection.changed' },
      schema: {
        summary: 'Change a connection',
        description:
          `What is left out stays; an empty key and null remove it. ${WRITTEN} With an address on another host, a key ` +
          'and headers that are not given again are forgotten.',
        tags: ['Admin'],
        params: connectionParamsSchema,
        body: updateConnectionSchema,
        response: { 200: connectionSchema },
        errors: [409],
      },
    },
    async (request) => connections.update(request.params.id, request.body),
  )

  app.delete(
    '/admin/connections/:id',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'connection.removed' },
      schema: {
        summary: 'Remove a connection',
        tags: ['Admin'],
        params: connectionParamsSchema,
        response: { 204: noContentSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      await connections.remove(request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/admin/connections/:id/test',
    {
      config: { access: 'admin', audit: 'connection.tested' },
      schema: {
        summary: 'Ask a connection for its models',
        description: 'What goes wrong is in `check`.',
        tags: ['Admin'],
        params: connectionParamsSchema,
        response: { 200: connectionSchema },
      },
    },
    async (request) => connections.test(request.params.id),
  )
}
