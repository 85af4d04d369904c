import {
  confirmationSchema,
  loginResponseSchema,
  recoveryCodesSchema,
  totpConfirmSchema,
  totpDraftSchema,
  totpSignInSchema,
  totpStateSchema,
} from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import { actorOf, loginAnswer, type SignInRoutesOptions, visitorOf } from './sign-in-routes.ts'
import type { TotpService } from './totp.service.ts'

/** /auth/totp: time-based codes of an authenticator app, asked for after the password. */
export async function totpRoutes(
  fastify: FastifyInstance,
  { totp, ...options }: SignInRoutesOptions & { totp: TotpService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const sessionOnly = { access: 'user', sessionOnly: true } as const
  const freshness = 'More than ten minutes after signing in `current_password` is needed as well.'

  const confirmationOf = (request: FastifyRequest<{ Body: { current_password?: string | undefined } }>) => ({
    password: request.body.current_password,
    address: options.addressOf(request),
    inAnalytics: !isAnalyticsOff(request),
  })

  app.post(
    '/auth/totp/sign-in',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Sign in with a code',
        description:
          'Takes the `challenge` that /auth/login answered, and the six digits of the app or a recovery code. Each ' +
          'code is taken once.',
        tags: ['Auth'],
        body: totpSignInSchema,
        response: { 200: loginResponseSchema },
        errors: [401, 429, 503],
      },
    },
    async (request) => loginAnswer(await totp.signIn({ ...visitorOf(request, options), ...request.body }), options),
  )

  app.get(
    '/auth/totp',
    {
      config: sessionOnly,
      schema: {
        summary: 'Read whether codes are asked for',
        tags: ['Auth'],
        response: { 200: totpStateSchema },
        errors: [403],
      },
    },
    async (request) => totp.state(principalOf(request).user.id),
  )

  app.post(
    '/auth/totp',
    {
      config: sessionOnly,
      schema: {
        summary: 'Begin to set codes up',
        description: `Nothing is asked for until /auth/totp/confirm took a first code. ${freshness}`,
        tags: ['Auth'],
        body: confirmationSchema,
        response: { 200: totpDraftSchema },
        errors: [403, 409, 429],
      },
    },
    async (request) => totp.begin(actorOf(request, options), confirmationOf(request)),
  )

  app.post(
    '/auth/totp/confirm',
    {
      config: { ...sessionOnly, audit: 'codes.turned_on' },
      schema: {
        summary: 'Turn codes on',
        description: 'The recovery codes are shown in this answer and never again.',
        tags: ['Auth'],
        body: totpConfirmSchema,
        response: { 200: recoveryCodesSchema },
        errors: [403, 409, 429, 503],
      },
    },
    async (request) => {
      const { address, inAnalytics } = visitorOf(request, options)
      const { code } = request.body
      return { recovery_codes: await totp.confirm(actorOf(request, options), { code, address, inAnalytics }) }
    },
  )

  app.post(
    '/auth/totp/recovery-codes',
    {
      config: { ...sessionOnly, audit: 'recovery_codes.renewed' },
      schema: {
        summary: 'Make new recovery codes',
        description: `Those before open nothing any more. ${freshness}`,
        tags: ['Auth'],
        body: confirmationSchema,
        response: { 200: recoveryCodesSchema },
        errors: [403, 409, 429],
      },
    },
    async (request) => ({
      recovery_codes: await totp.renewRecoveryCodes(actorOf(request, options), confirmationOf(request)),
    }),
  )

  app.delete(
    '/auth/totp',
    {
      config: { ...sessionOnly, audit: 'codes.turned_off' },
      schema: {
        summary: 'Turn codes off',
        description: freshness,
        tags: ['Auth'],
        body: confirmationSchema,
        response: { 204: noContentSchema },
        errors: [403, 429],
      },
    },
    async (request, reply) => {
      await totp.turnOff(actorOf(request, options), confirmationOf(request))
      return reply.code(204).send()
    },
  )
}
