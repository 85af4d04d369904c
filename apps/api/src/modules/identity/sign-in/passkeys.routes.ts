import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { NotFoundError } from '../../../errors.ts'
import { principalOf } from '../../../platform/http/access.ts'
import { createAddressRateLimit } from '../../../platform/http/address-rate-limit.ts'
import { serve } from '../../../platform/http/serve.ts'
import { say } from '../../../sentences.ts'
import { type PasskeysService, type RelyingParty, relyingPartyOf } from './passkeys.service.ts'
import { actorOf, loginResponse, type SignInRoutesOptions, visitorOf } from './sign-in.routes.ts'
import { TOO_MANY_SIGN_INS } from './sign-in-limits.ts'

const BEGINNINGS_PER_MINUTE = 60

interface PasskeysRoutesOptions extends SignInRoutesOptions {
  passkeys: PasskeysService
  publicUrl: string | null
}

/** /auth/passkeys: signing in with one, and those of the caller. */
export async function passkeysRoutes(
  app: FastifyInstance,
  { passkeys, publicUrl, ...options }: PasskeysRoutesOptions,
): Promise<void> {
  const limitCalls = createAddressRateLimit({ maxCalls: BEGINNINGS_PER_MINUTE, sentence: TOO_MANY_SIGN_INS })

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
