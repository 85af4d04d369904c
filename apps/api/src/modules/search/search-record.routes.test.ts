import type { SearchResponseJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertMediaItem, insertMoment } from '../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

let mira: TestApp
let account: TestAccount
beforeAll(async () => {
  mira = await startTestApp()
})
beforeEach(async () => {
  account = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

test('records one activity for a search and one for each opened result', async () => {
  const { prisma } = mira.context.database
  const item = await insertMediaItem(mira.context.database, account.user.id)
  await insertMoment(mira.context.database, item, { body: 'A lighthouse' })
  const { body } = await mira.request
    .get('/api/media/search')
    .query({ query: 'lighthouse' })
    .auth(account.token, { type: 'bearer' })
    .expect(200)
  const { search_id, results } = body as SearchResponseJson
  const opened = { search_id, result_id: results[0]?.id }
  for (let times = 0; times < 2; times++) {
    await mira.request.post('/api/memory/opened').send(opened).auth(account.token, { type: 'bearer' }).expect(204)
  }
  const activities = await prisma.activity.findMany({
    where: { userId: account.user.id, kind: 'search' },
    orderBy: { createdAt: 'asc' },
  })
  expect(activities.map(({ id, subjectId, detailId, detail }) => ({ id, subjectId, detailId, detail }))).toEqual([
    {
      id: search_id,
      subjectId: null,
      detailId: null,
      detail: { action: 'searched', query: 'lighthouse', results: 1, mode: 'words' },
    },
    { id: expect.any(String), subjectId: item.id, detailId: search_id, detail: { action: 'opened' } },
  ])
  expect(activities[0]?.durationMs).toBeGreaterThanOrEqual(0)
})

test('keeps the record out of analytics when the user turned them off', async () => {
  await mira.request
    .get('/api/media/search')
    .query({ query: 'anything' })
    .set('X-Analytics', 'off')
    .auth(account.token, { type: 'bearer' })
    .expect(200)
  const [activity] = await mira.context.database.prisma.activity.findMany({
    where: { userId: account.user.id, kind: 'search' },
  })
  expect(activity?.countsInAnalytics).toBe(false)
})
