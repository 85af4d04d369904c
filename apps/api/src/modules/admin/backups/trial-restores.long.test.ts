import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { BackupJson, BackupsResponseJson, DashboardHealthJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { archiveWithMissingOwner, changeManifest } from '../../../../test/archives.ts'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { insertChatSession } from '../../../../test/factories.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'
import { seal } from '../../../platform/storage/sealed.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { tryRestoreInProcess } from './run-trial-restore.ts'
import { createTrialRestoresService } from './trial-restores.service.ts'

const work = mkdtempSync(join(tmpdir(), 'mira-proof-'))
let mira: TestApp
let archive: string

/** At normal priority, since the tests may keep all processors busy. */
const restoreAtNormalPriority: typeof tryRestoreInProcess = (request, signal) =>
  tryRestoreInProcess({ ...request, niceness: 0 }, signal)

beforeAll(async () => {
  const database = await openTestDatabase()
  const config = { databaseUrl: database.databaseUrl }
  mira = await startTestApp({ isStarted: true, database, config, proveBackup: restoreAtNormalPriority })
  await insertChatSession(database, mira.admin.user.id, 'remembered')
})
afterAll(async () => {
  await mira.close()
  rmSync(work, { recursive: true, force: true })
})

const asAdmin = (method: 'get' | 'post', path: string) =>
  mira.request[method](path).auth(mira.admin.token, { type: 'bearer' })
const list = async () => (await asAdmin('get', '/api/admin/backups').expect(200)).body as BackupsResponseJson
const trialOf = (name: string) =>
  vi.waitFor(
    async () => {
      const response = await list()
      const backup = response.backups.find((backup) => backup.name === name) as BackupJson
      expect(backup?.proven_at ?? backup?.unproven).toBeTruthy()
      return { ...response, backup }
    },
    { timeout: 115_000, interval: 500 },
  )

test('restores a backup into an empty database automatically, and health shows the last success', async () => {
  expect((await list()).last_proven_at).toBeNull()
  const { body } = await asAdmin('post', '/api/admin/backups').expect(202)
  const { backup, last_proven_at: lastTrialRestoreAt } = await trialOf(body.name)
  expect(backup).toMatchObject({ state: 'completed', reason: 'manual', unproven: null })
  expect(Date.parse(backup.proven_at ?? '')).toBeGreaterThanOrEqual(Date.parse(backup.created_at))
  expect(lastTrialRestoreAt).not.toBeNull()
  const { body: health } = await asAdmin('get', '/api/dashboard/health').expect(200)
  expect(health as DashboardHealthJson).toMatchObject({ last_proven_restore: lastTrialRestoreAt, backup_warnings: [] })
  const scratch = join(mira.context.config.dataDir, 'scratch')
  await vi.waitFor(() =>
    expect(readdirSync(scratch).flatMap((server) => readdirSync(join(scratch, server)))).toEqual([]),
  )
  archive = join(mira.context.config.backupDir, backup.name)
}, 120_000)

test('notifies administrators of a backup with a row whose owner is missing, and says what to do', async () => {
  const name = 'mira-backup-20990101-000000.zip'
  writeFileSync(join(mira.context.config.backupDir, name), await archiveWithMissingOwner(archive))
  await list()
  // health ignores archives copied by hand
  await mira.context.database.prisma.backup.updateMany({ where: { fileName: name }, data: { isCreatedHere: true } })
  await mira.context.trialRestores.sweep()
  const { backup } = await trialOf(name)
  expect(backup.proven_at).toBeNull()
  expect(backup.unproven?.reason).toMatch(/^A test restore failed: .*foreign key.* Make a new backup/s)
  const { body: health } = await asAdmin('get', '/api/dashboard/health').expect(200)
  expect((health as DashboardHealthJson).backup_warnings).toMatchObject([{ reason: backup.unproven?.reason }])
  const { body } = await asAdmin('get', '/api/notifications').expect(200)
  expect(JSON.stringify(body)).toContain('backup_unproven')

  // replaced by an intact archive, it passes the next check
  copyFileSync(archive, join(mira.context.config.backupDir, name))
  await asAdmin('post', `/api/admin/backups/${backup.id}/proof`).expect(204)
  expect((await trialOf(name)).backup).toMatchObject({ unproven: null })
}, 240_000)

test('the trial process reports a damaged file and a wrong passphrase', async () => {
  const prove = (file: string, passphrase?: string) =>
    restoreAtNormalPriority(
      {
        niceness: 0,
        archive: file,
        folder: join(work, 'proving'),
        passphrase,
        migrationsDir: mira.context.config.migrationsDir,
      },
      new AbortController().signal,
    )
  const damaged = join(work, 'damaged.zip')
  writeFileSync(
    damaged,
    await changeManifest(archive, ({ files }) => {
      for (const file of files) if (file.name === 'database/users.jsonl') file.sha256 = '0'.repeat(64)
    }),
  )
  expect(await prove(damaged)).toEqual({ problem: expect.stringContaining('The archive is damaged') })
  const sealed = join(work, 'sealed.zip.sealed')
  await writeWholeFile(sealed, seal(Readable.from([readFileSync(archive)]), 'a passphrase of ours', 1))
  expect(await prove(sealed, 'another passphrase')).toEqual({ problem: expect.stringContaining('cannot be decrypted') })
  expect(existsSync(join(work, 'proving'))).toBe(false)
}, 120_000)

test('says what to do without enough space and when the server keeps stopping', async () => {
  const failed: string[] = []
  const service = (tries: number, freeBytes: number) =>
    createTrialRestoresService({
      store: {
        find: async () => ({ fileName: 'mira-backup-20260101-000000.zip' }),
        beginTrialRestore: async () => ({ fileName: 'mira-backup-20260101-000000.zip', tries }),
        failTrialRestore: async (_id: string, { text }: { text: string }) => void failed.push(text),
        listAdminIds: async () => [],
      },
      folder: { fileOf: () => archive },
      space: async () => ({ neededBytes: 9e6, freeBytes }),
      log: { error: () => {} },
    } as never)
  const { signal } = new AbortController()
  await service(1, 5e6).run('a', signal)
  await service(4, 9e9).run('a', signal)
  expect(failed).toEqual([
    expect.stringContaining('Free some space, then check the backup again.'),
    expect.stringContaining('The server stopped 3 times'),
  ])
})
