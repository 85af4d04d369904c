import { activityResponseSchema, dashboardHealthSchema, mediaStatsSchema, overviewSchema } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertChatSession } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { recordActivity } from '../../../platform/database/activity.ts'

let mira: TestApp
let account: TestAccount
let otherAccount: TestAccount

beforeAll(async () => {
  mira = await startTestApp()
  account = await mira.createUser()
  otherAccount = await mira.createUser()
})
afterAll(async () => {
  await mira.close()
})

const read = (path: string, { token }: TestAccount) => mira.request.get(`/api${path}`).auth(token, { type: 'bearer' })

test('a new account’s figures are zero or null', async () => {
  const newcomer = await mira.createUser()
  const { body } = await read('/dashboard/overview', newcomer).expect(200)
  expect(body).toEqual({
    chat_sessions: 0,
    media_items: 0,
    agent_calls: 0,
    efficiency: null,
    change: { chat_sessions: null, media_items: null, agent_calls: null, efficiency: null },
  })
  expect(overviewSchema.parse(body)).toEqual(body)
})

test('a user’s activity changes only their own figures', async () => {
  const { session } = await insertChatSession(mira.context.database, account.user.id, 'Mine')
  const activities = [
    { kind: 'chat', outcome: 'completed' },
    { kind: 'chat', outcome: 'failed' },
    { kind: 'agent', outcome: 'completed' },
    { kind: 'chat', outcome: 'interrupted' },
  ] as const
  for (const activity of activities) {
    await recordActivity(mira.context.database.prisma, {
      userId: account.user.id,
      subjectId: session.id,
      detail: { action: 'answered' },
      ...activity,
    })
  }
  const mine = await read('/dashboard/overview', account).expect(200)
  expect(mine.body).toMatchObject({ chat_sessions: 1, agent_calls: 1, efficiency: 66.7 })
  const theirs = await read('/dashboard/overview', otherAccount).expect(200)
  expect(theirs.body).toMatchObject({ chat_sessions: 0, agent_calls: 0, efficiency: null })

  const activity = await read('/dashboard/activity', account).expect(200)
  expect(activity.body.activity).toHaveLength(5)
  expect(activity.body.activity[0]).toMatchObject({
    type: 'chat',
    outcome: 'interrupted',
    title: 'Mine',
    link: `/chat?session=${session.id}`,
  })
  activityResponseSchema.parse(activity.body)
  const titles = (await read('/dashboard/activity?limit=50', otherAccount).expect(200)).body.activity.map(
    ({ title }: { title: string }) => title,
  )
  expect(titles).not.toContain('Mine')
})

test('lists as many activities as the limit, which must be from 1 to 50', async () => {
  expect((await read('/dashboard/activity?limit=2', account).expect(200)).body.activity).toHaveLength(2)
  for (const limit of ['0', '51', '-1', 'x', '1.5', '']) {
    const { body } = await read(`/dashboard/activity?limit=${limit}`, account).expect(422)
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path: 'limit' }] })
  }
})

test('System Health shows the state of each part, with reasons for those that aren’t online', async () => {
  const { body } = await read('/dashboard/health', account).expect(200)
  expect(body).toMatchObject({
    ai_service: 'warning',
    vector_store: 'warning',
    agents: 'online',
    reasons: { ai_service: expect.stringContaining('No language model is connected') },
    last_backup: null,
    failed_backup: null,
  })
  expect(dashboardHealthSchema.safeParse(body).success).toBe(true)
})

test('a user without items has totals of zero', async () => {
  const { body } = await read('/media/stats', account).expect(200)
  expect(body).toEqual({
    total_items: 0,
    by_type: { image: 0, video: 0, audio: 0, document: 0 },
    total_bytes: 0,
    processing: 0,
    failed: 0,
  })
  expect(mediaStatsSchema.parse(body)).toEqual(body)
})
