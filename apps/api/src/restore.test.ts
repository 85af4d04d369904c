import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase } from '../test/database-template.ts'
import { startProcess } from '../test/server-process.ts'
import { createArchiveWriter } from './modules/admin/backups/archive-writer.ts'
import { openEmbeddedSnapshot, openServerSnapshot } from './platform/database/snapshot.ts'
import { createDiskFiles } from './platform/storage/disk.ts'

// starts processes, one after the other
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const work = mkdtempSync(join(tmpdir(), 'mira-restore-program-'))
const archive = join(work, 'archive.zip')
beforeAll(async () => {
  const database = await openTestDatabase()
  const openSnapshot = () =>
    database.engine === 'embedded'
      ? openEmbeddedSnapshot(database.pool)
      : openServerSnapshot(database.databaseUrl ?? '')
  const files = await createDiskFiles({ directory: join(work, 'files') })
  await createArchiveWriter({ openSnapshot, files, passphrase: undefined }).write(archive)
  await database.close()
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

test('a restore says that nothing was changed only when that is so', async () => {
  const dataDir = join(work, 'data')
  const failingWith = async () => {
    const program = startProcess('restore.ts', { DATA_DIR: dataDir }, [archive])
    expect(await program.exited).toBe(1)
    return program.output()
  }
  mkdirSync(join(dataDir, 'database'), { recursive: true })
  writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '17')
  expect(await failingWith()).toMatch(/^Nothing was changed\. .*is not empty/)
  // one that was interrupted when it had begun to replace
  mkdirSync(join(dataDir, 'restoring'))
  writeFileSync(join(dataDir, 'restoring', 'moves.json'), 'damaged')
  expect(await failingWith()).toMatch(/^A restore was interrupted, and its last step can’t be finished/)
})
