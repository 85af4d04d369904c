import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionLimits {
  /** Of everybody together; more are closed at once, because each holds memory and a number of the system. */
  most: number
  /** Of one address, so that one machine that opens many and says nothing leaves room for the others. */
  mostOfOne: number
  /** By what a connection is counted; null for one that may be a proxy, behind which are many people. */
  groupOf(address: string): string | null
}

/** Holds a server to bounds of open connections. */
export function limitConnections(server: Server, { most, mostOfOne, groupOf }: ConnectionLimits): void {
  server.maxConnections = most
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const group = groupOf(socket.remoteAddress ?? '')
    if (group === null) return
    const count = (open.get(group) ?? 0) + 1
    if (count > mostOfOne) {
      socket.destroy()
      return
    }
    open.set(group, count)
    socket.once('close', () => {
      const left = (open.get(group) ?? 1) - 1
      if (left > 0) open.set(group, left)
      else open.delete(group)
    })
  })
}
