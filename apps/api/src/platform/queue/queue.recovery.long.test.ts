import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { type ProcessDatabase, startDatabaseProcess } from '../../../test/database-process.ts'
import { openTestDatabase, silentLog } from '../../../test/database-template.ts'
import { copyTemplateDatabase } from '../../../test/laid-database.ts'
import { type Database, openDatabase } from '../database/client.ts'
import type { JobRun } from './jobs.ts'
import { createQueue } from './queue.ts'

// On a database server, it takes up to 40 seconds until the killed process counts as dead.
vi.setConfig({ testTimeout: 120_000 })

const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Database that another process can use: on a server, or in a folder that isn't open here. */
async function sharedDatabase(): Promise<ProcessDatabase> {
  if (process.env.TEST_DATABASE_URL) {
    const database = await openTestDatabase()
    cleanUps.push(() => database.close())
    return { databaseUrl: database.databaseUrl, dataDir: 'unused' }
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'mira-queue-'))
  cleanUps.push(async () => rmSync(dataDir, { recursive: true, force: true }))
  copyTemplateDatabase(dataDir)
  return { dataDir }
}

async function startQueue(database: Database, onRun: (run: JobRun) => void) {
  const queue = createQueue({ pool: database.pool, isOnlyProcess: database.engine === 'embedded', log: silentLog })
  cleanUps.push(() => queue.stop())
  await queue.open()
  const doNothing = async () => {}
  await queue.start({
    'roll-up-activities': doNothing,
    'clean-up': doNothing,
    'process-media': doNothing,
    'process-long-media': doNothing,
    'fill-embeddings': doNothing,
    'improve-media': doNothing,
    'index-words': doNothing,
    'make-backup': doNothing,
    'prove-backup': doNothing,
    'scrub-files': doNothing,
    'copy-offsite': doNothing,
    'scan-folders': async () => {},
    'scan-folder': async () => {},
    'import-things': doNothing,
    'undo-import': doNothing,
    'deliver-hook': doNothing,
    'send-push': doNothing,
    'delete-files': async (_data, run) => onRun(run),
  })
  return queue
}

test('a job of a killed process is run by the next process', async () => {
  const options = await sharedDatabase()
  const worker = startDatabaseProcess('work', options)
  await vi.waitFor(() => expect(worker.messages).toStrictEqual(['begun']), { timeout: 30_000, interval: 50 })
  await worker.kill()

  const database = await openDatabase({ ...options, log: silentLog })
  cleanUps.push(() => database.close())
  const attempts: number[] = []
  await startQueue(database, ({ attempt }) => attempts.push(attempt))
  await vi.waitFor(() => expect(attempts).toStrictEqual([2]), { timeout: 80_000, interval: 50 })
})

test.skipIf(process.env.TEST_DATABASE_URL)('jobs are run again after a restart of the embedded database', async () => {
  const database = await openTestDatabase()
  cleanUps.push(() => database.close())
  let runs = 0
  const queue = await startQueue(database, () => runs++)
  await database.kill?.()
  // Long enough for the queue to notice that the database is down.
  await sleep(100)
  await vi.waitFor(() => queue.enqueue('delete-files', { paths: ['a'] }), { timeout: 20_000, interval: 100 })
  await vi.waitFor(() => expect(runs).toBe(1), { timeout: 20_000, interval: 50 })
})
