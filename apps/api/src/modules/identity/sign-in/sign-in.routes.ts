import type { LoginResponse } from '@mira/shared'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { NotFoundError } from '../../../errors.ts'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import type { ClientAddressOf } from '../../../platform/http/client-address.ts'
import { createAddressRateLimit } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import { say } from '../../../sentences.ts'
import type { Actor, Visitor } from '../actor.ts'
import { type NewSession, SESSION_LIFETIME_SECONDS } from './begin-session.ts'
import type { InvitationsService } from './invitations.service.ts'
import type { OidcService } from './oidc.service.ts'
import { type PasskeysService, type RelyingParty, relyingPartyOf } from './passkeys.service.ts'
import { TOO_MANY_SIGN_INS } from './sign-in-limits.ts'
import type { TotpService } from './totp.service.ts'

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
    countsInAnalytics: !isAnalyticsOff(request),
  }
}

/** Actor of a request. Only for routes that refuse API tokens, since only then is the credential a session. */
export function actorOf(request: FastifyRequest, { addressOf }: Pick<SignInRoutesOptions, 'addressOf'>): Actor {
  const { user, credentialId } = principalOf(request)
  return {
    userId: user.id,
    sessionId: credentialId,
    address: addressOf(request),
    countsInAnalytics: !isAnalyticsOff(request),
  }
}

interface InvitationsRoutesOptions extends SignInRoutesOptions {
  invitations: InvitationsService
  publicUrl: string | null
}

/** /admin/invitations for administrators, and /auth/invitations for invited users. */
export async function invitationsRoutes(
  app: FastifyInstance,
  { invitations, publicUrl, ...options }: InvitationsRoutesOptions,
): Promise<void> {
  serve(app, 'GET /admin/invitations', async (request, reply) => {
    const { items, nextCursor } = await invitations.list(request.query)
    if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
    return items
  })

  serve(app, 'POST /admin/invitations', async (request, reply) => {
    reply.code(201)
    const invitation = await invitations.create(actorOf(request, options), request.body)
    // The token is in the fragment, which a browser never sends to a server.
    return publicUrl === null ? invitation : { ...invitation, url: `${publicUrl}/invitation#${invitation.token}` }
  })

  serve(app, 'DELETE /admin/invitations/:id', async (request, reply) => {
    await invitations.revoke(actorOf(request, options), request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /auth/invitations/look', async (request) =>
    invitations.preview(request.body.token, options.addressOf(request)),
  )

  serve(app, 'POST /auth/invitations/accept', async (request, reply) => {
    const { token, username, full_name, password } = request.body
    const account = { token, username, fullName: full_name || null, password }
    const session = await invitations.accept({ ...account, ...visitorOf(request, options) })
    reply.code(201)
    return loginResponse(session, options)
  })
}

const SIGN_IN_STARTS_PER_MINUTE = 60

/** /auth/oidc: signing in with the identity provider that the operator configured, and linking it to an account. */
export async function oidcRoutes(
  app: FastifyInstance,
  { oidc, ...options }: SignInRoutesOptions & { oidc: OidcService },
): Promise<void> {
  const limitCalls = createAddressRateLimit({ maxCalls: SIGN_IN_STARTS_PER_MINUTE, sentence: TOO_MANY_SIGN_INS })

  serve(app, 'POST /auth/oidc/start', async (request) => {
    limitCalls(options.addressOf(request))
    return oidc.begin(request.body?.invitation)
  })

  serve(app, 'POST /auth/oidc/link', async (request) =>
    oidc.beginLinking(actorOf(request, options), request.body.current_password),
  )

  serve(app, 'POST /auth/oidc/finish', async (request) =>
    loginResponse(await oidc.finish({ ...visitorOf(request, options), ...request.body }), options),
  )
}

interface PasskeysRoutesOptions extends SignInRoutesOptions {
  passkeys: PasskeysService
  publicUrl: string | null
}

/** /auth/passkeys: signing in with a passkey, and managing the caller's passkeys. */
export async function passkeysRoutes(
  app: FastifyInstance,
  { passkeys, publicUrl, ...options }: PasskeysRoutesOptions,
): Promise<void> {
  const limitCalls = createAddressRateLimit({ maxCalls: SIGN_IN_STARTS_PER_MINUTE, sentence: TOO_MANY_SIGN_INS })

  const partyOf = (request: FastifyRequest): RelyingParty => {
    const party = relyingPartyOf(publicUrl, { host: request.host, localPort: request.socket.localPort })
    if (party !== null) return party
    throw new NotFoundError(say('passkeys_unnamed', {}), { code: 'passkeys_off' })
  }

  serve(app, 'POST /auth/passkeys/options', async (request) => {
    limitCalls(options.addressOf(request))
    const { ticket, options: browserOptions } = await passkeys.beginSignIn(partyOf(request))
    return { ticket, options: { ...browserOptions } }
  })

  serve(app, 'POST /auth/passkeys/sign-in', async (request) => {
    const { ticket, response } = request.body
    const session = await passkeys.signIn(partyOf(request), {
      ...visitorOf(request, options),
      ticket,
      response: response as AuthenticationResponseJSON,
    })
    return loginResponse(session, options)
  })

  serve(app, 'GET /auth/passkeys', async (request) => passkeys.list(principalOf(request).user.id))

  serve(app, 'POST /auth/passkeys/registration', async (request) => {
    const { current_password: password } = request.body
    const registration = await passkeys.beginRegistration(partyOf(request), actorOf(request, options), password)
    return { ticket: registration.ticket, options: { ...registration.options } }
  })

  serve(app, 'POST /auth/passkeys', async (request, reply) => {
    const { ticket, name, response } = request.body
    reply.code(201)
    return passkeys.register(partyOf(request), actorOf(request, options), {
      ticket,
      name,
      response: response as RegistrationResponseJSON,
    })
  })

  serve(app, 'PATCH /auth/passkeys/:id', async (request) =>
    passkeys.rename(principalOf(request).user.id, request.params.id, request.body.name),
  )

  serve(app, 'DELETE /auth/passkeys/:id', async (request, reply) => {
    await passkeys.remove(actorOf(request, options), request.params.id)
    return reply.code(204).send()
  })
}

/** /auth/totp: time-based codes of an authenticator app, required after the password. */
export async function totpRoutes(
  app: FastifyInstance,
  { totp, ...options }: SignInRoutesOptions & { totp: TotpService },
): Promise<void> {
  serve(app, 'POST /auth/totp/sign-in', async (request) =>
    loginResponse(await totp.signIn({ ...visitorOf(request, options), ...request.body }), options),
  )

  serve(app, 'GET /auth/totp', async (request) => totp.state(principalOf(request).user.id))

  serve(app, 'POST /auth/totp', async (request) => totp.begin(actorOf(request, options), request.body.current_password))

  serve(app, 'POST /auth/totp/confirm', async (request) => ({
    recovery_codes: await totp.confirm(actorOf(request, options), request.body.code),
  }))

  serve(app, 'POST /auth/totp/recovery-codes', async (request) => ({
    recovery_codes: await totp.renewRecoveryCodes(actorOf(request, options), request.body.current_password),
  }))

  serve(app, 'DELETE /auth/totp', async (request, reply) => {
    await totp.turnOff(actorOf(request, options), request.body.current_password)
    return reply.code(204).send()
  })
}
