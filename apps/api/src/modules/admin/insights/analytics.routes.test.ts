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

test('gives zeros and nulls, without trends, for an unused instance', async () => {
  for (const period of analyticsPeriods) {
    const { body } = await read(`?period=${period}`, mira.admin).expect(200)
    const analytics = body as AnalyticsJson
    expect(analyticsSchema.safeParse(analytics).success).toBe(true)
    expect(analytics.overview).toMatchObject({
      total_users: 1,
      active_users: 0,
      chat_messages: 0,
      avg_session_time: null,
    })
    expect(Object.values(analytics.overview.trends)).toEqual(Object.values(analytics.overview.trends).map(() => null))
    expect(analytics.features.map(({ value }) => value)).toEqual([null, null, null, null])
    expect(analytics.performance.map(({ value, trend, change }) => [value, trend, change])).toEqual(
      analytics.performance.map(() => [null, null, null]),
    )
    expect(analytics.insights.map(({ numbers }) => numbers)).toEqual([null, null, null, null])
    expect([analytics.hourly.length, analytics.heatmap.length]).toEqual([24, 168])
  }
})

test('an administrator sees all users or one, a user with agents only themselves, and other users nothing', async () => {
  const account = await mira.createUser({ can_use_agents: true })
  const otherAccount = await mira.createUser({ can_use_agents: true })
  const { prisma } = mira.context.database
  for (const { user } of [account, account, otherAccount]) {
    await recordActivity(prisma, { userId: user.id, kind: 'chat', detail: { action: 'answered' } })
  }
  const hidden = { userId: account.user.id, kind: 'chat', countsInAnalytics: false } as const
  await recordActivity(prisma, { ...hidden, detail: { action: 'answered' } })
  await recordActivity(prisma, { ...hidden, countsInAnalytics: true, kind: 'search', detail: { action: 'opened' } })

  const analyticsOf = async (query: string, reader: TestAccount) => {
    const { overview, user_id: userId } = (await read(query, reader).expect(200)).body as AnalyticsJson
    const { total_users: users, active_users: active, chat_messages: messages, search_queries: searches } = overview
    return { userId, users, active, messages, searches }
  }
  const allUsers = { userId: null, users: 3, active: 2, messages: 3, searches: 0 }
  expect(await analyticsOf('', mira.admin)).toEqual(allUsers)
  const oneUser = { userId: account.user.id, users: 1, active: 1, messages: 2, searches: 0 }
  expect(await analyticsOf(`?user_id=${account.user.id}`, mira.admin)).toEqual(oneUser)
  expect(await analyticsOf('', account)).toEqual(oneUser)
  expect(await analyticsOf(`?period=day&user_id=${account.user.id}`, account)).toEqual(oneUser)
  const unknownId = '00000000-0000-4000-8000-000000000000'
  await read(`?user_id=${otherAccount.user.id}`, account).expect(404)
  await read(`?user_id=${mira.admin.user.id}`, account).expect(404)
  await read(`?user_id=${unknownId}`, mira.admin).expect(404)
  await read('?period=year', mira.admin).expect(422)
  await read('?user_id=everybody', mira.admin).expect(422)
  await read('', await mira.createUser()).expect(403)
})
