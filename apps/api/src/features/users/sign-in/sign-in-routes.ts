import type { LoginAnswer } from '@mira/shared'
import type { FastifyRequest } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../http/access.ts'
import type { ClientAddressOf } from '../../../http/client-address.ts'
import type { Actor } from '../auth.service.ts'
import { type NewSession, SESSION_LIFETIME_SECONDS, type Visitor } from './session-starter.ts'

/** What every route needs that signs somebody in. */
export interface SignInRoutesOptions {
  /** Writes the token of a session. */
  signToken: (session: NewSession) => string
  addressOf: ClientAddressOf
}

/** The token of a session that has just begun. */
export function loginAnswer(session: NewSession, { signToken }: Pick<SignInRoutesOptions, 'signToken'>): LoginAnswer {
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

/** Who acts by which session; only on routes that a personal API token does not open. */
export function actorOf(request: FastifyRequest, { addressOf }: Pick<SignInRoutesOptions, 'addressOf'>): Actor {
  const { user, credentialId } = principalOf(request)
  return { userId: user.id, sessionId: credentialId, address: addressOf(request) }
}
