import type { FastifyInstance } from 'fastify'
import { forUsersIn, runForCaller } from '../messages/audience.ts'
import { isAdminCall } from './access.ts'

/** True when a caller may see URLs of model servers and names of variables. */
export const mayKnowSetup = isAdminCall

/** Rewords the sentences of responses for their caller: only administrators see URLs of servers and names of variables. */
export function wordForCallers(app: FastifyInstance): void {
  // only once the body has been read, because the context would be lost in its events
  app.addHook('preValidation', (request, _reply, done) => runForCaller(mayKnowSetup(request), done))
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    done(null, mayKnowSetup(request) ? payload : forUsersIn(payload))
  })
}
