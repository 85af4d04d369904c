import { withoutSetupIn } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { isAdminCall } from './access.ts'

/** True when a caller may see addresses of model servers and names of variables. */
export const mayKnowSetup = isAdminCall

/** Addresses of servers and names of variables are only for administrators: other users receive the rest. */
export function hideSetup(app: FastifyInstance): void {
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    done(null, mayKnowSetup(request) ? payload : withoutSetupIn(payload))
  })
}
