import type { LoginResponse } from '@mira/shared'
import type { FastifyRequest } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import type { ClientAddressOf } from '../../../platform/http/client-address.ts'
import type { Actor } from '../users/auth.service.ts'
import { type NewSession, SESSION_LIFETIME_SECONDS, type Visitor } from './session-starter.ts'

/** Dependencies of every route that signs a user in. */
export interface SignInRoutesOptions {
  /** Writes the token of a session. */
  signToken: (session: NewSession) => string
  addressOf: ClientAddressOf
}

/** The token of a session that has just begun. */
export function loginAnswer(session: NewSession, { signToken }: Pick<SignInRoutesOptions, 'signToken'>): LoginResponse {
  return { access_token: signToken(session), token_type: 'bearer', expires_in: SESSION_LIFETIME_SECONDS }
}

/** From where and with what a request comes. */
export function visitorOf(request: FastifyRequest, { addressOf }: Pick<SignInRoutesOptions, 'addressOf'>): Visitor {
  return {
    address: addressOf(request),
    userAgent: request.headers['user-agent'] ?? '',
    inAnalytics: !isAnalyticsOff(request),
  }
}

/** Signed-in user with session; only on routes that are closed to personal API tokens. */
export function actorOf(request: FastifyRequest, { addressOf }: Pick<SignInRoutesOptions, 'addressOf'>): Actor {
  const { user, credentialId } = principalOf(request)
  return { userId: user.id, sessionId: credentialId, address: addressOf(request) }
}
