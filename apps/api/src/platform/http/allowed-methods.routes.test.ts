import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp({ config: { corsOrigins: ['https://chat.example.org'] } })
})
afterAll(() => mira.close())

const call = (method: string, url: string, headers: Record<string, string> = {}) =>
  mira.app.inject({ method: method as 'GET', url, headers })

describe('a method that a path does not support', () => {
  test.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['PUT', '/v1/models/a/b', 'GET, HEAD'],
    ['DELETE', '/api/health', 'GET, HEAD'],
    ['GET', '/api/auth/login?next=/', 'POST'],
    ['PUT', '//api/media//uploads/', 'GET, HEAD, OPTIONS, POST'],
    ['PUT', '/mcp', 'DELETE, GET, POST'],
    ['GET', '/oauth/token', 'POST'],
  ])('gets 405 with the supported ones: %s %s', async (method, url, allowed) => {
    const response = await call(method, url)
    expect(response).toMatchObject({ statusCode: 405, headers: { allow: allowed } })
    const body = response.json()
    expect(body.code ?? body.error.code).toBe('method_not_allowed')
  })

  test('gets 405 from allowed origins, too', async () => {
    const origin = 'https://chat.example.org'
    expect(await call('PUT', '/v1/models', { origin })).toMatchObject({
      statusCode: 405,
      headers: { allow: 'GET, HEAD', 'access-control-allow-origin': origin },
    })
  })

  test('OPTIONS gets the supported ones without signing in', async () => {
    expect(await call('OPTIONS', '/api/media/library')).toMatchObject({
      statusCode: 204,
      headers: { allow: 'GET, HEAD' },
    })
    expect((await call('OPTIONS', '/api/nothing')).statusCode).toBe(404)
  })
})

test('a path without any method gets 404', async () => {
  for (const url of ['/api/nothing', '/v1/nothing', '/api/media/library/more/still'])
    for (const method of ['GET', 'POST', 'DELETE'])
      expect((await call(method, url)).statusCode, `${method} ${url}`).toBe(404)
})

test('a CORS preflight still gets its response', async () => {
  const origin = 'https://chat.example.org'
  const preflight = await call('OPTIONS', '/v1/models', { origin, 'access-control-request-method': 'GET' })
  expect(preflight).toMatchObject({ statusCode: 204, headers: { 'access-control-allow-origin': origin } })
})
