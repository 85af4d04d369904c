import { configSchema, healthSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Metrics } from '../../http/metrics.ts'
import type { OpenApiDocument } from '../../http/openapi.ts'
import type { ZodTypeProvider } from '../../http/zod.ts'
import type { SystemService } from './system.service.ts'

interface SystemRoutesOptions {
  system: SystemService
  metrics: Metrics
  openApiDocument: () => OpenApiDocument
  /** Programs on this machine may read the figures without a token. */
  isOpenToLoopback: boolean
}

/** /health, /config, /openapi.json and /metrics: what the server is and whether it works. */
export async function systemRoutes(
  fastify: FastifyInstance,
  { system, metrics, openApiDocument, isOpenToLoopback }: SystemRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  let document: OpenApiDocument | undefined

  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Read whether the server works',
        description: 'Answers 200 also when a part does not work: `status` is `degraded` then.',
        tags: ['Start'],
        response: { 200: healthSchema },
      },
    },
    async () => system.health(),
  )

  app.get(
    '/config',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Read what a client needs before anybody signs in',
        tags: ['Start'],
        response: { 200: configSchema },
      },
    },
    async () => system.config(),
  )

  app.get(
    '/openapi.json',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Read this document',
        tags: ['Start'],
        response: { 200: z.looseObject({ openapi: z.string() }) },
      },
    },
    async () => {
      document ??= openApiDocument()
      return document
    },
  )

  app.get(
    '/metrics',
    {
      config: { access: 'admin', openToLoopback: isOpenToLoopback },
      schema: {
        summary: 'Read the figures of this process for Prometheus',
        description:
          'A program on the same machine needs no token when it calls directly, unless the server is published.',
        tags: ['Start'],
        file: 'text/plain',
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  )
}
