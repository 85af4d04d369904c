import type { Check } from '@mira/shared'
import { capabilities } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insightsServiceOn, type ServerState } from '../../../../test/insights-service.ts'
import { saveOffsiteMark } from '../backups/offsite-mark.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const healthOf = (parts: ServerState = {}, reader?: { isAdmin: boolean }) =>
  insightsServiceOn(database, parts).health(reader)

test('everything is online when every engine and the database work', async () => {
  expect(await healthOf()).toEqual({
    ai_service: 'online',
    vector_store: 'online',
    media_processing: 'online',
    agents: 'online',
    reasons: {},
    told: {},
    checked_at: null,
    uptime: expect.any(Number),
    last_backup: null,
    failed_backup: null,
    last_proven_restore: null,
    backup_warnings: [],
  })
})

test('says why a part is limited or down', async () => {
  const off = { state: 'off', reason: 'No engine is connected.' } as const
  const health = await healthOf({
    checks: { database: { state: 'error', reason: 'The database isn’t responding.' } },
    models: {
      ...Object.fromEntries(capabilities.map((name) => [name, off])),
      chat: { state: 'ok', engine: 'built-in' },
    },
    agents: [],
  })
  expect(health).toMatchObject({
    ai_service: 'warning',
    vector_store: 'error',
    media_processing: 'warning',
    agents: 'warning',
    reasons: {
      ai_service: 'No language model is connected: answers come from your own conversations.',
      vector_store: 'The database isn’t responding.',
      media_processing: 'No engine is connected.',
      agents: 'No agents are installed yet.',
    },
  })
})

test('the state of agents follows their last calls', async () => {
  const agents: ServerState['agents'] = [
    { name: 'NewsAgent', status: 'error' },
    { name: 'CalculatorAgent', status: 'active' },
  ]
  expect(await healthOf({ agents })).toMatchObject({
    agents: 'warning',
    reasons: { agents: 'Recent calls failed: NewsAgent.' },
    told: { agents: [{ code: 'agents_failing', params: { names: 'NewsAgent' } }] },
  })
  expect(await healthOf({ agents: agents.slice(0, 1) })).toMatchObject({ agents: 'error' })
})

test('media processing is limited when videos can’t be read or jobs have failed for good', async () => {
  const videos: Check = { state: 'off', reason: 'Videos cannot be read on this machine.' }
  expect(await healthOf({ videos })).toMatchObject({
    media_processing: 'warning',
    reasons: { media_processing: 'Videos cannot be read on this machine.' },
  })
  expect(await healthOf({ failedJobs: 3 })).toMatchObject({
    media_processing: 'warning',
    reasons: { media_processing: '3 files couldn’t be processed in the last few hours, even after several tries.' },
  })
})

test('a failing model server and a stopped queue are errors', async () => {
  const health = await healthOf({
    checks: { queue: { state: 'error', reason: 'The queue has stopped.' } },
    models: { chat: { state: 'error', reason: 'The model server does not answer.' } },
  })
  expect(health).toMatchObject({ ai_service: 'error', media_processing: 'error' })
})

test('shows the time of the last backup', async () => {
  await database.prisma.setting.create({ data: { key: 'last_backup_at', value: '2025-11-19T03:00:00.000Z' } })
  expect((await healthOf()).last_backup).toEqual(new Date('2025-11-19T03:00:00.000Z'))
})

test('shows a failed backup to administrators until one succeeds', async () => {
  const sentences = [{ code: 'backup_disk_full', params: {} }]
  const failed = {
    state: 'failed',
    error: 'The disk was full.',
    errorSentences: sentences,
    finishedAt: new Date('2025-11-20T03:31:00Z'),
  }
  await database.prisma.backup.create({ data: { ...failed, fileName: 'mira-backup-20261120-033000.zip' } })
  const failedBackup = { at: failed.finishedAt, reason: 'The disk was full.', told: sentences }
  expect((await healthOf({}, { isAdmin: true })).failed_backup).toEqual(failedBackup)
  expect((await healthOf()).failed_backup).toBeNull()
  const succeedAt = (value: string) =>
    database.prisma.setting.upsert({
      where: { key: 'last_backup_at' },
      create: { key: 'last_backup_at', value },
      update: { value },
    })
  // while the clock was ahead
  await succeedAt('2999-01-01T03:30:09.000Z')
  expect((await healthOf({}, { isAdmin: true })).failed_backup).toEqual(failedBackup)
  await succeedAt('2025-11-21T03:30:09.000Z')
  expect((await healthOf({}, { isAdmin: true })).failed_backup).toBeNull()
})

test('warns of files missing from the newest backup, ignoring one dated in the future', async () => {
  const finished = { state: 'completed', isCreatedHere: true }
  const newest = { ...finished, problems: 2, fileName: 'mira-backup-20261121-033000.zip' }
  const ahead = { ...finished, fileName: 'mira-backup-29990101-000000.zip', createdAt: new Date('2999-01-01') }
  for (const data of [newest, ahead]) await database.prisma.backup.create({ data })
  const { backup_warnings: warnings } = await healthOf({}, { isAdmin: true })
  expect(warnings).toMatchObject([{ told: [{ code: 'backup_lacks_files', params: { count: 2 } }] }])
  await database.prisma.backup.deleteMany({ where: finished })
})

test('warns of failed off-site copies only at the current address', async () => {
  const failed = { at: '2026-05-01T10:00:00.000Z', reason: 'The bucket is gone.', told: [] }
  const warningsOf = async (offsite: string | null) => {
    const { backup_warnings: warnings } = await healthOf({ offsite }, { isAdmin: true })
    return warnings.map(({ reason }) => reason)
  }
  await saveOffsiteMark(database, { address: 's3://old/mira', lastAt: null, added: 0, failed })
  expect(await warningsOf('s3://old/mira')).toEqual([failed.reason])
  expect(await warningsOf('s3://new/mira')).toEqual([])
  expect(await warningsOf(null)).toEqual([])
  // as an earlier version stored it
  await saveOffsiteMark(database, { lastAt: null, added: 0, failed })
  expect(await warningsOf('s3://new/mira')).toEqual([failed.reason])
  expect(await warningsOf(null)).toEqual([])
  await database.prisma.setting.deleteMany()
})
