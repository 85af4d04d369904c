import fastify from 'fastify'
import { expect, test } from 'vitest'
import { logStalls } from './request-log.ts'

test('a request that blocks the event loop is logged with its route, without the rest of its URL', async () => {
  const lines: string[] = []
  const app = fastify({ logger: { level: 'warn', stream: { write: (line: string) => lines.push(line) } } })
  logStalls(app, { stallMs: 200, sampleMs: 10 })
  app.get('/block/:id', async () => {
    const startedAt = performance.now()
    while (performance.now() - startedAt < 300);
    return 'done'
  })
  await app.inject('/block/4711?secret=abc')
  await expect.poll(() => lines.length).toBeGreaterThan(0)
  const line = lines.find((line) => line.includes('/block')) ?? ''
  expect(JSON.parse(line)).toMatchObject({ level: 40, routes: ['GET /block/:id'] })
  expect(JSON.parse(line).stalled_ms).toBeGreaterThanOrEqual(200)
  expect(line).not.toMatch(/4711|abc/)
  await app.close()
})
