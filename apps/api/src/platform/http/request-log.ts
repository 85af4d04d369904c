import type { FastifyInstance, FastifyRequest } from 'fastify'

const STALL_MS = 1000
const SAMPLE_MS = 100
const MAX_NAMED_ROUTES = 10

/**
 * Logs whenever the event loop was blocked for `stallMs`, with the routes in flight, newest first. One of them probably
 * blocked it; when there are none, a job did.
 */
export function logStalls(app: FastifyInstance, { stallMs = STALL_MS, sampleMs = SAMPLE_MS } = {}): void {
  const inFlight = new Set<FastifyRequest>()
  /** Requests finished since the last sample: the blocking one may end before the timer fires. */
  let recentRequests: FastifyRequest[] = []
  app.addHook('onRequest', async (request) => {
    inFlight.add(request)
  })
  app.addHook('onResponse', async (request) => {
    inFlight.delete(request)
    recentRequests.push(request)
  })

  let due = performance.now() + sampleMs
  const sampler = setInterval(() => {
    const lateMs = performance.now() - due
    if (lateMs >= stallMs) {
      // only patterns: paths could contain ids or secrets
      const newest = [...inFlight, ...recentRequests].reverse()
      const routes = [
        ...new Set(newest.map(({ method, routeOptions }) => `${method} ${routeOptions.url ?? 'unknown'}`)),
      ]
      const details = { stalled_ms: Math.round(lateMs), routes: routes.slice(0, MAX_NAMED_ROUTES) }
      app.log.warn(details, 'the event loop was blocked, so no request was processed')
    }
    recentRequests = []
    due = performance.now() + sampleMs
  }, sampleMs).unref()
  app.addHook('onClose', async () => clearInterval(sampler))
}

/** Sends the request id with every response, and logs one line per request with its route pattern, never its query. */
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
    // pages, their files and probes are frequent and uninteresting
    if (config.access === 'public' && request.method === 'GET' && reply.statusCode < 400)
      request.log.debug(line, 'request')
    else request.log.info(line, 'request')
  })
}
