import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { setSecurityHeaders } from './security-headers.ts'

test.each([
  [true, 'max-age=31536000'],
  [false, undefined],
])('browsers are told to stay with https where people come by it alone: %s', async (isHttps, header) => {
  const app = Fastify()
  setSecurityHeaders(app, { isHttps })
  app.get('/', async () => 'here')
  const { headers } = await app.inject('/')
  expect(headers['strict-transport-security']).toBe(header)
  expect(headers['x-content-type-options']).toBe('nosniff')
  await app.close()
})
