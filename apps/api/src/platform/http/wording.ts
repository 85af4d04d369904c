import type { FastifyInstance } from 'fastify'
import { forUsersIn, runForCaller } from '../messages/audience.ts'
import { isAdminCall } from './access.ts'

/** True when a caller may see URLs of model servers and names of variables. */
export const mayKnowSetup = isAdminCall

/** Hides URLs of servers and names of variables from all but administrators, who alone receive such sentences. */
export function wordForCallers(app: FastifyInstance): void {
  // after the body was read, because its events would lose the context
  app.addHook('preValidation', (request, _reply, done) => runForCaller(mayKnowSetup(request), done))
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    done(null, mayKnowSetup(request) ? payload : forUsersIn(payload))
  })
}
