import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { StorageService } from './storage.service.ts'

/** Routes for storage use: the caller's own, and everyone's for administrators. */
export async function storageRoutes(app: FastifyInstance, { storage }: { storage: StorageService }): Promise<void> {
  serve(app, 'GET /me/storage', async (request) => storage.useOf(principalOf(request).user.id))

  serve(app, 'GET /admin/users/:id/storage', async (request) => storage.useOf(request.params.id))
}
