import { can, type Language } from '@mira/shared'
import type { FastifyRequest } from 'fastify'
import type { Asker } from '../asker.ts'
import { isAnalyticsOff, principalOf } from './access.ts'

/** Whoever makes a request, as the assistant knows them. */
export function askerOf(request: FastifyRequest): Asker {
  const { user, language, timeZone } = principalOf(request)
  return {
    userId: user.id,
    language: language as Language,
    timeZone,
    canUseAgents: can(user, 'agents'),
    canSearchMemory: can(user, 'upload'),
    inAnalytics: !isAnalyticsOff(request),
  }
}
