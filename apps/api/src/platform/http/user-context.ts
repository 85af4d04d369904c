import type { FastifyInstance } from 'fastify'
import { runAsUser } from '../lib/current-user.ts'

/** Runs every handler on behalf of whoever calls, for the semaphores that it reaches; after `requireAccess`. */
export function runHandlersAsCaller(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => runAsUser(request.principal?.user.id ?? null, done))
}
