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

/** Connects from an address of this machine, and says nothing. */
async function hold(localAddress: string): Promise<Socket> {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

/** True when a connection from this address gets a response. */
async function isServed(localAddress: string): Promise<boolean> {
  const socket = await hold(localAddress)
  const response = new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true))
    socket.once('close', () => resolve(false))
  })
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  return response
}

test('one address that holds connections open leaves room for others, and for itself when it lets go', async () => {
  const sockets = await Promise.all([hold('127.0.0.2'), hold('127.0.0.2'), hold('127.0.0.2')])
  expect([await isServed('127.0.0.2'), await isServed('127.0.0.3')]).toEqual([false, true])
  sockets[0].destroy()
  await expect.poll(() => isServed('127.0.0.2')).toBe(true)
})

test('a proxy, behind which many people are, is not bounded like one of them', async () => {
  await Promise.all(Array.from({ length: 5 }, () => hold('127.0.0.9')))
  expect(await isServed('127.0.0.9')).toBe(true)
})
