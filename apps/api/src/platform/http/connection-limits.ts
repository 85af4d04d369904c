import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionLimits {
  /** Limit of all connections; further ones are closed at once, because each takes memory and a file descriptor. */
  max: number
  /** Limit per address, so that one machine with many idle connections doesn't exclude the others. */
  maxPerAddress: number
  /** By what a connection is counted; null for one that may be a proxy, behind which are many people. */
  groupOf(address: string): string | null
}

/** Holds a server to bounds of open connections. */
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
