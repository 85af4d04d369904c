import type { FastifyInstance } from 'fastify'
import { createAddressRateLimit } from '../../../platform/http/address-rate-limit.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { OidcService } from './oidc.service.ts'
import { loginResponse, type SignInRoutesOptions, visitorOf } from './sign-in.routes.ts'
import { TOO_MANY_SIGN_INS } from './sign-in-limits.ts'

const BEGINNINGS_PER_MINUTE = 60

/** /auth/oidc: signing in at the provider that the operator connected. */
export async function oidcRoutes(
  app: FastifyInstance,
  { oidc, ...options }: SignInRoutesOptions & { oidc: OidcService },
): Promise<void> {
  const limitCalls = createAddressRateLimit({ maxCalls: BEGINNINGS_PER_MINUTE, sentence: TOO_MANY_SIGN_INS })

  serve(app, 'POST /auth/oidc/start', async (request) => {
    limitCalls(options.addressOf(request))
    return oidc.begin()
  })

  serve(app, 'POST /auth/oidc/finish', async (request) =>
    loginResponse(await oidc.finish({ ...visitorOf(request, options), ...request.body }), options),
  )
}
