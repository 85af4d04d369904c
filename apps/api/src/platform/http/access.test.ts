// biome-ignore-all lint/nursery/noMisusedPromises: Fastify awaits its plugins; the rule sees only their older form with a callback
import Fastify, { type FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { requireAccess } from './access.ts'
import { setErrorHandler } from './error-handler.ts'

async function appWith(register: (app: FastifyInstance) => void) {
  const app: FastifyInstance = Fastify()
  setErrorHandler(app)
  requireAccess(app, async () => null)
  register(app)
  await app.ready()
  return app
}

test('a route without declared access fails the start', async () => {
  await expect(appWith((app) => app.get('/api/open', async () => 'secret'))).rejects.toThrow(
    'GET /api/open declares no access',
  )
  await expect(appWith((app) => app.post('/api/open', { config: {} }, async () => 'secret'))).rejects.toThrow(
    'POST /api/open declares no access',
  )
})

test('a route without declared access inside a plugin fails the start, too', async () => {
  await expect(
    appWith((app) => {
      app.register(async (child) => {
        child.get('/api/open', async () => 'secret')
      })
    }),
  ).rejects.toThrow('GET /api/open declares no access')
})

test('a route that was registered earlier is refused', async () => {
  const app: FastifyInstance = Fastify()
  setErrorHandler(app)
  app.get('/early', async () => 'secret')
  requireAccess(app, async () => null)
  expect((await app.inject('/early')).statusCode).toBe(403)
  await app.close()
})

test('only public routes respond without a token; others refuse before the body is read', async () => {
  const bodies: unknown[] = []
  const app = await appWith((instance) => {
    instance.addHook('preParsing', async (request) => {
      bodies.push(request.url)
    })
    instance.get('/public', { config: { access: 'public' } }, async () => 'hello')
    instance.post('/closed', { config: { access: 'user' } }, async () => 'secret')
  })
  expect((await app.inject('/public')).body).toBe('hello')
  const response = await app.inject({ method: 'POST', url: '/closed', payload: 'x'.repeat(1000) })
  expect([response.statusCode, response.json()]).toEqual([
    401,
    { detail: 'Sign in to continue.', code: 'unauthorized' },
  ])
  expect(bodies).toEqual(['/public'])
  await app.close()
})
