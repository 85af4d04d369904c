import { loginResponseSchema, oidcFinishSchema, oidcStartSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { createAddressRateLimit } from '../../../platform/http/address-rate-limit.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { OidcService } from './oidc.service.ts'
import { TOO_MANY_SIGN_INS } from './sign-in-limits.ts'
import { loginAnswer, type SignInRoutesOptions, visitorOf } from './sign-in-routes.ts'

const BEGINNINGS_PER_MINUTE = 60

/** /auth/oidc: signing in at the provider that the operator connected. */
export async function oidcRoutes(
  fastify: FastifyInstance,
  { oidc, ...options }: SignInRoutesOptions & { oidc: OidcService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const limitCalls = createAddressRateLimit({ maxCalls: BEGINNINGS_PER_MINUTE, sentence: TOO_MANY_SIGN_INS })

  app.post(
    '/auth/oidc/start',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Begin to sign in at the provider',
        description:
          'The browser keeps `ticket`, goes to `url`, and comes back to PUBLIC_URL/login/oidc; the query of that ' +
          'address and the ticket go to /auth/oidc/finish within ten minutes.',
        tags: ['Auth'],
        response: { 200: oidcStartSchema },
        errors: [404, 429, 503],
      },
    },
    async (request) => {
      limitCalls(options.addressOf(request))
      return oidc.begin()
    },
  )

  app.post(
    '/auth/oidc/finish',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Sign in as whom the provider sent back',
        tags: ['Auth'],
        body: oidcFinishSchema,
        response: { 200: loginResponseSchema },
        errors: [401, 403, 404, 409, 429, 503],
      },
    },
    async (request) => loginAnswer(await oidc.finish({ ...visitorOf(request, options), ...request.body }), options),
  )
}
