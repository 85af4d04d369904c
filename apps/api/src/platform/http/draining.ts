import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** The last requests of a server that was told to end. */
interface Draining {
  isStopping(): boolean
  /** From now on health says so, and each response closes its connection. */
  begin(): void
  /** Requests being answered, without those that watch the server or listen to events. */
  openRequests(): number
}

/** Has no end of its own, or must be answered until the very end. */
const UNCOUNTED = new Set(['/api/events', '/api/health', '/api/metrics'])

/** Counts the requests of an app that is built with it by `finishRequests`. */
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

/** Lets the connections of an app end with their last request once it is draining. */
export function finishRequests(app: FastifyInstance, draining: ReturnType<typeof createDraining>): void {
  app.addHook('onRequest', async (request, reply) => {
    if (draining.isStopping()) reply.header('connection', 'close')
    if (UNCOUNTED.has(request.routeOptions.url ?? '')) return
    draining.open.add(reply.raw)
    reply.raw.once('close', () => draining.open.delete(reply.raw))
  })
}
