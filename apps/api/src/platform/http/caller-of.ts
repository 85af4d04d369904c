import { can, type Language, type TokenScope } from '@mira/shared'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../caller.ts'
import { runAsUser } from '../lib/current-user.ts'
import { isAnalyticsOff, principalOf } from './access.ts'

/** Signal that is aborted when the client disconnects before the response is complete. */
export function abortOnDisconnect(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new DOMException('The caller went away.', 'AbortError'))
  })
  return controller.signal
}

/** Runs handlers in the caller's context, for fair semaphores; register after `requireAccess`. */
export function runHandlersAsCaller(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => runAsUser(request.principal?.user.id ?? null, done))
}

/** The caller of a request and what their answers may use, which an API token's scopes limit. */
export function callerOf(request: FastifyRequest): Caller {
  const { user, language, timeZone, scopes, credentialId } = principalOf(request)
  const hasScope = (scope: TokenScope) => scopes === null || scopes.includes(scope)
  return {
    userId: user.id,
    language: language as Language,
    timeZone,
    canUseAgents: can(user, 'agents') && hasScope('agents'),
    canSearchMemory: can(user, 'upload') && hasScope('read'),
    canReadStored: hasScope('read'),
    chatTokenId: hasScope('read') ? null : credentialId,
    canKeepFacts: hasScope('write'),
    countsInAnalytics: !isAnalyticsOff(request),
  }
}
