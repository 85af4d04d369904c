import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'

let server: TestApp

beforeAll(async () => {
  server = await startTestApp()
})
afterAll(() => server.close())

const read = (path: string, token: string) => server.request.get(`/api${path}`).auth(token, { type: 'bearer' })

test('Those who may use agents see which there are', async () => {
  const { token } = await server.createUser({ can_use_agents: true })
  const { body } = await read('/agents/available', token).expect(200)
  expect(body).toEqual([
    {
      name: 'CalculatorAgent',
      description: expect.any(String),
      capabilities: expect.arrayContaining(['percentages', 'unit conversion']),
      intents: expect.arrayContaining(['15% of 80']),
      available: true,
    },
  ])
})

test('An administrator sees how everyone’s calls went, without those kept out of analytics', async () => {
  const status = { total_agents: 1, active_agents: ['CalculatorAgent'] }
  const first = await read('/agents/status', server.admin.token).expect(200)
  expect(first.body).toEqual({ ...status, total_requests: 0, success_rate: null })

  const { user } = await server.createUser({ can_use_agents: true })
  const outcomes = ['completed', 'completed', 'failed', 'interrupted'].map((outcome) => ({
    outcome,
    inAnalytics: true,
  }))
  await server.context.database.prisma.activity.createMany({
    data: [...outcomes, { outcome: 'failed', inAnalytics: false }].map((one) => ({
      ...one,
      userId: user.id,
      kind: 'agent',
      detail: { action: 'called', agent: 'CalculatorAgent' },
    })),
  })
  const second = await read('/agents/status', server.admin.token).expect(200)
  expect(second.body).toEqual({ ...status, total_requests: 4, success_rate: 66.7 })
})
