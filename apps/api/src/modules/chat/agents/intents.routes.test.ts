import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAgentRun } from '../../../../test/factories.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let server: TestApp

beforeAll(async () => {
  server = await startTestApp()
})
afterAll(() => server.close())

test('a classifier is trained, stored with its accuracy, and replaced only by a better one', async () => {
  const { intents, database } = server.context
  expect(intents.guess('headlines please')).toEqual([])
  const first = await intents.retrain()
  expect(first).toMatchObject({ before: null, after: { version: 1 }, isKept: true, calls: 0 })
  expect(first.after.accuracy).toBeGreaterThan(0.8)
  const guess = intents.guess('Quel temps fera-t-il demain à Bruxelles ?')[0]
  expect(guess).toEqual({ label: 'WeatherAgent', probability: expect.any(Number) })

  const { user } = await server.createUser({ can_use_agents: true })
  const run = await insertAgentRun(database, user.id, 'my very own sum: 3 + 9')
  const activity = { userId: user.id, kind: 'agent', subjectId: run.id, detail: {}, countsInAnalytics: true }
  await database.prisma.activity.create({ data: activity })
  const [again, same] = await Promise.all([intents.retrain(), intents.retrain()])
  expect(again).toBe(same)
  expect(again).toMatchObject({ before: { version: 1 }, after: { version: 2 }, calls: 1 })
  expect(again.isKept).toBe(again.after.accuracy > (again.before?.accuracy ?? 0))
  const classifiers = await database.prisma.classifier.findMany({ where: { kind: 'intent', isCurrent: true } })
  expect(classifiers.map(({ version }) => version)).toEqual([again.isKept ? 2 : 1])
  // only hashes are stored: no sentence can be read
  expect(JSON.stringify(classifiers)).not.toContain(run.input)

  // asking without an agent's name uses the trained classifier too
  const { token } = await server.createUser({ can_use_agents: true })
  const ask = (input: string) => server.request.post('/api/agents/ask').auth(token, { type: 'bearer' }).send({ input })
  const unsure = await ask('Why is the sky blue?').expect(200)
  expect(unsure.body).toMatchObject({ agent: null, data: null })
  // sounds like a calculation but can't be parsed as one
  const sum = await ask('Calculate the square root of happiness').expect(200)
  expect(sum.body).toMatchObject({ agent: null, candidates: [{ name: 'CalculatorAgent' }] })
})
