import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { setSecurityHeaders } from './security-headers.ts'

test.each([
  [true, 'max-age=31536000'],
  [false, undefined],
])('Strict-Transport-Security is sent only when the server is reached by HTTPS: %s', async (isHttps, header) => {
  const app = Fastify()
  setSecurityHeaders(app, { isHttps })
  app.get('/', async () => 'here')
  const { headers } = await app.inject('/')
  expect(headers['strict-transport-security']).toBe(header)
  expect(headers['x-content-type-options']).toBe('nosniff')
  await app.close()
})

test('responses are not cached unless they set Cache-Control themselves', async () => {
  const app = Fastify()
  setSecurityHeaders(app, { isHttps: true })
  for (const path of ['/', '/api/facts', '/v1/models', '/mcp']) app.get(path, async () => 'personal')
  app.get('/logo.svg', async (_request, reply) => reply.header('cache-control', 'public, max-age=300').send('logo'))
  const headers: Record<string, unknown> = {}
  for (const path of ['/', '/api/facts', '/v1/models', '/mcp', '/logo.svg', '/missing']) {
    headers[path] = (await app.inject(path)).headers['cache-control']
  }
  const personal = { '/': 'no-store', '/api/facts': 'no-store', '/v1/models': 'no-store', '/mcp': 'no-store' }
  expect(headers).toEqual({ ...personal, '/logo.svg': 'public, max-age=300', '/missing': 'no-store' })
  await app.close()
})
