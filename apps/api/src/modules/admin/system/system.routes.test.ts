import { configSchema, healthSchema } from '@mira/shared'
import supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp

beforeAll(async () => {
  mira = await startTestApp({ config: { assistantName: 'Nova' } })
})
afterAll(async () => {
  await mira.close()
})

describe('GET /api/health', () => {
  test('tells anyone that everything works', async () => {
    const { body } = await mira.request.get('/api/health').expect(200)
    expect(body).toMatchObject({
      status: 'ok',
      checks: {
        database: { state: 'ok' },
        storage: { state: 'ok', engine: 'disk' },
        queue: { state: 'ok', engine: 'pg-boss' },
        models: { chat: { state: 'ok', engine: 'built-in' } },
      },
    })
    expect(healthSchema.parse(body)).toEqual(body)
  })
})

describe('GET /api/config', () => {
  test('gives anyone the assistant’s name and the limits', async () => {
    const { body } = await mira.request.get('/api/config').expect(200)
    expect(body).toMatchObject({
      assistant_name: 'Nova',
      phase_badge: 'Phase 5',
      limits: { message_characters: 32_000, message_images: 5 },
      capabilities: { chat: true, vision: false },
    })
    expect(configSchema.parse(body)).toEqual(body)
  })
})

describe('GET /api/metrics', () => {
  const getMetrics = (token = mira.admin.token) => mira.request.get('/api/metrics').auth(token, { type: 'bearer' })

  test('gives administrators the metrics of the process, by route pattern', async () => {
    await mira.request.get('/api/dashboard/overview').auth(mira.admin.token, { type: 'bearer' }).expect(200)
    await mira.request.delete('/api/auth/sessions/00000000-0000-4000-8000-000000000000').expect(401)
    const { text, headers } = await getMetrics().expect(200)
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/api/dashboard/overview",status="200"} 1',
    )
    expect(text).toContain(
      'http_request_duration_seconds_count{method="DELETE",route="/api/auth/sessions/:id",status="401"} 1',
    )
    expect(text).not.toContain('00000000-0000-4000-8000')
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(text).toMatch(/^mira_event_loop_delay_seconds_count \d+$/m)
    expect(text).toContain('mira_running_answers 0')
    expect(text).toContain('mira_queue_jobs{job="clean-up",state="waiting"} 0')
  })

  test('is closed to everyone else, even on this machine, where a proxy may not identify itself', async () => {
    const { token } = await mira.createUser()
    await mira.request.get('/api/metrics').set('host', '127.0.0.1:3000').expect(401)
    await mira.request.get('/api/metrics').set('host', 'localhost').expect(401)
    await getMetrics(token).expect(403)
  })

  test('gives the other metrics when the database doesn’t respond', async () => {
    const broken = await startTestApp({ environment: { METRICS: 'open' } })
    try {
      broken.context.queue.counts = () => Promise.reject(new Error('the database is gone'))
      const { text } = await broken.request.get('/api/metrics').set('host', 'localhost').expect(200)
      expect(text).toContain('mira_running_answers 0')
      expect(text).not.toContain('mira_queue_jobs{')
    } finally {
      await broken.close()
    }
  })
})

describe('GET /api/docs', () => {
  test('is a page of the server’s own files under a policy without inline or external sources', async () => {
    const { text, headers } = await mira.request.get('/api/docs').expect(200)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types default dompurify",
    )
    expect(text).not.toMatch(/(src|href)="(?!\/api\/docs\/)/)
    expect(text).not.toMatch(/<script>|<style|style=/)
    const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '')
    expect(links.length).toBeGreaterThanOrEqual(5)
    for (const path of links) await mira.request.get(path).expect(200)
  })

  test('serves only the files of the page', async () => {
    for (const file of ['package.json', 'index.html', '..%2fpackage.json', 'swagger-ui-bundle.js.map']) {
      await mira.request.get(`/api/docs/${file}`).expect(404)
    }
  })
})

test('a server listening on its own port serves metrics', async () => {
  const address = await mira.app.listen({ port: 0, host: '127.0.0.1' })
  const { text } = await supertest(address).get('/api/metrics').auth(mira.admin.token, { type: 'bearer' }).expect(200)
  expect(text).toContain('process_cpu_seconds_total')
})
