import {
  confirmationSchema,
  createPasskeySchema,
  idParamsSchema,
  loginResponseSchema,
  passkeyOptionsSchema,
  passkeySchema,
  passkeySignInSchema,
  renamePasskeySchema,
} from '@mira/shared'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { NotFoundError } from '../../../errors.ts'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { createAddressRateLimit } from '../../../platform/http/address-rate-limit.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { PasskeysService } from './passkeys.service.ts'
import { type RelyingParty, relyingPartyOf } from './relying-party.ts'
import { TOO_MANY_SIGN_INS } from './sign-in-limits.ts'
import { actorOf, loginAnswer, type SignInRoutesOptions, visitorOf } from './sign-in-routes.ts'

const BEGINNINGS_PER_MINUTE = 60

interface PasskeysRoutesOptions extends SignInRoutesOptions {
  passkeys: PasskeysService
  publicUrl: string | null
}

/** /auth/passkeys: signing in with one, and those of the caller. */
export async function passkeysRoutes(
  fastify: FastifyInstance,
  { passkeys, publicUrl, ...options }: PasskeysRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const sessionOnly = { access: 'user', sessionOnly: true } as const
  const limitCalls = createAddressRateLimit({ maxCalls: BEGINNINGS_PER_MINUTE, sentence: TOO_MANY_SIGN_INS })

  const partyOf = (request: FastifyRequest): RelyingParty => {
    const party = relyingPartyOf(publicUrl, { host: request.host, localPort: request.socket.localPort })
    if (party !== null) return party
    throw new NotFoundError('Passkeys need a name over HTTPS: an administrator sets PUBLIC_URL to it.', {
      code: 'passkeys_off',
    })
  }

  app.post(
    '/auth/passkeys/options',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Begin to sign in with a passkey',
        description:
          '`options` go to the browser; its answer and `ticket` come to /auth/passkeys/sign-in within five minutes.',
        tags: ['Auth'],
        response: { 200: passkeyOptionsSchema },
        errors: [404, 429],
      },
    },
    async (request) => {
      limitCalls(options.addressOf(request))
      const { ticket, options: asked } = await passkeys.beginSignIn(partyOf(request))
      return { ticket, options: { ...asked } }
    },
  )

  app.post(
    '/auth/passkeys/sign-in',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Sign in with a passkey',
        description: 'No code is asked for: the device has checked a finger, a face or a PIN.',
        tags: ['Auth'],
        body: passkeySignInSchema,
        response: { 200: loginResponseSchema },
        errors: [401, 404, 429],
      },
    },
    async (request) => {
      const { ticket, response } = request.body
      const session = await passkeys.signIn(partyOf(request), {
        ...visitorOf(request, options),
        ticket,
        response: response as AuthenticationResponseJSON,
      })
      return loginAnswer(session, options)
    },
  )

  app.get(
    '/auth/passkeys',
    {
      config: sessionOnly,
      schema: {
        summary: 'List the passkeys of the caller',
        tags: ['Auth'],
        response: { 200: z.array(passkeySchema) },
        errors: [403],
      },
    },
    async (request) => passkeys.list(principalOf(request).user.id),
  )

  app.post(
    '/auth/passkeys/registration',
    {
      config: sessionOnly,
      schema: {
        summary: 'Begin to add a passkey',
        description: 'More than ten minutes after signing in `current_password` is needed as well.',
        tags: ['Auth'],
        body: confirmationSchema,
        response: { 200: passkeyOptionsSchema },
        errors: [403, 404, 409, 429],
      },
    },
    async (request) => {
      const given = { password: request.body.current_password, address: options.addressOf(request) }
      const begun = await passkeys.beginRegistration(partyOf(request), actorOf(request, options), given)
      return { ticket: begun.ticket, options: { ...begun.options } }
    },
  )

  app.post(
    '/auth/passkeys',
    {
      config: { ...sessionOnly, audit: 'passkey.added' },
      schema: {
        summary: 'Add a passkey',
        tags: ['Auth'],
        body: createPasskeySchema,
        response: { 201: passkeySchema },
        errors: [401, 403, 404, 409],
      },
    },
    async (request, reply) => {
      const { ticket, name, response } = request.body
      reply.code(201)
      return passkeys.register(partyOf(request), actorOf(request, options), {
        ticket,
        name,
        response: response as RegistrationResponseJSON,
        inAnalytics: !isAnalyticsOff(request),
      })
    },
  )

  app.patch(
    '/auth/passkeys/:id',
    {
      config: { ...sessionOnly, audit: 'passkey.renamed' },
      schema: {
        summary: 'Rename a passkey',
        tags: ['Auth'],
        params: idParamsSchema,
        body: renamePasskeySchema,
        response: { 200: passkeySchema },
        errors: [403],
      },
    },
    async (request) => passkeys.rename(principalOf(request).user.id, request.params.id, request.body.name),
  )

  app.delete(
    '/auth/passkeys/:id',
    {
      config: { ...sessionOnly, audit: 'passkey.removed' },
      schema: {
        summary: 'Remove a passkey',
        description: 'It does not sign in any more. Sessions that it began go on until they are ended.',
        tags: ['Auth'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
        errors: [403],
      },
    },
    async (request, reply) => {
      const inAnalytics = !isAnalyticsOff(request)
      await passkeys.remove(principalOf(request).user.id, request.params.id, { inAnalytics })
      return reply.code(204).send()
    },
  )
}
