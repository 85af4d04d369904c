import { configSchema, healthSchema, type SignInWays } from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Metrics } from '../../../platform/http/metrics.ts'
import type { OpenApiDocument } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { HealthService } from './health.service.ts'
import type { ReadPublicConfig } from './public-config.ts'

interface SystemRoutesOptions {
  health: HealthService
  readPublicConfig: ReadPublicConfig
  /** By what people may sign in at the address of a request. */
  signInWays: (request: FastifyRequest) => SignInWays
  metrics: Metrics
  openApiDocument: () => OpenApiDocument
  /** True when the metrics need no sign-in. */
  areMetricsOpen: boolean
}

/** /health, /config, /openapi.json and /metrics: what the server is and whether it works. */
export async function systemRoutes(
  fastify: FastifyInstance,
  { health, readPublicConfig, signInWays, metrics, openApiDocument, areMetricsOpen }: SystemRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  let document: OpenApiDocument | undefined

  app.get(
    '/health',
    {
      config: { access: 'public', tellsCaller: true },
      schema: {
        summary: 'Read whether the server works',
        description:
          'Answers 200 also when a part does not work: `status` is `degraded` then. Addresses of servers are told to administrators alone.',
        tags: ['Start'],
        response: { 200: healthSchema },
      },
    },
    async () => health.health(),
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
    async (request) => ({ ...readPublicConfig(), sign_in: signInWays(request) }),
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
      config: { access: areMetricsOpen ? 'public' : 'admin' },
      schema: {
        summary: 'Read the figures of this process for Prometheus',
        description:
          'Counts and times, nothing of what people do or hold. `METRICS=open` opens it to everybody who reaches the server.',
        tags: ['Start'],
        file: 'text/plain',
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  )
}
