import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Draining of a server that is stopping. */
interface Draining {
  isStopping(): boolean
  /** Starts draining: the health check reports it, and each response closes its connection. */
  begin(): void
  /** Number of open requests, without monitoring and event streams. */
  openRequests(): number
}

/** Routes whose requests don't keep the server from stopping: event streams never end, and monitoring goes on until the end. */
const UNCOUNTED = new Set(['/api/events', '/api/health', '/api/metrics'])

/** Creates the state of draining. Pass it to `finishRequests`, which fills in the open requests. */
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

/** Tracks an app's requests, and closes connections after their last one during draining. */
export function finishRequests(app: FastifyInstance, draining: ReturnType<typeof createDraining>): void {
  app.addHook('onRequest', async (request, reply) => {
    if (draining.isStopping()) reply.header('connection', 'close')
    if (UNCOUNTED.has(request.routeOptions.url ?? '')) return
    draining.open.add(reply.raw)
    reply.raw.once('close', () => draining.open.delete(reply.raw))
  })
}
