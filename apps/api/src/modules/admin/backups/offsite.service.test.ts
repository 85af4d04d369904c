import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { S3_ACCESS, type S3Server, startS3Server } from '../../../../test/s3-server.ts'
import { openEmbeddedSnapshot, openServerSnapshot } from '../../../platform/database/snapshot.ts'
import { createDiskFiles } from '../../../platform/storage/disk.ts'
import { createOffsiteService } from './offsite.service.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-offsite-service-'))
let s3: S3Server
let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  s3 = await startS3Server()
  database = await openTestDatabase()
})
afterAll(async () => {
  vi.useRealTimers()
  await database.close()
  await s3.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a copy is complete, and not made again, though older copies cannot be removed', {
  timeout: 120_000,
}, async () => {
  const backupS3 = { endpoint: s3.endpoint, region: 'us-east-1', ...S3_ACCESS }
  let offsite = 's3://backups/home'
  const copies = createOffsiteService({
    ...{ config: { backupS3, backupPassphrase: 'a passphrase' }, database, log: silentLog },
    files: await createDiskFiles({ directory: join(folder, 'files') }),
    settings: { current: () => ({ backups: { offsite }, retention: { backups_kept: 1 } }) },
    store: { listAdminIds: async () => [] },
    openSnapshot: () =>
      database.engine === 'embedded'
        ? openEmbeddedSnapshot(database.pool)
        : openServerSnapshot(database.databaseUrl ?? ''),
    scratch: join(folder, 'scratch'),
  } as never)
  const snapshots = () => [...s3.objects.keys()].filter((key) => key.endsWith('.zip.sealed'))
  // names have seconds
  vi.useFakeTimers({ toFake: ['Date'] })
  const copy = async () => {
    vi.setSystemTime(Date.now() + 5_000)
    await copies.run({ signal: new AbortController().signal, isLastAttempt: false })
    return copies.state()
  }
  await copy()
  // a key that may only list, read, write and delete
  s3.onRequest = ({ method, url }) => {
    if (method === 'GET' && /[?&]uploads/.test(url ?? '')) throw new Error('not allowed')
  }
  expect((await copy())?.failed).toBeNull()
  expect(snapshots()).toHaveLength(1)
  s3.onRequest = ({ method }) => {
    if (method === 'DELETE') throw new Error('not allowed')
  }
  const state = await copy()
  expect(state).toMatchObject({ last_at: new Date(), failed: { told: [{ code: 'offsite_not_pruned' }] } })
  expect(snapshots()).toHaveLength(2)
  offsite = 's3://backups/elsewhere'
  expect(await copies.state()).toEqual({ address: offsite, last_at: null, failed: null })
})
