import { connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy to a server whose connections can be cut. */
export interface TcpProxy {
  port: number
  /** Breaks all connections and refuses new ones. */
  cut(): Promise<void>
  mend(): Promise<void>
}

/** Listens on a free local port and forwards everything. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      const listening = createServer((near) => {
        const far = connect(target)
        for (const [socket, other] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(socket)
          socket.pipe(other)
          socket.on('error', () => other.destroy())
          socket.on('close', () => {
            sockets.delete(socket)
            other.destroy()
          })
        }
      })
      listening.once('error', reject)
      listening.listen(port, '127.0.0.1', () => {
        server = listening
        const address = listening.address()
        resolve(typeof address === 'object' && address ? address.port : port)
      })
    })
  const port = await listen(0)
  return {
    port,
    async cut() {
      const closed = new Promise((resolve) => server?.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async mend() {
      await listen(port)
    },
  }
}
