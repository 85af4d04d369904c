import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let server: TestApp

beforeAll(async () => {
  server = await startTestApp()
})
afterAll(() => server.close())

const read = (path: string, token: string) => server.request.get(`/api${path}`).auth(token, { type: 'bearer' })

test('lists the available agents for users who may use them', async () => {
  const { token } = await server.createUser({ can_use_agents: true })
  const { body } = await read('/agents/available', token).expect(200)
  expect(body).toContainEqual({
    name: 'CalculatorAgent',
    description: expect.any(String),
    capabilities: expect.arrayContaining(['percentages', 'unit conversion']),
    intents: expect.arrayContaining(['15% of 80']),
    available: true,
  })
})

test('the status for administrators counts the calls of all users, except those excluded from analytics', async () => {
  const names = server.context.agents.available().map(({ name }) => name)
  const status = { total_agents: names.length, active_agents: names }
  const first = await read('/agents/status', server.admin.token).expect(200)
  expect(first.body).toEqual({ ...status, total_requests: 0, success_rate: null })

  const { user } = await server.createUser({ can_use_agents: true })
  const outcomes = ['completed', 'completed', 'failed', 'interrupted'].map((outcome) => ({
    outcome,
    countsInAnalytics: true,
  }))
  await server.context.database.prisma.activity.createMany({
    data: [...outcomes, { outcome: 'failed', countsInAnalytics: false }].map((one) => ({
      ...one,
      userId: user.id,
      kind: 'agent',
      detail: { action: 'called', agent: 'CalculatorAgent' },
    })),
  })
  const second = await read('/agents/status', server.admin.token).expect(200)
  expect(second.body).toEqual({ ...status, total_requests: 4, success_rate: 66.7 })
})

const call = (path: string, token: string, input: string) =>
  server.request.post(`/api${path}`).auth(token, { type: 'bearer' }).send({ input })

test('every agent call is stored with its outcome until the user deletes it', async () => {
  const { user, token } = await server.createUser({ can_use_agents: true })
  const { body } = await call('/agents/CalculatorAgent/run', token, '15% of 80').expect(200)
  expect(body).toEqual({
    output: expect.stringContaining('**12**'),
    data: {
      kind: 'calculation',
      form: 'value',
      question: expect.any(String),
      result: '12',
      is_exact: true,
      steps: expect.any(Array),
      figures: [{ name: 'result', value: '12' }],
    },
    duration_ms: expect.any(Number),
  })
  const refusal = await call('/agents/CalculatorAgent/run', token, 'hello there').expect(400)
  expect(refusal.body).toMatchObject({ code: 'not_a_calculation' })
  const key = await server.request
    .post('/api/auth/tokens')
    .auth(token, { type: 'bearer' })
    .send({ name: 'a script', scopes: ['agents'] })
  await call('/agents/CalculatorAgent/run', key.body.token, '2 + 2').set('x-analytics', 'off').expect(200)
  await call('/agents/CalculatorAgent/run', token, ' ').expect(422)
  await call('/agents/NobodysAgent/run', token, '2 + 2').expect(404)

  const first = await read('/agents/CalculatorAgent/runs?limit=2', token).expect(200)
  const second = await read(`/agents/CalculatorAgent/runs?limit=2&cursor=${first.body.next_cursor}`, token).expect(200)
  const runs = [...first.body.runs, ...second.body.runs]
  expect(runs.map(({ input, outcome, origin }) => [input, outcome, origin])).toEqual([
    ['2 + 2', 'completed', 'api'],
    ['hello there', 'failed', 'page'],
    ['15% of 80', 'completed', 'page'],
  ])
  expect(runs.map(({ data }) => data?.result ?? null)).toEqual(['4', null, '12'])
  expect(runs[1].output).toBe(refusal.body.detail)
  expect(second.body.next_cursor).toBeNull()
  await read('/agents/CalculatorAgent/runs?cursor=abc', token).expect(422)

  // calls excluded from analytics are in the history but not in the statistics
  const analytics = await read('/agents/analytics', token).expect(200)
  expect(analytics.body.agents[0]).toEqual({
    name: 'CalculatorAgent',
    calls: 2,
    success_rate: 50,
    avg_response_time: expect.any(Number),
    status: 'warning',
    last_used: expect.any(String),
  })

  const remove = (path: string) => server.request.delete(`/api${path}`).auth(token, { type: 'bearer' })
  await remove(`/agents/runs/${runs[0].id}`).expect(204)
  await remove(`/agents/runs/${runs[0].id}`).expect(404)
  expect((await remove('/agents/CalculatorAgent/runs').expect(200)).body).toEqual({ deleted: 2 })
  const { prisma } = server.context.database
  expect(await prisma.agentRun.count({ where: { userId: user.id } })).toBe(0)
  expect(await prisma.activity.count({ where: { userId: user.id, kind: 'agent' } })).toBe(3)
})

test('asking without a name runs the matching agent and names it, or lists candidates when unsure', async () => {
  const { token } = await server.createUser({ can_use_agents: true })
  const sure = await call('/agents/ask', token, 'What is 15% of 80?').expect(200)
  expect(sure.body).toMatchObject({ agent: 'CalculatorAgent', confidence: 0.95, data: { result: '12' } })
  const unsure = await call('/agents/ask', token, '¿Qué tal?').set('accept-language', 'es').expect(200)
  expect(unsure.body).toMatchObject({ agent: null, data: null, output: expect.stringMatching(/^No sé con seguridad/) })
  expect(unsure.body.candidates).toContainEqual({ name: 'CalculatorAgent', confidence: 0, example: '15% of 80' })
  expect((await read('/agents/CalculatorAgent/runs', token)).body.runs).toHaveLength(1)
})

test('runs and questions can be streamed as events', async () => {
  const { token } = await server.createUser({ can_use_agents: true })
  const readEvents = async (path: string, input: string) => {
    const { text } = await call(path, token, input).set('accept', 'text/event-stream').expect(200)
    return text.split('\n\n').flatMap((line) => {
      if (!line.startsWith('data: ')) return []
      return [line === 'data: [DONE]' ? 'done' : JSON.parse(line.slice(6))]
    })
  }
  expect(await readEvents('/agents/CalculatorAgent/run', '15% of 80')).toEqual([
    { type: 'started', agent: 'CalculatorAgent' },
    {
      type: 'finished',
      output: expect.any(String),
      data: expect.objectContaining({ result: '12' }),
      duration_ms: expect.any(Number),
    },
    'done',
  ])
  expect(await readEvents('/agents/ask', '1/0')).toEqual([
    { type: 'started', agent: 'CalculatorAgent', confidence: 0.95 },
    { type: 'failed', code: 'calculation_refused', detail: expect.stringContaining('no finite result') },
    'done',
  ])
  expect(await readEvents('/agents/ask', 'hm')).toEqual([
    { type: 'unsure', output: expect.stringContaining('CalculatorAgent'), candidates: expect.any(Array) },
    'done',
  ])
  await call('/agents/NobodysAgent/run', token, 'x').set('accept', 'text/event-stream').expect(404)
})
