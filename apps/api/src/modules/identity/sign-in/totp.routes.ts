import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import { actorOf, loginAnswer, type SignInRoutesOptions, visitorOf } from './sign-in-routes.ts'
import type { TotpService } from './totp.service.ts'

/** /auth/totp: time-based codes of an authenticator app, asked for after the password. */
export async function totpRoutes(
  app: FastifyInstance,
  { totp, ...options }: SignInRoutesOptions & { totp: TotpService },
): Promise<void> {
  const confirmationOf = (request: FastifyRequest<{ Body: { current_password?: string | undefined } }>) => ({
    password: request.body.current_password,
    address: options.addressOf(request),
    inAnalytics: !isAnalyticsOff(request),
  })

  serve(app, 'POST /auth/totp/sign-in', async (request) =>
    loginAnswer(await totp.signIn({ ...visitorOf(request, options), ...request.body }), options),
  )

  serve(app, 'GET /auth/totp', async (request) => totp.state(principalOf(request).user.id))

  serve(app, 'POST /auth/totp', async (request) => totp.begin(actorOf(request, options), confirmationOf(request)))

  serve(app, 'POST /auth/totp/confirm', async (request) => {
    const { address, inAnalytics } = visitorOf(request, options)
    const { code } = request.body
    return { recovery_codes: await totp.confirm(actorOf(request, options), { code, address, inAnalytics }) }
  })

  serve(app, 'POST /auth/totp/recovery-codes', async (request) => ({
    recovery_codes: await totp.renewRecoveryCodes(actorOf(request, options), confirmationOf(request)),
  }))

  serve(app, 'DELETE /auth/totp', async (request, reply) => {
    await totp.turnOff(actorOf(request, options), confirmationOf(request))
    return reply.code(204).send()
  })
}
