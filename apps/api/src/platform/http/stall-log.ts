import type { FastifyInstance, FastifyRequest } from 'fastify'

const STALL_MS = 1000
const SAMPLE_MS = 100
const MAX_NAMED_ROUTES = 10

/**
 * Writes a line whenever the event loop stood still for `stallMs`, with the routes that were in flight, the newest first: one of
 * them probably blocked everyone, unless there is none and a job did.
 */
export function logStalls(app: FastifyInstance, { stallMs = STALL_MS, sampleMs = SAMPLE_MS } = {}): void {
  const inFlight = new Set<FastifyRequest>()
  /** Requests answered since the last sample: one that blocks may be over before the timer fires. */
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
      // patterns only: an address could hold an id or a secret
      const newest = [...inFlight, ...recentRequests].reverse()
      const routes = [
        ...new Set(newest.map(({ method, routeOptions }) => `${method} ${routeOptions.url ?? 'unknown'}`)),
      ]
      const details = { stalled_ms: Math.round(lateMs), routes: routes.slice(0, MAX_NAMED_ROUTES) }
      app.log.warn(details, 'the event loop stood still, and nobody was answered')
    }
    recentRequests = []
    due = performance.now() + sampleMs
  }, sampleMs).unref()
  app.addHook('onClose', async () => clearInterval(sampler))
}
