import { can, type Language, type TokenScope } from '@mira/shared'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../caller.ts'
import { isAnalyticsOff, principalOf } from './access.ts'

/** The caller of a request as the assistant knows them. The scopes of an API token limit what an answer may use. */
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
    inAnalytics: !isAnalyticsOff(request),
  }
}
