import type { LoginResponse } from '@mira/shared'
import type { FastifyRequest } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import type { ClientAddressOf } from '../../../platform/http/client-address.ts'
import type { Actor, Visitor } from '../actor.ts'
import { type NewSession, SESSION_LIFETIME_SECONDS } from './begin-session.ts'

/** Dependencies of every route that signs a user in. */
export interface SignInRoutesOptions {
  /** Signs the token of a session. */
  signToken: (session: NewSession) => string
  addressOf: ClientAddressOf
}

export function loginResponse(
  session: NewSession,
  { signToken }: Pick<SignInRoutesOptions, 'signToken'>,
): LoginResponse {
  return { access_token: signToken(session), token_type: 'bearer', expires_in: SESSION_LIFETIME_SECONDS }
}

export function visitorOf(request: FastifyRequest, { addressOf }: Pick<SignInRoutesOptions, 'addressOf'>): Visitor {
  return {
    address: addressOf(request),
    userAgent: request.headers['user-agent'] ?? '',
    inAnalytics: !isAnalyticsOff(request),
  }
}

/** Only for routes that are closed to API tokens: the credential is then a session. */
export function actorOf(request: FastifyRequest, { addressOf }: Pick<SignInRoutesOptions, 'addressOf'>): Actor {
  const { user, credentialId } = principalOf(request)
  return {
    userId: user.id,
    sessionId: credentialId,
    address: addressOf(request),
    inAnalytics: !isAnalyticsOff(request),
  }
}
