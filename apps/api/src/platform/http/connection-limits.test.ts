import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { limitConnections } from './connection-limits.ts'

let server: Server
const sockets: Socket[] = []
beforeEach(async () => {
  server = createServer((_request, response) => response.end('hello'))
  limitConnections(server, {
    max: 100,
    maxPerAddress: 3,
    groupOf: (address) => (address.endsWith('127.0.0.9') ? null : address),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.close()
})

/** Opens an idle connection from an address of this machine. */
async function connectIdle(localAddress: string): Promise<Socket> {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

/** True when a connection from this address gets a response. */
async function isServed(localAddress: string): Promise<boolean> {
  const socket = await connectIdle(localAddress)
  const response = new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true))
    socket.once('close', () => resolve(false))
  })
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  return response
}

test('an address with too many open connections does not block others, and may connect again after closing one', async () => {
  const sockets = await Promise.all([connectIdle('127.0.0.2'), connectIdle('127.0.0.2'), connectIdle('127.0.0.2')])
  expect([await isServed('127.0.0.2'), await isServed('127.0.0.3')]).toEqual([false, true])
  sockets[0].destroy()
  await expect.poll(() => isServed('127.0.0.2')).toBe(true)
})

test('a proxy, which serves many users, is exempt from the limit per address', async () => {
  await Promise.all(Array.from({ length: 5 }, () => connectIdle('127.0.0.9')))
  expect(await isServed('127.0.0.9')).toBe(true)
})
