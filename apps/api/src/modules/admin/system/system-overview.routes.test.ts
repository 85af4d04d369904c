import { randomUUID } from 'node:crypto'
import { type SystemOverviewJson, systemOverviewSchema } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertChatSession, insertEffectImage, insertMediaItem } from '../../../../test/factories.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'
import { createSystemSamplesStore } from './system-samples.store.ts'

let mira: TestApp

beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(async () => {
  await mira.close()
})

const read = async (): Promise<SystemOverviewJson> => {
  const { body } = await mira.request.get('/api/admin/system').auth(mira.admin.token, { type: 'bearer' }).expect(200)
  systemOverviewSchema.parse(body)
  return body
}

/** Waits until so many calls are counted, which may be after their callers have the response. */
const waitForCalls = (calls: number) =>
  expect.poll(() => mira.context.requestCounter.current().requests, { timeout: 10_000 }).toBe(calls)

test('the overview contains measured figures, and null for those without measurements', async () => {
  const { database } = mira.context
  const before = await read()
  expect(before).toMatchObject({ servers: [], sessions: { chat: 0 }, storage_bytes: 0 })
  expect(before.series).toHaveLength(288)
  expect(before.series.every(({ requests, memory_bytes }) => requests === null && memory_bytes === null)).toBe(true)

  const account = await mira.createUser()
  await insertChatSession(database, account.user.id)
  await insertMediaItem(database, account.user.id)
  await insertEffectImage(database, account.user.id)
  await mira.request.get('/api/health').expect(200)
  // the first overview, the sign-in, and /auth/me; health checks don't count
  await waitForCalls(before.api_calls + 3)
  const after = await read()
  expect(after.api_calls).toBe(before.api_calls + 3)
  expect(after.error_rate).toBe(0)
  expect(after.sessions).toEqual({ chat: 1, signed_in: before.sessions.signed_in + 1 })
  expect(after.storage_bytes).toBe(1005)
  expect(after.database_bytes).toBeGreaterThan(1_000_000)
  expect(after.memory.used_bytes).toBeGreaterThan(10_000_000)
  expect(after.memory.total_bytes).toBeGreaterThan(after.memory.used_bytes)
  expect(after.disk?.total_bytes).toBeGreaterThan(after.disk?.used_bytes ?? 0)
  expect(after.versions).toMatchObject({ node: process.versions.node, postgresql: expect.stringMatching(/^\d+/) })
  expect(after.queues.map(({ name }) => name)).toContain('process-media')
  expect(after.checks.database.state).toBe('ok')
  expect(after.engines.chat).toMatchObject({ state: 'ok', engine: 'built-in' })
})

test('a sample takes over the counted calls, and the overview adds both', async () => {
  const { api_calls: before } = await read()
  await waitForCalls(before + 1)
  await mira.context.systemSampler.sample()
  expect(mira.context.requestCounter.current()).toEqual({ requests: 0, requestErrors: 0 })
  mira.context.requestCounter.add(500)
  const after = await read()
  expect(after.api_calls).toBe(before + 2)
  expect(after.error_rate).toBe(Math.round(10_000 / (before + 2)) / 100)
  expect(after.servers).toMatchObject([{ is_this: true, requests: before + 1, request_errors: 0 }])
  const measured = after.series.filter(({ requests }) => requests !== null)
  expect(measured).toHaveLength(1)
  expect(measured[0]?.database_bytes).toBeGreaterThan(1_000_000)
})

test('joins samples of several servers in five-minute steps, keeps gaps, and removes old samples', async () => {
  const store = createSystemSamplesStore(mira.context.database)
  const [one, two] = [randomUUID(), randomUUID()]
  const add = (serverId: string, at: string, requests: number, memoryBytes: number) =>
    store.add({
      serverId,
      at: new Date(at),
      requests,
      requestErrors: 1,
      memoryBytes,
      cpuShare: requests / 10,
      eventLoopDelayP99Ms: requests,
    })
  await add(one, '2027-01-01T09:00:00Z', 99, 1)
  // belongs to the previous step, since a sample covers the time before it
  await add(one, '2027-01-10T10:05:00Z', 3, 500)
  await add(two, '2027-01-10T10:04:59.900Z', 4, 700)
  await add(one, '2027-01-10T10:15:00.040Z', 5, 400)
  const series = await store.series(new Date('2027-01-10T10:17:00Z'), 4, 300)
  expect(
    series.map(({ at, requests, request_errors, memory_bytes, cpu_share }) => [
      ...[at.toISOString().slice(11, 16), requests, request_errors, memory_bytes, cpu_share],
    ]),
  ).toEqual([
    ['10:00', 7, 2, 700, 0.4],
    ['10:05', null, null, null, null],
    ['10:10', null, null, null, null],
    ['10:15', 5, 1, 400, 0.5],
  ])
  const since = new Date('2026-12-25T00:00:00Z')
  const servers = await store.servers(since)
  expect(servers).toMatchObject([
    {
      serverId: one,
      requests: 8,
      requestErrors: 2,
      memoryBytes: 400,
      lastSampleAt: new Date('2027-01-10T10:15:00.040Z'),
    },
    { serverId: two, requests: 4, memoryBytes: 700 },
  ])
  expect(await store.calls(since)).toEqual({ requests: 12, requestErrors: 3 })
})
