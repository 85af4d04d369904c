import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { insertUser } from '../../../../test/factories.ts'
import { S3_ACCESS, type S3Server, startS3Server } from '../../../../test/s3-server.ts'
import { newId } from '../../../platform/database/new-id.ts'
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

/** Copies to an S3 server that keeps one snapshot. */
async function copiesTo(address: () => string) {
  const config = {
    backupS3: { endpoint: s3.endpoint, region: 'us-east-1', ...S3_ACCESS },
    backupPassphrase: 'a passphrase',
  }
  const directory = join(folder, 'files')
  const files = await createDiskFiles({ directory })
  const copies = createOffsiteService({
    ...{ config, database, files, log: silentLog },
    settings: { current: () => ({ backups: { offsite: address() }, retention: { backups_kept: 1 } }) },
    store: { listAdminIds: async () => [] },
    openSnapshot: () =>
      database.engine === 'embedded'
        ? openEmbeddedSnapshot(database.pool)
        : openServerSnapshot(database.databaseUrl ?? ''),
    withTempFolder: async (use: (folder: string) => Promise<unknown>) => use(mkdtempSync(join(folder, 'scratch-'))),
  } as never)
  // copies are named by the second
  vi.useFakeTimers({ toFake: ['Date'] })
  const copy = async () => {
    vi.setSystemTime(Date.now() + 5_000)
    await copies.run({ signal: new AbortController().signal, isLastAttempt: false })
    return copies.state()
  }
  return { copies, copy, files, directory }
}

test('a copy counts as made even when older copies can’t be removed, which is reported', {
  timeout: 120_000,
}, async () => {
  let offsite = 's3://backups/home'
  const { copies, copy } = await copiesTo(() => offsite)
  const snapshots = () => [...s3.objects.keys()].filter((key) => key.endsWith('.zip.sealed'))
  await copy()
  // a key without permission to list interrupted uploads
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

test('keeps the copy of a missing file until its item is deleted', {
  timeout: 120_000,
}, async () => {
  s3.onRequest = () => {}
  const { copy, files, directory } = await copiesTo(() => 's3://backups/kept')
  const { id: userId } = await insertUser(database)
  const { path, sha256, sizeBytes } = await files.put(userId, Buffer.from('A letter.'))
  const item = { userId, mediaType: 'document', originalFilename: 'letter.txt', contentType: 'text/plain' }
  await database.prisma.mediaItem.create({ data: { ...item, id: newId(), path, sha256, sizeBytes } as never })
  const copied = () => [...s3.objects.keys()].filter((key) => key.includes('kept/files/'))
  await copy()
  expect(copied()).toHaveLength(1)
  rmSync(directory, { recursive: true })
  mkdirSync(directory)
  for (let n = 0; n < 2; n++) {
    expect((await copy())?.failed).toBeNull()
    expect(copied()).toHaveLength(1)
  }
  await database.prisma.mediaItem.deleteMany()
  await copy()
  expect(copied()).toEqual([])
})
