import { type AnalyticsJson, analyticsPeriods, analyticsSchema } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { recordActivity } from '../../../platform/database/activity.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

const read = (query: string, { token }: TestAccount) =>
  mira.request.get(`/api/analytics${query}`).auth(token, { type: 'bearer' })

test('an instance that nobody used has nothing to show, and says so with nulls instead of trends', async () => {
  for (const period of analyticsPeriods) {
    const { body } = await read(`?period=${period}`, mira.admin).expect(200)
    const answer = body as AnalyticsJson
    expect(analyticsSchema.safeParse(answer).success).toBe(true)
    expect(answer.overview).toMatchObject({ total_users: 1, active_users: 0, chat_messages: 0, avg_session_time: null })
    expect(Object.values(answer.overview.trends)).toEqual(Object.values(answer.overview.trends).map(() => null))
    expect(answer.features.map(({ value }) => value)).toEqual([null, null, null, null])
    expect(answer.performance.map(({ value, trend, change }) => [value, trend, change])).toEqual(
      answer.performance.map(() => [null, null, null]),
    )
    expect(answer.insights.map(({ numbers }) => numbers)).toEqual([null, null, null, null])
    expect([answer.hourly.length, answer.heatmap.length]).toEqual([24, 168])
  }
})

test('an administrator sees everybody or one person, a person with agents themselves, and nobody else anything', async () => {
  const person = await mira.createUser({ can_use_agents: true })
  const otherAccount = await mira.createUser({ can_use_agents: true })
  const { prisma } = mira.context.database
  for (const { user } of [person, person, otherAccount]) {
    await recordActivity(prisma, { userId: user.id, kind: 'chat', detail: { action: 'answered' } })
  }
  const hidden = { userId: person.user.id, kind: 'chat', inAnalytics: false } as const
  await recordActivity(prisma, { ...hidden, detail: { action: 'answered' } })
  await recordActivity(prisma, { ...hidden, inAnalytics: true, kind: 'search', detail: { action: 'opened' } })

  const analyticsOf = async (query: string, reader: TestAccount) => {
    const { overview, user_id: userId } = (await read(query, reader).expect(200)).body as AnalyticsJson
    const { total_users: users, active_users: active, chat_messages: messages, search_queries: searches } = overview
    return { userId, users, active, messages, searches }
  }
  const everybody = { userId: null, users: 3, active: 2, messages: 3, searches: 0 }
  expect(await analyticsOf('', mira.admin)).toEqual(everybody)
  const one = { userId: person.user.id, users: 1, active: 1, messages: 2, searches: 0 }
  expect(await analyticsOf(`?user_id=${person.user.id}`, mira.admin)).toEqual(one)
  expect(await analyticsOf('', person)).toEqual(one)
  expect(await analyticsOf(`?period=day&user_id=${person.user.id}`, person)).toEqual(one)
  const nobody = '00000000-0000-4000-8000-000000000000'
  await read(`?user_id=${otherAccount.user.id}`, person).expect(404)
  await read(`?user_id=${mira.admin.user.id}`, person).expect(404)
  await read(`?user_id=${nobody}`, mira.admin).expect(404)
  await read('?period=year', mira.admin).expect(422)
  await read('?user_id=everybody', mira.admin).expect(422)
  await read('', await mira.createUser()).expect(403)
})
