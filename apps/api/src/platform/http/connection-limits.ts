import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Time limits for receiving bodies; responses aren't limited by them. */
export interface BodyTimeLimits {
  /** Maximum time for a whole body, except on routes with `hasNoBodyTimeout`. */
  wholeMs: number
  /** Interval of progress checks on patient routes. */
  idleMs: number
  /** Minimum rate on patient routes, between these checks. */
  minBytesPerSecond: number
}

/** Ends requests whose bodies arrive too slowly, so that nobody can occupy connections by sending almost nothing. */
export function limitBodyTime(app: FastifyInstance, { wholeMs, idleMs, minBytesPerSecond }: BodyTimeLimits): void {
  const minBytes = (minBytesPerSecond * idleMs) / 1000
  const timers = new Set<NodeJS.Timeout>()
  app.addHook('onRequest', async (request) => {
    const { raw, routeOptions } = request
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers
    if (raw.complete || (encoding === undefined && Number(length ?? 0) === 0)) return
    const isPatient = routeOptions.config.hasNoBodyTimeout === true
    let receivedBytes = raw.socket.bytesRead
    const timer = setTimeout(
      () => {
        const isArriving = isPatient && raw.socket.bytesRead >= receivedBytes + minBytes
        receivedBytes = raw.socket.bytesRead
        if (isArriving) timer.refresh()
        else endRequest(request)
      },
      isPatient ? idleMs : wholeMs,
    )
    timer.unref()
    timers.add(timer)
    const stop = () => {
      timers.delete(timer)
      clearTimeout(timer)
    }
    raw.once('end', stop)
    raw.once('close', stop)
  })
  app.addHook('onClose', async () => timers.forEach(clearTimeout))
}

/** Responds as Node does to requests that take too long. */
function endRequest({ raw, log }: FastifyRequest): void {
  if (raw.complete) return
  log.info({}, 'a request took too long to arrive')
  raw.socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  raw.destroy()
}

interface ConnectionLimits {
  /** Limit of all connections; further ones are closed at once, because each takes memory and a file descriptor. */
  max: number
  /** Limit per address, so that one machine with many idle connections doesn't exclude the others. */
  maxPerAddress: number
  /** Key for counting an address's connections; null for one that may be a proxy for many users. */
  groupOf(address: string): string | null
}

/** Limits a server's open connections. */
export function limitConnections(server: Server, { max, maxPerAddress, groupOf }: ConnectionLimits): void {
  server.maxConnections = max
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const group = groupOf(socket.remoteAddress ?? '')
    if (group === null) return
    const count = (open.get(group) ?? 0) + 1
    if (count > maxPerAddress) {
      socket.destroy()
      return
    }
    open.set(group, count)
    socket.once('close', () => {
      const remaining = (open.get(group) ?? 1) - 1
      if (remaining > 0) open.set(group, remaining)
      else open.delete(group)
    })
  })
}
