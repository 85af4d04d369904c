import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limitBodyTime } from './connection-limits.ts'

let app: FastifyInstance
beforeAll(async () => {
  app = Fastify({ forceCloseConnections: true })
  limitBodyTime(app, { wholeMs: 300, idleMs: 300, minBytesPerSecond: 5 })
  app.post('/quick', async () => 'done')
  app.post('/patient', { config: { hasNoBodyTimeout: true } }, async () => 'done')
  app.get('/slow', async () => {
    await sleep(600)
    return 'done'
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

/** Sends a body in pieces with pauses in between; returns the status line once the connection has closed. */
async function send(path: string, pieces: string[], pauseMs: number): Promise<string> {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  let response = ''
  socket.setEncoding('utf8').on('data', (text) => {
    response += text
  })
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => {}))
  const length = pieces.join('').length
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n`,
  )
  for (const piece of pieces) {
    if (socket.destroyed) break
    socket.write(piece)
    await sleep(pauseMs)
  }
  await closed
  return response.split('\r\n')[0] ?? ''
}

test('a body has to arrive within a short time', async () => {
  expect(await send('/quick', ['a', 'b', 'c'], 10)).toBe('HTTP/1.1 200 OK')
  expect(await send('/quick', ['a', 'b', 'c', 'd', 'e', 'f'], 100)).toBe('HTTP/1.1 408 Request Timeout')
})

test('a patient route waits for a body while data keeps arriving', async () => {
  expect(await send('/patient', Array.from('abcdefgh'), 100)).toBe('HTTP/1.1 200 OK')
  expect(await send('/patient', ['a', 'b'], 1000)).toBe('HTTP/1.1 408 Request Timeout')
})

test('a patient route does not wait for a body that arrives too slowly', async () => {
  expect(await send('/patient', Array.from('abcdefgh'), 250)).toBe('HTTP/1.1 408 Request Timeout')
})

test('a response has no time limit', async () => {
  const { port } = app.server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/slow`)
  expect(await response.text()).toBe('done')
})
