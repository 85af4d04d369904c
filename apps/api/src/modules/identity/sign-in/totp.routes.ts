import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import { actorOf, loginResponse, type SignInRoutesOptions, visitorOf } from './sign-in.routes.ts'
import type { TotpService } from './totp.service.ts'

/** /auth/totp: time-based codes of an authenticator app, asked for after the password. */
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
