import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { createAddressRateLimit } from '../../../platform/http/address-rate-limit.ts'
import { sendFile } from '../../../platform/http/file-answer.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { SharesService } from './shares.service.ts'

/** A revoked link ends soon in browsers that have its pictures. */
const PICTURE_CACHE = 'private, max-age=300'

export interface SharesRoutesOptions {
  shares: SharesService
  addressOf(request: FastifyRequest): string
}

/** /shares: the caller's links; /public/shares: what everybody with a link reads. */
export async function sharesRoutes(app: FastifyInstance, { shares, addressOf }: SharesRoutesOptions): Promise<void> {
  const bound = createAddressRateLimit({
    maxCalls: 600,
    sentence: 'Too much was read from your address within a minute. Try again in a minute.',
  })
  app.addHook('onSend', async (request, reply) => {
    if (request.routeOptions.config.access === 'public') reply.header('x-robots-tag', 'noindex, nofollow')
  })

  serve(app, 'GET /shares', async (request) => shares.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /shares', async (request, reply) =>
    reply.code(201).send(await shares.create(principalOf(request).user.id, request.body)),
  )

  serve(app, 'DELETE /shares/:id', async (request, reply) => {
    await shares.revoke(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'GET /public/shares/:token', async (request, reply) => {
    bound(addressOf(request))
    reply.header('cache-control', 'no-store')
    return shares.read(request.params.token, request.query)
  })

  serve(app, 'GET /public/shares/:token/images/:id/:n', async (request, reply) => {
    bound(addressOf(request))
    const { token, id, n } = request.params
    const file = await shares.picture(token, id, n, request.query.size)
    return sendFile(request, reply, { ...file, cacheControl: PICTURE_CACHE })
  })

  serve(app, 'POST /public/shares/:token/continue', async (request, reply) =>
    reply.code(201).send(await shares.continueAs(principalOf(request).user.id, request.params.token)),
  )
}
