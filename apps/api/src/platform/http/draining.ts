import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Draining of a server that is stopping. */
interface Draining {
  isStopping(): boolean
  /** Starts draining: the health check reports it, and each response closes its connection. */
  begin(): void
  /** Number of open requests, not counting monitoring and event streams. */
  openRequests(): number
}

/** Routes whose requests don't keep the server from stopping: event streams never end, and monitoring goes on until the end. */
const UNCOUNTED = new Set(['/api/events', '/api/health', '/api/metrics'])

/** Creates the state of draining. Pass it to `trackOpenRequests`, which fills `open`. */
export function createDraining(): Draining & { open: Set<ServerResponse> } {
  const open = new Set<ServerResponse>()
  let isStopping = false
  return {
    open,
    isStopping: () => isStopping,
    begin: () => {
      isStopping = true
    },
    openRequests: () => open.size,
  }
}

/** Tracks an app's requests. During draining, each connection is closed after its current request. */
export function trackOpenRequests(app: FastifyInstance, draining: ReturnType<typeof createDraining>): void {
  app.addHook('onRequest', async (request, reply) => {
    if (draining.isStopping()) reply.header('connection', 'close')
    if (UNCOUNTED.has(request.routeOptions.url ?? '')) return
    draining.open.add(reply.raw)
    reply.raw.once('close', () => draining.open.delete(reply.raw))
  })
}
