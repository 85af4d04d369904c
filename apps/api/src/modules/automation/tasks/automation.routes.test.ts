import { randomUUID } from 'node:crypto'
import type {
  AutomationRunDetailJson,
  AutomationRunsResponseJson,
  AutomationStatusResponseJson,
  NotificationsResponseJson,
  SummariesResponseJson,
} from '@mira/shared'
import { DateTime } from 'luxon'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertChatSession, insertMediaItem } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { recordActivity } from '../../../platform/database/activity.ts'
import { createWeekSummariesStore } from './summaries.store.ts'

describe('/automation', () => {
  let mira: TestApp
  let anna: TestAccount
  beforeAll(async () => {
    mira = await startTestApp({ isStarted: true })
    anna = await mira.createUser({ can_upload: true })
  })
  afterAll(() => mira.close())

  const send = (method: 'get' | 'post' | 'put' | 'patch', path: string, body?: object, caller = mira.admin) =>
    mira.request[method](`/api${path}`).auth(caller.token, { type: 'bearer' }).send(body)
  const runOf = async (id: string) =>
    (await send('get', `/automation/runs/${id}`).expect(200)).body as AutomationRunDetailJson
  const isOver = (status: string) => status !== 'pending' && status !== 'running'
  const complete = async (path: string, body: object) => {
    const { run_id: id } = (await send('post', path, body).expect(202)).body as { run_id: string }
    await expect.poll(async () => isOver((await runOf(id)).status), { timeout: 60_000, interval: 100 }).toBe(true)
    return runOf(id)
  }
  const trigger = (task: string) => complete('/automation/trigger', { task_type: task, reason: 'a test' })

  test('lists the tasks with their schedules, changes a schedule, and rejects an invalid one with a sentence', async () => {
    await send('get', '/automation/health').expect(200, { status: 'ok', scheduler_running: true })
    const { success, automation_status: state } = (await send('get', '/automation/status').expect(200))
      .body as AutomationStatusResponseJson
    expect([success, state.scheduler_running, state.active_jobs]).toEqual([true, true, 3])
    expect(state.tasks.memory_update).toMatchObject({ is_enabled: true, schedule: '0 3 * * *', time_zone: 'UTC' })
    expect(state.tasks.memory_update?.next_runs).toHaveLength(5)
    expect(state.tasks.model_finetuning).toMatchObject({ schedule: null, next_runs: [] })

    const change = (body: object) => send('put', '/automation/tasks/memory_update', body)
    const changed = await change({ schedule: ' 30  2 * * 1-5', time_zone: 'Europe/Madrid' }).expect(200)
    expect(changed.body).toMatchObject({ schedule: '30 2 * * 1-5', time_zone: 'Europe/Madrid' })
    for (const body of [
      { schedule: '61 * * * *' },
      { schedule: '* * * * * *' },
      { schedule: '@daily' },
      { schedule: 'soon' },
    ]) {
      const { body: refusal } = await change(body).expect(422)
      expect(refusal).toMatchObject({ detail: expect.stringMatching(/^(A|This).*\.$/), errors: [{ path: 'schedule' }] })
    }
    await change({ time_zone: 'Mars/Base' }).expect(422)
    await change({ is_enabled: false }).expect(200)
    const disabled = await send('post', '/automation/trigger', { task_type: 'memory_update' }).expect(409)
    expect(disabled.body.code).toBe('task_disabled')
    await change({ is_enabled: true, schedule: null }).expect(200)
    await send('post', '/automation/trigger', { task_type: 'tea' }).expect(422)
    await send('get', '/automation/runs?cursor=nonsense').expect(422)
  })

  test('runs the steps of a memory update, and reports a missing file', async () => {
    await insertMediaItem(mira.context.database, anna.user.id)
    const run = await trigger('memory_update')
    expect(run).toMatchObject({
      status: 'completed',
      trigger: 'manual',
      reason: 'a test',
      results: { success: false, files_verified: 1, files_damaged: 1 },
    })
    expect(run.steps.map(({ name, status }) => [name, status])).toEqual([
      ...[
        ['vectors_text', 'completed'],
        ['vectors_image', 'completed'],
        ['failed_steps', 'completed'],
      ],
      ...[
        ['orphans', 'completed'],
        ['verify', 'completed'],
        ['known_items', 'completed'],
      ],
    ])
    expect(run.log.some(({ text }) => text.endsWith('is missing.'))).toBe(true)
    const notificationKinds = async () =>
      ((await send('get', '/notifications')).body as NotificationsResponseJson).notifications.map(({ kind }) => kind)
    await expect.poll(notificationKinds, { timeout: 20_000 }).toContain('automation_failed')
    await mira.context.database.prisma.mediaItem.deleteMany()
  })

  test('retrains the classifiers on each user’s own items, and keeps only better ones', async () => {
    const stranger = await mira.createUser({ can_upload: true })
    for (let index = 0; index < 24; index++) {
      const isDivorce = index % 2 === 0
      await insertMediaItem(mira.context.database, stranger.user.id, {
        originalFilename: `${isDivorce ? 'holiday divorce lawyer' : 'garden flowers'} ${index}.png`,
        tags: [isDivorce ? 'travel' : 'bills'],
      })
    }
    for (let index = 0; index < 24; index++) {
      const isBill = index % 2 === 0
      await insertMediaItem(mira.context.database, anna.user.id, {
        originalFilename: `${isBill ? 'electricity invoice' : 'beach holiday'} ${index}.png`,
        tags: [isBill ? 'bills' : 'travel'],
      })
    }
    const first = await trigger('classifier_retrain')
    expect(first).toMatchObject({
      status: 'completed',
      results: { success: true, tags_trained: true, tags_kept: true },
    })
    if (process.env.TEST_LONG) {
      const again = await trigger('classifier_retrain')
      expect(again.results).toMatchObject({ intents_kept: false, tags_kept: false })
      expect(again.results?.tags_accuracy_before).toBe(first.results?.tags_accuracy_after)
    }
    const rows = await mira.context.database.prisma.tagModel.findMany()
    expect(rows.map(({ userId }) => userId).sort()).toEqual([anna.user.id, stranger.user.id].sort())
    expect(JSON.stringify(rows)).not.toMatch(/bills|travel|invoice|holiday/)
    await expectSuggestedTags()
    // Training on another user's items has no influence, although both use the tag.
    expect(await suggestedTags(anna, { originalFilename: 'the divorce lawyer.png' })).toEqual([])
    expect(await suggestedTags(stranger, { originalFilename: 'the divorce lawyer.png' })).toEqual(['travel'])
    expect(await suggestedTags(stranger, { originalFilename: 'invoice of the electricity.png' })).toEqual([])
    await mira.context.database.prisma.mediaItem.deleteMany()
  })

  const suggestedTags = async (account: typeof anna, traits: { originalFilename: string; tags?: string[] }) => {
    const { id } = await insertMediaItem(mira.context.database, account.user.id, traits)
    const { body } = await send('get', `/media/${id}`, undefined, account).expect(200)
    return body.suggested_tags
  }

  /** Expects tag suggestions from each user's own training, only for items that lack the tag. */
  async function expectSuggestedTags() {
    const other = await mira.createUser({ can_upload: true })
    expect(await suggestedTags(anna, { originalFilename: 'invoice of the electricity.png' })).toEqual(['bills'])
    expect(await suggestedTags(anna, { originalFilename: 'holiday on the beach.png' })).toEqual(['travel'])
    expect(await suggestedTags(anna, { originalFilename: 'holiday on a beach.png', tags: ['Travel'] })).toEqual([])
    expect(await suggestedTags(anna, { originalFilename: 'a cat.png' })).toEqual([])
    expect(await suggestedTags(other, { originalFilename: 'holiday on the beach.png' })).toEqual([])
  }

  test('summarises each week once from its counts, for everyone and for each active user', async () => {
    const { database } = mira.context
    const monday = DateTime.utc().startOf('week').minus({ weeks: 1 })
    const { session } = await insertChatSession(database, anna.user.id, 'Plans for the summer')
    const activity = async (outcome: 'completed' | 'failed', countsInAnalytics: boolean) => {
      await recordActivity(database.prisma, {
        userId: anna.user.id,
        kind: 'chat',
        outcome,
        subjectId: session.id,
        countsInAnalytics,
        detail: { action: 'asked' },
      })
    }
    await activity('completed', true)
    await activity('failed', true)
    await activity('completed', false)
    const item = await insertMediaItem(database, anna.user.id, { originalFilename: 'figs.png' })
    await recordActivity(database.prisma, {
      ...{ userId: anna.user.id, kind: 'search', outcome: 'completed', countsInAnalytics: false, subjectId: item.id },
      detail: { action: 'opened' },
    })
    await database.pool.query('UPDATE activities SET created_at = $1', [monday.plus({ days: 2 }).toJSDate()])

    const processed = async () => (await trigger('summary_generation')).results?.items_processed
    // Last week, and this week so far.
    expect(await processed()).toBe(3)
    expect(await processed()).toBe(1)
    const { summaries: all } = (await send('get', '/automation/summaries').expect(200)).body as SummariesResponseJson
    expect(all).toMatchObject([
      { week_start: monday.plus({ weeks: 1 }).toISODate(), is_so_far: true, total_messages: 0 },
      {
        week_start: monday.toISODate(),
        is_so_far: false,
        total_users_active: 1,
        total_messages: 2,
        total_sessions: 1,
        success_rate: 0.5,
      },
    ])
    expect(all[0]?.summary_text).toBe('Nothing has happened so far this week.')
    expect(all[1]?.summary_text).toBe(
      '1 person was active during this week: 2 messages and 1 conversation. Nothing happened the week before.',
    )
    expect(all[1]?.highlights).toEqual([])
    const own = async () =>
      ((await send('get', '/me/summaries', undefined, anna).set('accept-language', 'de')).body as SummariesResponseJson)
        .summaries
    expect(await own()).toMatchObject([
      {
        total_messages: 3,
        highlights: [
          { kind: 'asked', title: 'Plans for the summer', link: `/chat?session=${session.id}` },
          { kind: 'found', title: 'figs.png', link: `/gallery/${item.id}` },
        ],
        insights: { key_insights: [expect.stringMatching(/^Am meisten geschah am Mittwoch/), expect.any(String)] },
      },
    ])
    // Deleted conversations and items are no longer mentioned.
    await database.prisma.chatSession.deleteMany({ where: { id: session.id } })
    await database.prisma.mediaItem.deleteMany({ where: { id: item.id } })
    expect((await own())[0]?.highlights).toEqual([])
  })

  test('highlights the agent that was called most, including calls in chat', async () => {
    const { database } = mira.context
    const account = await mira.createUser()
    const { session } = await insertChatSession(database, account.user.id)
    const call = (agent: string, subjectId: string) =>
      recordActivity(database.prisma, {
        ...{ userId: account.user.id, kind: 'agent', outcome: 'completed', countsInAnalytics: true, subjectId },
        detail: { action: 'called', agent },
      })
    await call('WeatherAgent', session.id)
    await call('WeatherAgent', session.id)
    await call('NewsAgent', randomUUID())
    const now = DateTime.utc()
    const [start, end] = [now.minus({ days: 1 }).toJSDate(), now.plus({ days: 1 }).toJSDate()]
    const week = { userId: account.user.id, start, end }
    const highlights = await createWeekSummariesStore(database).highlights({ ...week, timeZone: 'UTC' }, 3)
    expect(highlights.top_agent).toBe('WeatherAgent')
  })

  test('a manual summary covers the week so far, and the summary of the full week replaces it', async () => {
    const { database } = mira.context
    await database.pool.query('DELETE FROM weekly_summaries')
    await database.pool.query('DELETE FROM activities')
    const recordQuestion = () =>
      recordActivity(database.prisma, {
        userId: anna.user.id,
        kind: 'chat',
        outcome: 'completed',
        countsInAnalytics: true,
        detail: { action: 'asked' },
      })
    const all = async () =>
      ((await send('get', '/automation/summaries').expect(200)).body as SummariesResponseJson).summaries
    await recordQuestion()
    // Weeks without activity get no summary.
    expect((await trigger('summary_generation')).results?.items_processed).toBe(2)
    const monday = DateTime.utc().startOf('week')
    expect(await all()).toMatchObject([{ week_start: monday.toISODate(), is_so_far: true, total_messages: 1 }])
    await recordQuestion()
    await trigger('summary_generation')
    const [soFar, ...others] = await all()
    expect([soFar?.total_messages, others]).toEqual([2, []])
    expect(soFar?.summary_text).toMatch(/^1 person was active so far this week: 2 messages\./)

    await database.pool.query(`UPDATE weekly_summaries SET week_start = week_start - 7`)
    await database.pool.query(`UPDATE activities SET created_at = created_at - interval '7 days'`)
    await trigger('summary_generation')
    const [, fullWeek] = await all()
    expect(fullWeek).toMatchObject({ is_so_far: false, week_start: monday.minus({ weeks: 1 }).toISODate() })
    expect(fullWeek?.summary_text).toMatch(/^1 person was active during this week: 2 messages\./)
    const response = (await send('get', '/notifications', undefined, anna)).body as NotificationsResponseJson
    // For the week of the previous test, the week so far, and the same week once it was over.
    expect(response.notifications.filter(({ kind }) => kind === 'summary_ready')).toHaveLength(3)
  })

  test('builds a training set from the well-rated answers of users who share them, once each, until they stop sharing', async () => {
    const { database } = mira.context
    const { session } = await insertChatSession(database, anna.user.id)
    const add = async (question: string, answer: string, rating: string | null) => {
      const questionRow = await database.prisma.chatMessage.create({
        data: { sessionId: session.id, role: 'user', content: question },
      })
      await database.prisma.chatMessage.create({
        data: { sessionId: session.id, role: 'assistant', parentId: questionRow.id, content: answer, rating },
      })
    }
    await add('What is 2 + 2?', 'It is 4.', 'up')
    await add('what is 2 +  2?', 'It is 4.', 'up')
    await add('Who are you?', 'A stone.', 'down')
    await add('Hello', '', 'up')
    const emptyRun = await trigger('model_finetuning')
    expect(emptyRun).toMatchObject({ status: 'completed', has_dataset: false, results: { examples: 0 } })
    await send('get', `/automation/runs/${emptyRun.id}/dataset`).expect(404)

    const before = await send('get', '/me/preferences', undefined, anna).expect(200)
    expect(before.body).toMatchObject({ shares_answers: false })
    const after = await send('patch', '/me/preferences', { shares_answers: true }, anna).expect(200)
    expect(after.body).toMatchObject({ shares_answers: true })
    const run = await complete(`/automation/runs/${emptyRun.id}/retry`, {})
    expect(run).toMatchObject({
      status: 'completed',
      trigger: 'retry',
      has_dataset: true,
      results: { examples: 1, duplicates: 1, refused: 1, uploaded: false },
    })
    expect(run.results).not.toHaveProperty('dataset_ids')
    const dataset = () => send('get', `/automation/runs/${run.id}/dataset`).responseType('blob').expect(200)
    expect(JSON.parse(String((await dataset()).body))).toEqual({
      messages: [
        { role: 'user', content: expect.stringMatching(/what is 2 \+ {1,2}2\?/i) },
        { role: 'assistant', content: 'It is 4.' },
      ],
    })
    await send('patch', '/me/preferences', { shares_answers: false }, anna).expect(200)
    expect(String((await dataset()).body)).toBe('')
  })

  test('lists runs page by page, newest first, and refuses to cancel one that has ended', async () => {
    const page = async (query: string) =>
      (await send('get', `/automation/runs${query}`).expect(200)).body as AutomationRunsResponseJson
    const first = await page('?limit=2')
    const second = await page(`?limit=100&cursor=${first.next_cursor}`)
    const runs = [...first.runs, ...second.runs]
    const ids = runs.map(({ id }) => id)
    const times = runs.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted().reverse())
    expect([first.runs.length, second.next_cursor, new Set(ids).size]).toEqual([2, null, ids.length])
    const { code } = (await send('post', `/automation/runs/${ids[0]}/cancel`).expect(409)).body
    expect(code).toBe('run_ended')
  })
})
