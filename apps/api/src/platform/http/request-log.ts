import type { FastifyInstance } from 'fastify'

/** Gives every answer the id of its request, and writes one line per request: its route's pattern, never its query. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { url: route, config } = request.routeOptions
    const line = {
      method: request.method,
      route: route ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(request.principal ? { user_id: request.principal.user.id } : {}),
    }
    // pages, their files and probes come often and tell little
    if (config.access === 'public' && request.method === 'GET' && reply.statusCode < 400)
      request.log.debug(line, 'request')
    else request.log.info(line, 'request')
  })
}
