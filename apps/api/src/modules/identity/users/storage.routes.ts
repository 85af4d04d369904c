import { idParamsSchema, storageUseSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { StorageService } from './storage.service.ts'

/** Routes for storage use: the caller's own, and everyone's for administrators. */
export async function storageRoutes(fastify: FastifyInstance, { storage }: { storage: StorageService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/me/storage',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Read how much the caller stores, and may',
        tags: ['My data'],
        response: { 200: storageUseSchema },
      },
    },
    async (request) => storage.useOf(principalOf(request).user.id),
  )

  app.get(
    '/admin/users/:id/storage',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Read how much a user stores, and may',
        tags: ['Admin'],
        params: idParamsSchema,
        response: { 200: storageUseSchema },
      },
    },
    async (request) => storage.useOf(request.params.id),
  )
}
