import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createServerDatabase, silentLog } from '../../../../test/database-template.ts'
import { insertRestoreNotification } from '../../../../test/factories.ts'
import { copyTemplateDatabase } from '../../../../test/laid-database.ts'
import { openOldDatabase } from '../../../../test/old-database.ts'
import { openDatabase } from '../../../platform/database/client.ts'
import { backUpWithoutServer } from './back-up-without-server.ts'
import { createBackupsStore } from './backups.store.ts'
import { addOwnArchive } from './own-archives.store.ts'

test('an aborted backup leaves nothing in the folder', async () => {
  const work = mkdtempSync(join(tmpdir(), 'mira-stopped-'))
  const serverUrl = process.env.TEST_DATABASE_URL
  const server = serverUrl === undefined ? undefined : await createServerDatabase(serverUrl)
  onTestFinished(async () => {
    await server?.drop()
    rmSync(work, { recursive: true })
  })
  const location = { dataDir: join(work, 'data'), databaseUrl: server?.databaseUrl }
  copyTemplateDatabase(location.dataDir)
  const database = await openDatabase({ ...location, log: silentLog })
  await database.close()
  const stop = new AbortController()
  const config = { ...location, backupDir: join(work, 'backups') }
  const { signal } = stop
  await expect(
    backUpWithoutServer({ config, onProgress: () => stop.abort(), signal, log: silentLog }),
  ).rejects.toThrow()
  expect(readdirSync(config.backupDir)).toEqual([])
})

test.each([
  [
    'a restored instance removes only its own older archives, and keeps one that a user puts back',
    true,
    [1, 2, 3, 5, 6, 7, 8, 9],
  ],
  ['keeps archives that a user copied into the folder', false, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
])('%s', async (_, isRestored, keptDays) => {
  const work = mkdtempSync(join(tmpdir(), 'mira-alone-'))
  const serverUrl = process.env.TEST_DATABASE_URL
  const server = serverUrl === undefined ? undefined : await createServerDatabase(serverUrl)
  onTestFinished(async () => {
    await server?.drop()
    rmSync(work, { recursive: true })
  })
  const location = { dataDir: join(work, 'data'), databaseUrl: server?.databaseUrl }
  copyTemplateDatabase(location.dataDir)
  const database = await openDatabase({ ...location, log: silentLog })
  if (isRestored) await insertRestoreNotification(database)
  await database.close()
  const config = { ...location, backupDir: join(work, 'backups') }
  const nameOf = (day: number) => `mira-backup-2025010${day}-000000.zip`
  const put = (day: number) => writeFileSync(join(config.backupDir, nameOf(day)), 'x')
  // archives are named by the second
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const backUp = async () => {
    vi.setSystemTime(Date.now() + 60_000)
    await backUpWithoutServer({ config, onProgress: () => {}, log: silentLog })
    return readdirSync(config.backupDir)
  }
  mkdirSync(config.backupDir)
  for (let day = 1; day <= 9; day++) put(day)
  await backUp()
  const names = await backUp()
  expect(names.filter((name) => name.startsWith('mira-backup-2025'))).toEqual(keptDays.map(nameOf))
  put(4)
  expect(await backUp()).toContain(nameOf(4))
})

test.each(['20261129120000_composed_names_and_tags', '20261129230000_backups_made_here'])(
  'a backup made at version %s counts as the instance’s own after the update',
  async (version) => {
    const old = await openOldDatabase(version)
    onTestFinished(old.close)
    const fileName = 'mira-backup-20260101-000000.zip'
    await addOwnArchive(old.pool, { fileName, sizeBytes: 9, problemPaths: ['a'], madeAt: new Date() })
    await old.upgrade()
    const store = createBackupsStore(old)
    expect(await store.listOwn()).toMatchObject([{ fileName, isTrialRestored: false }])
    expect(await store.list()).toMatchObject([{ fileName, state: 'completed', sizeBytes: 9n }])
  },
)
