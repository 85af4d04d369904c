import type { FastifyInstance } from 'fastify'

/** API calls, and those that ended with a server error. */
interface RequestCounts {
  requests: number
  requestErrors: number
}

/** Counts the calls of one server process. */
export interface RequestCounter {
  add(status: number): void
  /** Counts since the last `take`. */
  current(): RequestCounts
  /** Returns the counts since the last `take`, and starts again from zero. */
  take(): RequestCounts
}

export function createRequestCounter(): RequestCounter {
  let counts: RequestCounts = { requests: 0, requestErrors: 0 }
  return {
    add(status) {
      counts.requests += 1
      if (status >= 500) counts.requestErrors += 1
    },
    current: () => ({ ...counts }),
    take() {
      const snapshot = counts
      counts = { requests: 0, requestErrors: 0 }
      return snapshot
    },
  }
}

/** Counts API calls, without the web app's files and monitoring. */
export function countRequests(app: FastifyInstance, counter: RequestCounter): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url
    if (route?.startsWith('/api/') && route !== '/api/health' && route !== '/api/metrics') counter.add(reply.statusCode)
  })
}
