import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase } from '../test/database-template.ts'
import { startProcess } from '../test/server-process.ts'
import { createArchiveWriter } from './modules/admin/backups/archive-writer.ts'
import { openEmbeddedSnapshot, openServerSnapshot } from './platform/database/snapshot.ts'
import { createDiskFiles } from './platform/storage/disk.ts'

// Starts processes, one after the other.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const workFolder = mkdtempSync(join(tmpdir(), 'mira-restore-program-'))
const archive = join(workFolder, 'archive.zip')
beforeAll(async () => {
  const database = await openTestDatabase()
  const openSnapshot = () =>
    database.engine === 'embedded'
      ? openEmbeddedSnapshot(database.pool)
      : openServerSnapshot(database.databaseUrl ?? '')
  const files = await createDiskFiles({ directory: join(workFolder, 'files') })
  await createArchiveWriter({ openSnapshot, files, passphrase: undefined }).write(archive)
  await database.close()
})
afterAll(() => rmSync(workFolder, { recursive: true, force: true }))

test('a failed restore says that nothing was changed only when that’s true', async () => {
  const dataDir = join(workFolder, 'data')
  const outputOfFailure = async () => {
    const program = startProcess('restore.ts', { DATA_DIR: dataDir }, [archive])
    expect(await program.exited).toBe(1)
    return program.output()
  }
  mkdirSync(join(dataDir, 'database'), { recursive: true })
  writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '17')
  expect(await outputOfFailure()).toMatch(/^Nothing was changed\. .*is not empty/)
  // A restore that was interrupted while it replaced files.
  mkdirSync(join(dataDir, 'restoring'))
  writeFileSync(join(dataDir, 'restoring', 'moves.json'), 'damaged')
  expect(await outputOfFailure()).toMatch(/^A restore was interrupted, and its last step can’t be finished/)
})
