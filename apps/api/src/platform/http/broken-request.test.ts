import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { respondToUnparsableRequest } from './error-handler.ts'

const app = Fastify({ clientErrorHandler: respondToUnparsableRequest })
beforeAll(async () => {
  app.get('/', () => 'well')
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

async function send(request: string): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request)
  return text(socket)
}

test.each([
  [
    'a URL that is too long',
    `GET /?query=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: mira\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  ['a request that is not HTTP', 'EHLO mira\r\n\r\n', 400, 'bad_request'],
])('%s gets an error in the usual format', async (_title, request, status, code) => {
  const [head = '', body = ''] = (await send(request)).split('\r\n\r\n')
  expect(head).toContain(`HTTP/1.1 ${status} `)
  expect(JSON.parse(body)).toEqual({ detail: expect.stringMatching(/\.$/), code })
})
