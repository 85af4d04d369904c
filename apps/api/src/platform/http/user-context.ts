import type { FastifyInstance } from 'fastify'
import { runAsUser } from '../lib/current-user.ts'

/** Runs handlers in the caller's context, for fair semaphores; registered after `requireAccess`. */
export function runHandlersAsCaller(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => runAsUser(request.principal?.user.id ?? null, done))
}
